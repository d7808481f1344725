import HTTPTypes
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoUpstream
package import PorticoWeb

/// `GET` and `POST /v1/auth/{provider}/callback`, and `…/callback/link`: the identity provider's
/// answer (SEED-ADR-2). The order of checks: docs/decisions/0028.
package struct CallbackEndpoint: Sendable {
    let directory: ProviderDirectory
    let cookies: AttemptCookies
    let posted: PostedAnswer
    let late: LateAnswer
    let complete: SignInCompletion
    let link: IdentityLinking
    let pending: PendingCookie
    let events: SignInLog
    let responder: SignInResponder
    /// Ten a minute for each attempt, and for each address without one.
    let limit: RateLimiter
    /// Attempts with an answer that is being or was redeemed: none is redeemed twice (attack E27).
    let redeemed: SeenLately<LimitKey>

    /// A cross-site POST lacks `SameSite=Lax` cookies. It changes nothing: its fields are passed
    /// on, sealed, to the same address by GET.
    package func post(_ name: Substring, _ context: SignInContext) async throws -> Response {
        let provider = try provider(name)
        // An answer must use the requested method (OAuth 2.0 Form Post Response Mode §2).
        guard provider.client.provider.usesFormPost else {
            return responder.refuse(ServiceError.methodNotAllowed, .people, context)
                .adding([HTTPField(name: .allow, value: "GET")])
        }
        let form = try context.form(upTo: PostedAnswer.longestBody)
        guard form.contains("state") else {
            return responder.unmatched(context)
        }
        let path = context.target.path
        let sealed = posted.seal(form, at: context.moment)
        guard let redirect = Redirect(to: "\(path)?answer=\(sealed)") else {
            throw ServiceError(.internalError, "A seal is always writable.")
        }
        return Response(redirect, headers: responder.headers)
    }

    /// - Parameter isLink: Whether it is the address for linking; `nil` where both uses have one.
    package func get(_ name: Substring, isLink: Bool?, _ context: SignInContext) async throws
        -> Response
    {
        let provider = try provider(name)
        let response = try await answered(provider, isLink, context)
        // Another provider's may be behind any.
        let isOurs = response.headers[.location]?.hasPrefix("/") ?? false
        return isOurs || provider.client.provider.addsFragment
            ? response.withoutFragment : response
    }

    private func answered(
        _ provider: ProviderDirectory.LiveProvider,
        _ isLink: Bool?,
        _ context: SignInContext
    ) async throws -> Response {
        guard let answer = try answer(provider, context), let state = answer["state"] else {
            // Without a state, even an error does not belong to one of our attempts: nothing
            // changes.
            try late.checkRate(limit, of: nil, context)
            return try await late(nil, context)
        }
        let found = try cookies.find(
            Attempt.self,
            state: state,
            context.headers,
            at: context.moment
        )
        try late.checkRate(limit, of: found.attemptID, context)
        switch found {
        case .nothing: return try await late(nil, context)
        case .over(let signInReturn): return try await late(signInReturn, context)
        case .attempt(let attempt, let signInReturn):
            let response = try await finish(
                answer,
                attempt,
                signInReturn,
                provider,
                isLink,
                context
            )
            return response.adding([cookies.end(state: state)])
        }
    }

    private func provider(_ name: Substring) throws(ServiceError) -> ProviderDirectory.LiveProvider
    {
        guard let provider = directory.provider(named: name) else {
            throw ServiceError(.notFound, "There is no provider of that name.")
        }
        return provider
    }

    /// The answer's parameters, each once: from the query or from the posted body, as requested
    /// from the provider.
    private func answer(_ provider: ProviderDirectory.LiveProvider, _ context: SignInContext)
        throws(ServiceError) -> FormParameters?
    {
        let query = try context.query()
        guard provider.client.provider.usesFormPost else { return query }
        return query["answer"].flatMap { posted.open($0, at: context.moment) }
    }

    private func finish(
        _ answer: FormParameters,
        _ attempt: Attempt,
        _ signInReturn: SignInReturn,
        _ provider: ProviderDirectory.LiveProvider,
        _ isLink: Bool?,
        _ context: SignInContext
    ) async throws -> Response {
        // RFC 9700 §4.4.2: one provider's answer never goes to another (attacks E04, E09).
        guard sameBytes(signInReturn.provider, provider.name),
            sameBytes(attempt.provider, provider.name),
            isLink.map({ signInReturn.isLink == $0 }) ?? true
        else {
            return responder.failed(SignInFailure(.invalidState, .unknown), signInReturn, context)
        }
        let person: ProvenPerson
        do {
            let code = try await provider.client.code(in: answer, to: attempt)
            guard redeemed.isFirst(LimitKey("attempt", attempt.id.text)) else {
                if case .web(let path, _) = signInReturn.destination,
                    try await late.sessions.ifAny(context) != nil
                {
                    return responder.go(to: path, context)
                }
                return responder.again(signInReturn, context)
            }
            person = try await provider.client.redeem(code, of: attempt, appleUser: answer["user"])
        } catch let error as SignInError {
            events.providerFailed(provider.name, error, context)
            return responder.failed(SignInFailure(error), signInReturn, context)
        }
        let subject = try subject(person, provider, context)
        if case .link(let sessionID, let path) = signInReturn.destination {
            return try await link(
                subject,
                sessionID: sessionID,
                attemptID: attempt.id,
                returningTo: path,
                context
            )
        }
        return try await signIn(subject, person, attempt, signInReturn, context)
    }

    private func signIn(
        _ subject: SignInCompletion.Subject,
        _ person: ProvenPerson,
        _ attempt: Attempt,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) async throws -> Response {
        let completed = try await complete(
            subject,
            to: signInReturn,
            rule: complete.rules.rule(for: person),
            spending: [.attempt(attempt.id, at: context.now)],
            asking: PendingIdentity.question(attempt.id, subject.identity, at: context.now),
            context
        )
        guard case .ask(let matches) = completed else {
            return responder.completed(completed, signInReturn, context)
        }
        if matches.count > 1 {
            events.severalMatches(matches, subject.identity.provider, context)
        }
        let waiting = PendingIdentity(
            subject,
            attempt.id,
            signInReturn,
            matches,
            at: context.now
        )
        return responder.go(
            to: .joining,
            context,
            cookies: [try pending.set(waiting, at: context.moment)]
        )
    }

    private func subject(
        _ person: ProvenPerson,
        _ provider: ProviderDirectory.LiveProvider,
        _ context: SignInContext
    ) throws -> SignInCompletion.Subject {
        SignInCompletion.Subject(
            person,
            provider: provider.name,
            vault: ProviderTokens(ring: complete.ring),
            context
        )
    }
}

