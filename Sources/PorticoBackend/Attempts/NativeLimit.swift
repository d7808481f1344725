import Portico
import PorticoBytes
import PorticoWeb

/// How often an address may sign in with a platform's tokens (WEB-BRUTE-2): as often as it may
/// begin sign-ins (``StartLimit``), for no browser is known, and less often with tokens that are
/// refused.
struct NativeLimit: Sendable {
    let starts: RateLimiter
    let refused: RateLimiter

    /// - Parameter step: What begins.
    func take(_ step: String, _ context: BackendContext) throws(BackendError) {
        let now = context.moment.now
        // What waits for this begins nothing, and does not count as a start.
        try expect(refused.check(key(context), at: now))
        try expect(starts.take(nil, LimitKey("native", step, context.address), at: now))
    }

    private func expect(_ verdict: RateLimiter.Verdict) throws(BackendError) {
        guard case .wait(let seconds) = verdict else { return }
        throw BackendError(.rateLimited, "Too many attempts.", retryAfter: seconds)
    }

    func countRefusal(_ context: BackendContext) {
        refused.countFailure(key(context), at: context.moment.now)
    }

    /// Counts a token that its provider does not vouch for, but not one that it could not be asked
    /// about.
    func count(_ error: SignInError, _ context: BackendContext) {
        if case .transient = error.kind { return }
        countRefusal(context)
    }

    private func key(_ context: BackendContext) -> LimitKey {
        LimitKey("refused token", context.address)
    }
}
