import HTTPTypes
import Portico
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoUpstream
import PorticoWeb
import PorticoSignIn

/// Accepts identity tokens that an app got from its platform's sign-in (PRV-N-1 to 4, PRV-A-16 to
/// 18, PRV-G-12), and Google's One Tap (PRV-G-13).
struct NativeEndpoint: Sendable {
    let directory: ProviderDirectory
    let complete: SignInCompletion
    let accounts: AccountStore
    let sessions: LiveSessions
    let nonces: NativeNonces
    let headers: SecurityHeaders
    let responder: SignInResponder
    let events: SignInLog
    let pending: PendingCookie
    let limit: NativeLimit

    private static let refusal = ServiceError(
        .invalidToken,
        "The identity token is not valid here, or was used before."
    )

    /// A raw nonce for one sign-in in the next ten minutes, without which no token is accepted. The
    /// app passes it to the platform, to Apple's as its SHA-256, and returns the raw one to this
    /// server; with the verifier, if it sent a challenge (PRV-G-14).
    func nonce(_ name: Substring, _ context: SignInContext) async throws -> Response {
        let provider = try provider(name)
        try limit.take("nonce", context)
        let nonce = nonces.make(
            for: provider.name,
            boundTo: try await challenge(context),
            at: context.moment
        )
        return Response(
            json: ["nonce": .string(nonce), "expires_in": .integer(NativeNonces.lifetime)],
            headers: headers
        )
    }

    func post(_ name: Substring, _ context: SignInContext) async throws -> Response {
        let provider = try provider(name)
        try limit.take("native", context)
        let body = try BodyParameters(context)
        let app = try directory.apps.app(named: try body.optional("app"))
        let audiences = app.audiences(at: provider.name)
        guard !audiences.isEmpty else {
            throw ServiceError(.invalidApp, "The app has no client ids at this provider.")
        }
        let raw = try body.optional("nonce")
        let spentNonce = nonces.spending(
            raw,
            for: provider.name,
            verifier: try body.optional("code_verifier"),
            at: context.moment
        )
        guard let spentNonce else {
            limit.countRefusal(context)
            throw Self.refusal
        }
        let token = NativeToken(
            idToken: try body.optional("id_token"),
            accessToken: try body.optional("access_token").map(SecretText.init),
            nonce: raw.map(SecretText.init),
            authorizationCode: try body.optional("authorization_code").map(SecretText.init),
            user: user(in: body)
        )
        let person = try await proven(by: provider, token, audiences, context)
        return try await signIn(person, provider, app, spentNonce, context)
    }

    /// As for a web sign-in (RFC 7636 §4.3). A request without a body gets a nonce that is not
    /// bound to an installation.
    private func challenge(_ context: SignInContext) async throws -> CodeChallenge? {
        guard context.headers[.contentType] != nil else { return nil }
        let body = try BodyParameters(context)
        guard try ["S256", nil].contains(body.optional("code_challenge_method")) else {
            throw ServiceError(.invalidRequest, "code_challenge_method must be S256.")
        }
        guard let text = try body.optional("code_challenge") else { return nil }
        guard let challenge = CodeChallenge(text) else {
            throw ServiceError(.invalidRequest, "code_challenge is not a SHA-256 in base64url.")
        }
        return challenge
    }