extension SignInReturn {
    var isLink: Bool {
        if case .link = destination { true } else { false }
    }
}

extension LocalPath {
    package static let joining = LocalPath.known("/login/account")
    static let cookies = LocalPath.known("/login/cookies")
}

extension Response {
    /// A browser carries the fragment of its current address over a redirect, unless the target has
    /// one: an empty one replaces it (RFC 9110 §10.2.2; PRV-F-13).
    fileprivate var withoutFragment: Response {
        guard let location = headers[.location], !location.contains("#") else { return self }
        var response = self
        response.headers[.location] = location + "#"
        return response
    }

    func adding(_ fields: [HTTPField]) -> Response {
        var response = self
        response.headers.append(contentsOf: fields)
        return response
    }
}

/// Links a second identity to an account after the person has proven both (WEB-ACC-1).
struct IdentityLinking: Sendable {
    let accounts: AccountStore
    let sessions: SessionCheck
    let responder: SignInResponder

    /// Answers a link's callback, in the browser of the session that requested it.
    func callAsFunction(
        _ subject: SignInCompletion.Subject,
        sessionID: String,
        attemptID: UniqueID,
        returningTo path: LocalPath,
        _ context: SignInContext
    ) async throws -> Response {
        // The attempt's cookie alone does not prove the person: their session must be present too.
        guard let live = try await sessions.ifAny(context), live.session.id == sessionID else {
            return responder.failed(SignInFailure(.invalidState, .unknown), nil, context)
        }
        let outcome = try await accounts.link(
            event(subject, sessionID, [.attempt(attemptID, at: context.now)], context),
            at: context.now
        )
        return try responder.linked(
            outcome,
            subject.identity.provider,
            of: live.session,
            path,
            context
        )
    }

    func event(
        _ subject: SignInCompletion.Subject,
        _ sessionID: String,
        _ spending: [SpentOnce],
        _ context: SignInContext
    ) -> LinkEvent {
        LinkEvent(
            spending: spending,
            identity: subject.identity,
            sessionID: sessionID,
            notice: .wayAdded(subject.identity.provider, context)
        )
    }
}

extension MailDraft {
    /// To the account's own address: it has a new sign-in method.
    static func wayAdded(_ provider: String, _ context: SignInContext) -> MailDraft {
        MailDraft(
            id: context.moment.id(),
            to: nil,
            message: .wayAdded(provider: provider),
            language: context.language.tag,
            service: context.owner,
            createdAt: context.now
        )
    }
}
