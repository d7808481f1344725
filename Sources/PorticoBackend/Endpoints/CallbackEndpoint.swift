import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoUpstream
import PorticoWeb

/// `GET` and `POST /v1/auth/{provider}/callback`, and `…/callback/link`: the identity provider's
/// answer (SEED-ADR-2). The order of checks: docs/decisions/0028.
struct CallbackEndpoint: Sendable {
    let directory: BackendDirectory
    let cookies: AttemptCookies
    let posted: PostedAnswer
    let sessions: SessionCheck
    let complete: SignInCompletion
    let link: IdentityLinking
    let pending: PendingCookie
    let events: BackendEvents
    let responder: BackendResponder
    let forms: PageForms
    /// Ten a minute for each address.
    let limit: RateLimiter
    /// Attempts with an answer that is being or was redeemed: none is redeemed twice (attack E27).
    let redeemed: SeenLately

    /// A cross-site POST lacks `SameSite=Lax` cookies. It changes nothing: its fields are passed
    /// on, sealed, to the same address by GET.
    func post(_ name: Substring, isLink: Bool, _ context: BackendContext) async throws -> Response {
        let provider = try provider(name)
        // An answer must use the requested method (OAuth 2.0 Form Post Response Mode §2).
        guard provider.client.provider.usesFormPost else {
            return responder.refuse(BackendError.methodNotAllowed, .people, context)
                .adding([HTTPField(name: .allow, value: "GET")])
        }
        let form = try context.form(upTo: PostedAnswer.longestBody)
        guard form.contains("state") else {
            return responder.unmatched(context)
        }
        let path = "/v1/auth/\(provider.name)/callback" + (isLink ? "/link" : "")
        let sealed = posted.seal(form, at: context.moment)
        guard let redirect = Redirect(to: "\(path)?answer=\(sealed)") else {
            throw BackendError(.internalError, "A seal is always writable.")
        }
        return Response(redirect, headers: responder.headers)
    }

    func get(_ name: Substring, isLink: Bool, _ context: BackendContext) async throws -> Response {
        let provider = try provider(name)
        let response = try await answered(provider, isLink, context)
        return provider.client.provider.addsFragment ? response.withoutFragment : response
    }

    private func answered(
        _ provider: BackendDirectory.LiveProvider,
        _ isLink: Bool,
        _ context: BackendContext
    ) async throws -> Response {
        try checkRate(context)
        guard let answer = try answer(provider, context), let state = answer["state"] else {
            // Without a state, even an error does not belong to one of our attempts: nothing
            // changes.
            return try await over(nil, context)
        }
        switch cookies.find(state: state, context.headers, at: context.moment) {
        case .nothing: return try await over(nil, context)
        case .over(let signInReturn): return try await over(signInReturn, context)
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

    private func provider(_ name: Substring) throws(BackendError) -> BackendDirectory.LiveProvider {
        guard let provider = directory.provider(named: name) else {
            throw BackendError(.notFound, "There is no provider of that name.")
        }
        return provider
    }

    private func checkRate(_ context: BackendContext) throws(BackendError) {
        if case .wait(let seconds) = limit.take(
            LimitKey("callback", context.address),
            at: context.moment.now
        ) {
            throw BackendError(
                .rateLimited,
                "Too many answers came from this address.",
                retryAfter: seconds
            )
        }
    }

    /// The answer's parameters, each once: from the query or from the posted body, as requested
    /// from the provider.
    private func answer(_ provider: BackendDirectory.LiveProvider, _ context: BackendContext)
        throws(BackendError) -> FormParameters?
    {
        let query = try context.query()
        guard provider.client.provider.usesFormPost else { return query }
        return query["answer"].flatMap { posted.open($0, at: context.moment) }
    }

    /// Handles an answer without an attempt in this browser. A signed-in person continues;
    /// otherwise the page, or the app, reports it. No request to the provider is made.
    private func over(_ signInReturn: SignInReturn?, _ context: BackendContext) async throws
        -> Response
    {
        switch signInReturn?.destination {
        case .web(let path, _)?:
            if try await sessions.ifAny(context) != nil { return responder.go(to: path, context) }
        case nil:
            if try await sessions.ifAny(context) != nil {
                return responder.go(to: .dashboard, context)
            }
        case .app?, .link?: break
        }
        // None of our cookies arrived: does this browser keep no cookies, or was it another one?
        if signInReturn == nil, !context.wantsJSON, forms.cookies.form.value(context.headers) == nil
        {
            return responder.go(to: .cookies, context, cookies: [try forms.newCookie(context)])
        }
        return responder.failed(
            SignInFailure(.invalidState, signInReturn == nil ? .unknown : .expired),
            signInReturn,
            context
        )
    }

    private func finish(
        _ answer: FormParameters,
        _ attempt: Attempt,
        _ signInReturn: SignInReturn,
        _ provider: BackendDirectory.LiveProvider,
        _ isLink: Bool,
        _ context: BackendContext
    ) async throws -> Response {
        // RFC 9700 §4.4.2: one provider's answer never goes to another (attacks E04, E09).
        guard sameBytes(signInReturn.provider, provider.name),
            sameBytes(attempt.provider, provider.name),
            signInReturn.isLink == isLink
        else {
            return responder.failed(SignInFailure(.invalidState, .unknown), signInReturn, context)
        }
        let person: ProvenPerson
        do {
            let code = try await provider.client.code(in: answer, to: attempt)
            guard redeemed.isFirst(LimitKey("attempt", attempt.id.text)) else {
                return try await over(signInReturn, context)
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
        _ context: BackendContext
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
        let waiting = PendingIdentity(subject, attempt.id, signInReturn, matches)
        return responder.go(
            to: .joining,
            context,
            cookies: [try pending.set(waiting, at: context.moment)]
        )
    }

    private func subject(
        _ person: ProvenPerson,
        _ provider: BackendDirectory.LiveProvider,
        _ context: BackendContext
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
    static let joining = LocalPath.known("/login/account")
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