    /// Google's button and One Tap post to us from our own page: `credential` is the ID Token, and
    /// `g_csrf_token` is in the body and in a cookie (double submit). Any host of the domain can
    /// set that cookie, so the browser must also report that the request comes from our page or
    /// from Google's (WEB-CSRF-3).
    func oneTap(_ context: SignInContext) async throws -> Response {
        let provider = try provider("google")
        // Before it is counted: any site can post.
        guard isFromItsPages(context, provider) else {
            throw ServiceError(.forbidden, "The credential comes from a page of another site.")
        }
        try limit.take("native", context)
        let form = try context.form()
        guard let inBody = form["g_csrf_token"],
            let inCookie = Self.cookie("g_csrf_token", context.headers),
            ConstantTime.equal(inBody, inCookie)
        else {
            limit.countRefusal(context)
            throw ServiceError(.invalidRequest, "g_csrf_token is missing or differs.")
        }
        guard let credential = form["credential"] else {
            throw ServiceError(.missingParameter, "credential is required.")
        }
        let person: ProvenPerson
        do {
            person = try await provider.client.verifyCredential(credential, at: context.moment.now)
        } catch {
            events.providerFailed(provider.name, error, context)
            limit.count(error, context)
            return responder.failed(SignInFailure(error), nil, context)
        }
        let signInReturn = SignInReturn(
            provider: provider.name,
            destination: .web(LocalPath.asked(form["state"]), isRemembered: false)
        )
        let subject = SignInCompletion.Subject(
            person,
            provider: provider.name,
            vault: ProviderTokens(ring: complete.ring),
            context
        )
        let id = context.moment.id()
        let completed = try await complete(
            subject,
            to: signInReturn,
            rule: complete.rules.rule(for: person),
            spending: [spent(person, context)],
            asking: PendingIdentity.question(id, subject.identity, at: context.now),
            context
        )
        if case .ask(let matches) = completed {
            let waiting = PendingIdentity(
                subject,
                id,
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
        // A token that was used before begins nothing, not even once more.
        if case .again = completed {
            limit.countRefusal(context)
            let failure = SignInFailure(.invalidState, .unknown)
            return responder.failed(failure, signInReturn, context)
        }
        return responder.completed(completed, signInReturn, context)
    }

    private func isFromItsPages(
        _ context: SignInContext,
        _ provider: ProviderDirectory.LiveProvider
    ) -> Bool {
        guard FetchSite.isForeignPost(context.headers, to: responder.page.origin) else {
            return true
        }
        let origins = context.headers[values: .origin]
        return origins.count == 1
            && provider.client.provider.navigationSources.contains { sameBytes($0, origins[0]) }
    }

    private func proven(
        by provider: ProviderDirectory.LiveProvider,
        _ token: NativeToken,
        _ audiences: [String],
        _ context: SignInContext
    ) async throws -> ProvenPerson {
        do {
            return try await provider.client.verifyNative(
                token,
                audiences: audiences,
                at: context.moment.now
            )
        } catch {
            events.providerFailed(provider.name, error, context)
            limit.count(error, context)
            if case .transient = error.kind { throw ServiceError(starting: error) }
            throw Self.refusal
        }
    }

    private func signIn(
        _ person: ProvenPerson,
        _ provider: ProviderDirectory.LiveProvider,
        _ app: Client,
        _ nonce: [SpentOnce],
        _ context: SignInContext
    ) async throws -> Response {
        let subject = SignInCompletion.Subject(
            person,
            provider: provider.name,
            vault: ProviderTokens(ring: complete.ring),
            context
        )
        let state = AppSessionAnswer.firstState(at: context.moment, ring: complete.ring)
        let session = complete.session(
            .app(name: app.clientID, refresh: state),
            subject,
            device: DeviceName.of(context.userAgent, app: app.clientID),
            idle: AppSessionAnswer.idle,
            longest: AppSessionAnswer.longest,
            context
        )
        // An app cannot show the page that asks, so a relay's address is accepted as it is.
        var rule = complete.rules.rule(for: person)
        if rule == .askFirst { rule = .never }
        let event = try complete.event(
            subject,
            session,
            rule,
            nonce + [spent(person, context)],
            context
        )
        switch try await accounts.signIn(event, at: context.now) {
        case .signedIn(_, let isNew):
            guard let live = try await sessions.live(id: session.id, at: context.now)
            else {
                throw Self.refusal
            }
            let answer = AppSessionAnswer(live: live, state: state, isNew: isNew)
            return Response(
                json: try answer.json(ring: complete.ring, at: context.now),
                headers: headers
            )
        case .spent:
            limit.countRefusal(context)
            throw Self.refusal
        case .blocked: throw ServiceError(.accountBlocked, "The account is blocked.")
        case .signUpClosed: throw ServiceError(.signUpClosed, "New accounts are closed.")
        case .matches:
            throw ServiceError(
                .linkRequired,
                "An account has this address: sign in to it in the browser, add this way, and get a new token."
            )
        }
    }

    /// PRV-N-2: a token is accepted once, for as long as it is valid at all.
    private func spent(_ person: ProvenPerson, _ context: SignInContext) -> SpentOnce {
        SpentOnce(
            hash: Hash256(of: Array("token ".utf8) + (person.tokenHash?.bytes ?? [])),
            expiresAt: max(context.now + 1200, person.tokenExpiresAt ?? 0)
        )
    }

    private func user(in body: BodyParameters) -> String? {
        switch body.member("user") {
        case .string(let text)?: text
        case .object(let object)?:
            String(decoding: JSONValue.object(object).serialized(), as: UTF8.self)
        default: nil
        }
    }

    private func provider(_ name: Substring) throws(ServiceError) -> ProviderDirectory.LiveProvider
    {
        guard let provider = directory.provider(named: name) else {
            throw ServiceError(.invalidProvider, "There is no provider of that name.")
        }
        return provider
    }

    /// A foreign cookie, set by Google's script. Two with one name count as none.
    private static func cookie(_ name: String, _ headers: HTTPFields) -> String? {
        let values = headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap {
            pair -> Substring? in
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name + "=") else { return nil }
            return pair.dropFirst(name.count + 1)
        }
        guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
        return String(value)
    }
}
