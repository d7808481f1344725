import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoWeb
import PorticoSignIn

/// `GET /oauth/callback`: the answer of an authorization server (AT Protocol, OAuth, Callback). The
/// order of checks is that of docs/decisions/0028; 0062 has the answers that come late, or twice.
struct HandleCallback: Sendable {
    let directory: ProviderDirectory
    let cookies: AttemptCookies
    let late: LateAnswer
    let complete: HandleCompletion
    let pages: HandlePages
    let events: SignInLog
    /// Ten a minute for each attempt, and for each address without one.
    let limit: RateLimiter
    /// States of attempts whose code is being redeemed, or was.
    let redeemed: SeenLately<LimitKey>

    /// The only description of `access_denied` that a person causes: expired and reloaded pages have
    /// the same error.
    private static let refusal = "The user rejected the request"

    func get(_ context: SignInContext) async throws -> Response {
        let live = try directory.liveHandles()
        let answer = try context.query()
        guard let state = answer["state"] else {
            try late.checkRate(limit, of: nil, context)
            return try await late(nil, context)
        }
        let found = try cookies.find(
            HandleAttempt.self,
            state: state,
            context.headers,
            at: context.moment
        )
        try late.checkRate(limit, of: found.attemptID, context)
        switch found {
        case .nothing: return try await late(nil, context)
        case .over(let signInReturn): return try await over(state, nil, signInReturn, context)
        case .attempt(let attempt, let signInReturn):
            return try await finish(answer, attempt, signInReturn, live, context)
        }
    }

    private func finish(
        _ answer: FormParameters,
        _ attempt: HandleAttempt,
        _ signInReturn: SignInReturn,
        _ live: HandleDirectory.Live,
        _ context: SignInContext
    ) async throws -> Response {
        let state = attempt.state.reveal()
        // RFC 9207 §2.4. Another server's answer is ignored, and changes nothing.
        guard let issuer = answer["iss"], sameBytes(issuer, attempt.issuer) else {
            events.handleFailed(.notFinished, context, "iss")
            return pages.failed(.notFinished, attempt, signInReturn, context)
        }
        if let error = answer["error"] {
            guard !redeemed.has(Self.key(state)) else {
                return try await over(state, attempt, signInReturn, context)
            }
            let isRefused =
                sameBytes(error, "access_denied")
                && sameBytes(answer["error_description"] ?? "", Self.refusal)
            let fault: HandleFault = isRefused ? .denied : Self.fault(error, attempt)
            events.handleFailed(fault, context, "error")
            let response = pages.failed(fault, attempt, signInReturn, context)
            // If the person did not refuse, the real answer may still follow.
            return isRefused ? response.adding([cookies.end(state: state)]) : response
        }
        guard let code = answer["code"], 1...4096 ~= code.utf8.count else {
            events.handleFailed(.notFinished, context, "answer")
            return pages.failed(.notFinished, attempt, signInReturn, context)
        }
        guard redeemed.isFirst(Self.key(state)) else {
            return try await over(state, attempt, signInReturn, context)
        }
        let (response, mayComeAgain) = try await redeem(
            SecretText(code),
            attempt,
            signInReturn,
            live,
            context
        )
        return mayComeAgain ? response : response.adding([cookies.end(state: state)])
    }

    /// An end that the person did not choose. `prompt=none` is never sent, so this error says that
    /// another person signed in than `login_hint` names (OpenID Connect Core §3.1.2.6).
    private static func fault(_ error: String, _ attempt: HandleAttempt) -> HandleFault {
        sameBytes(error, OAuthError.Code.loginRequired.rawValue) && attempt.did != nil
            ? .otherAccount(attempt.handle) : .notFinished
    }

    /// - Returns: Whether the same answer may come again, too: nothing was redeemed.
    private func redeem(
        _ code: SecretText,
        _ attempt: HandleAttempt,
        _ signInReturn: SignInReturn,
        _ live: HandleDirectory.Live,
        _ context: SignInContext
    ) async throws -> (Response, mayComeAgain: Bool) {
        let proven: HandleRedemption.Proven
        do throws(HandleRedemption.Failure) {
            proven = try await HandleRedemption(live: live)(code, of: attempt)
        } catch {
            switch error {
            case .fault(let fault):
                events.handleFailed(fault, context, "code")
                return (pages.failed(fault, attempt, signInReturn, context), false)
            case .busy:
                redeemed.forget(Self.key(attempt.state.reveal()))
                events.handleFailed(.busy, context, "code")
                return (pages.failed(.busy, attempt, signInReturn, context), true)
            case .elsewhere(let did, let server):
                events.handleFailed(.notFinished, context, "issuer")
                // Once, and only if the person agrees.
                guard !attempt.isAgain else {
                    return (pages.failed(.notFinished, attempt, signInReturn, context), false)
                }
                return (try pages.again(did, at: server, attempt, signInReturn, context), false)
            }
        }
        return (try await complete(proven, of: attempt, to: signInReturn, live, context), false)
    }

    /// The attempt has expired, or was answered before. A signed-in person continues; no request is
    /// made, and the first answer counts.
    private func over(
        _ state: String,
        _ attempt: HandleAttempt?,
        _ signInReturn: SignInReturn,
        _ context: SignInContext
    ) async throws -> Response {
        switch signInReturn.destination {
        case .web(let path, _):
            if try await late.sessions.ifAny(context) != nil {
                return pages.responder.go(to: path, context)
            }
        case .app: if redeemed.has(Self.key(state)) { return pages.answered(signInReturn, context) }
        case .link: break
        }
        events.handleFailed(.expired, context, "late")
        return pages.failed(.expired, attempt, signInReturn, context)
    }

    private static func key(_ state: String) -> LimitKey { LimitKey("handle", state) }
}
