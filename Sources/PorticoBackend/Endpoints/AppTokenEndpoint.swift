import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb
import PorticoSignIn

/// `POST /v1/auth/token`: an app redeems its hand-off code (docs/decisions/0013, WEB-BFF-8).
struct AppTokenEndpoint: Sendable {
    let directory: ProviderDirectory
    let sessions: SessionStore
    let handles: HandleSessionStore
    let ring: KeyRing
    let headers: SecurityHeaders
    let events: SignInLog
    /// Wrong codes from an address.
    let guesses: RateLimiter

    private static let refusal = ServiceError(
        .invalidGrant,
        "The code is unknown, used, expired, or was presented wrongly."
    )

    func post(_ context: SignInContext) async throws -> Response {
        if case .wait(let seconds) = guesses.check(key(context), at: context.moment.now) {
            throw ServiceError(.rateLimited, "Too many wrong codes.", retryAfter: seconds)
        }
        let body = try BodyParameters(context)
        guard try body.required("grant_type") == "authorization_code" else {
            throw ServiceError(.invalidRequest, "grant_type must be authorization_code.")
        }
        let presentation = try presentation(body, context)
        switch try await sessions.redeem(presentation, at: context.now) {
        case .redeemed(let live, let isNew):
            if let answer = try await byHandle(live, context) { return answer }
            let answer = AppSessionAnswer(live: live, state: presentation.refresh, isNew: isNew)
            return Response(json: try answer.json(ring: ring, at: context.now), headers: headers)
        case .refused(let refusal):
            events.handOffRefused(refusal, app: presentation.app, context)
            guesses.countFailure(key(context), at: context.moment.now)
            throw Self.refusal
        case .unknown:
            guesses.countFailure(key(context), at: context.moment.now)
            throw Self.refusal
        }
    }

    /// A session that began by handle is the app's by the cookie `sid`, as its library expects, and by
    /// nothing else.
    ///
    /// - Returns: `nil` of every other session.
    private func byHandle(_ live: LiveSession, _ context: SignInContext) async throws
        -> Response?
    {
        guard live.session.identity?.issuer == HandleProvider.kind else { return nil }
        // Since the code was good, the session may have ended: by a second presentation, for one.
        guard let cookie = directory.handles?.cookie,
            let session = try await handles.live(live.session.id, at: context.now)?.handle
        else { throw Self.refusal }
        let seal = try cookie.seal(of: session.sessionID, session.did, at: context.moment)
        return Response(
            json: [
                "session_token": .string(seal), "token_type": "Cookie", "cookie_name": "sid",
                "did": .string(session.did), "handle": .string(session.handle),
                "expires_in": .integer(cookie.life), "user": AccountView.user(live),
            ],
            headers: headers
        )
    }

    private func key(_ context: SignInContext) -> LimitKey {
        LimitKey("hand-off", context.address)
    }

    /// Any text in the form of a code is presented, whether the request is right or wrong: so a
    /// wrong presentation spends the code, also one by an app that no longer exists.
    private func presentation(_ body: BodyParameters, _ context: SignInContext)
        throws(ServiceError) -> HandOffPresentation
    {
        let code = try body.required("code")
        let verifier = try body.required("code_verifier")
        let name = try body.optional("app")
        let app: Client?
        do {
            app = try directory.apps.app(named: name)
        } catch {
            guard error.code == .invalidApp else { throw error }
            app = nil
        }
        let redirectURI = try body.optional("redirect_uri") ?? app?.onlyRedirectURI
        guard redirectURI != nil || app == nil else {
            throw ServiceError(.missingParameter, "redirect_uri is required for this app.")
        }
        // A redirect that was taken away since the code was made is not the code's any more.
        let registered = redirectURI.flatMap { app?.permits($0) == true ? $0 : nil }
        return HandOffPresentation(
            codeHash: Hash256(of: code),
            // No code belongs to an app without a name.
            app: app?.clientID ?? "",
            redirectHash: Hash256(of: registered ?? ""),
            challenge: CodeVerifier(verifier)?.challenge.hash ?? Hash256(of: []),
            refresh: AppSessionAnswer.firstState(at: context.moment, ring: ring)
        )
    }
}

extension Client {
    fileprivate var onlyRedirectURI: String? {
        redirectURIs.count == 1 ? redirectURIs[0].text : nil
    }
}
