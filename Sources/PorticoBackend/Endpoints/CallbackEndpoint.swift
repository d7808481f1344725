import HTTPTypes
import Hummingbird
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
    let exits: BackendExits
    let forms: PageForms
    /// Ten a minute for an address.
    let limit: RateLimiter
    /// Attempts whose answer is being redeemed, or was: none a second time (attack E27).
    let redeemed: SeenLately

    /// A cross-site POST brings no `SameSite=Lax` cookie. It changes nothing: its fields go on,
    /// sealed, to the same address by GET.
    func post(_ name: Substring, isLink: Bool, _ visit: BackendVisit) async throws -> Response {
        let provider = try provider(name)
        let form = try await visit.form(upTo: PostedAnswer.longestBody)
        guard form.contains("state") else {
            return exits.unmatched(visit)
        }
        let path = "/v1/auth/\(provider.name)/callback" + (isLink ? "/link" : "")
        let sealed = posted.seal(form, at: visit.moment)
        guard let redirect = Redirect(to: "\(path)?answer=\(sealed)") else {
            throw BackendError(.internalError, "A seal is always writable.")
        }
        return Response(redirect, headers: exits.headers)
    }

    func get(_ name: Substring, isLink: Bool, _ visit: BackendVisit) async throws -> Response {
        let provider = try provider(name)
        let response = try await answered(provider, isLink, visit)
        return provider.client.provider.addsFragment ? response.withoutFragment : response
    }

    private func answered(
        _ provider: BackendDirectory.LiveProvider,
        _ isLink: Bool,
        _ visit: BackendVisit
    ) async throws -> Response {
        try checkRate(visit)
        guard let answer = try answer(provider, visit), let state = answer["state"] else {
            // Without a state nothing of ours is meant, an error included: nothing changes.
            return try await over(nil, visit)
        }
        switch cookies.find(state: state, visit.headers, at: visit.moment) {
        case .nothing: return try await over(nil, visit)
        case .over(let wayBack): return try await over(wayBack, visit)
        case .attempt(let attempt, let wayBack):
            let response = try await finish(answer, attempt, wayBack, provider, isLink, visit)
            return response.adding([cookies.end(state: state)])
        }
    }

    private func provider(_ name: Substring) throws(BackendError) -> BackendDirectory.LiveProvider {
        guard let provider = directory.provider(named: name) else {
            throw BackendError(.notFound, "There is no provider of that name.")
        }
        return provider
    }

    private func checkRate(_ visit: BackendVisit) throws(BackendError) {
        if case .wait(let seconds) = limit.take(
            LimitKey("callback", visit.address),
            at: visit.moment.now
        ) {
            throw BackendError(
                .rateLimited,
                "Too many answers came from this address.",
                retryAfter: seconds
            )
        }
    }

    /// The answer's parameters, each once: out of the query, or out of what was posted, as the provider
    /// was asked to answer.
    private func answer(_ provider: BackendDirectory.LiveProvider, _ visit: BackendVisit)
        throws(BackendError) -> FormParameters?
    {
        let query = try visit.query()
        guard provider.client.provider.usesFormPost else { return query }
        return query["answer"].flatMap { posted.open($0, at: visit.moment) }
    }

    /// An answer whose attempt is not here any more, or never was. Whoever is signed in goes on;
    /// else the page, or the app, says what happened. No call is made.
    private func over(_ wayBack: WayBack?, _ visit: BackendVisit) async throws -> Response {
        switch wayBack?.destination {
        case .web(let path, _)?:
            if try await sessions.ifAny(visit) != nil { return exits.go(to: path, visit) }
        case nil:
            if try await sessions.ifAny(visit) != nil {
                return exits.go(to: .dashboard, visit)
            }
        case .app?, .link?: break
        }
        // Nothing of ours came along: does this browser keep no cookies, or was it another one?
        if wayBack == nil, !visit.wantsJSON, forms.cookies.visit(visit.headers) == nil {
            return exits.go(to: .cookies, visit, cookies: [try forms.newVisit(visit)])
        }
        return exits.failed(
            SignInFailure(.invalidState, wayBack == nil ? .unknown : .expired),
            wayBack,
            visit
        )
    }

    private func finish(
        _ answer: FormParameters,
        _ attempt: Attempt,
        _ wayBack: WayBack,
        _ provider: BackendDirectory.LiveProvider,
        _ isLink: Bool,
        _ visit: BackendVisit
    ) async throws -> Response {
        // RFC 9700 §4.4.2: the answer of one provider never goes to another (attacks E04, E09).
        guard sameBytes(wayBack.provider, provider.name),
            sameBytes(attempt.provider, provider.name),
            wayBack.isLink == isLink
        else { return exits.failed(SignInFailure(.invalidState, .unknown), wayBack, visit) }
        let person: ProvenPerson
        do {
            let code = try await provider.client.code(in: answer, to: attempt)
            guard redeemed.isFirst(LimitKey("attempt", attempt.id.text)) else {
                return try await over(wayBack, visit)
            }
            person = try await provider.client.redeem(code, of: attempt, appleUser: answer["user"])
        } catch let error as SignInError {
            events.providerFailed(provider.name, error, visit)
            return exits.failed(SignInFailure(error), wayBack, visit)
        }
        let subject = try subject(person, provider, visit)
        if case .link(let sessionID, let path) = wayBack.destination {
            return try await link(
                subject,
                sessionID: sessionID,
                attemptID: attempt.id,
                returningTo: path,
                visit
            )
        }
        return try await signIn(subject, person, attempt, wayBack, visit)
    }

    private func signIn(
        _ subject: SignInCompletion.Subject,
        _ person: ProvenPerson,
        _ attempt: Attempt,
        _ wayBack: WayBack,
        _ visit: BackendVisit
    ) async throws -> Response {
        let completed = try await complete(
            subject,
            to: wayBack,
            rule: complete.rules.rule(for: person),
            spending: [.attempt(attempt.id, at: visit.now)],
            asking: PendingIdentity.question(attempt.id, subject.identity, at: visit.now),
            visit
        )
        guard case .ask(let matches) = completed else {
            return exits.completed(completed, wayBack, visit)
        }
        if matches.count > 1 {
            events.severalMatches(matches, subject.identity.provider, visit)
        }
        let waiting = PendingIdentity(subject, attempt.id, wayBack, matches)
        return exits.go(to: .joining, visit, cookies: [try pending.set(waiting, at: visit.moment)])
    }

    private func subject(
        _ person: ProvenPerson,
        _ provider: BackendDirectory.LiveProvider,
        _ visit: BackendVisit
    ) throws -> SignInCompletion.Subject {
        SignInCompletion.Subject(
            person,
            provider: provider.name,
            vault: ProviderTokens(ring: complete.ring),
            visit
        )
    }
}

extension WayBack {
    var isLink: Bool {
        if case .link = destination { true } else { false }
    }
}

extension LocalPath {
    static let joining = LocalPath.known("/login/account")
    static let cookies = LocalPath.known("/login/cookies")
}

extension Response {
    /// A browser carries the fragment of the address it was at on to where it is led, unless there
    /// is one: an empty one takes its place (RFC 9110 §10.2.2; PRV-F-13).
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
