import PorticoBytes

extension LoopbackReceiver {
    /// Opens `address` in `browser` and waits for the answer.
    ///
    /// Does not wait for the browser itself: a browser that stays until it has shown the final page
    /// would wait for us.
    ///
    /// - Throws: What the browser or the wait threw; the port is then closed.
    func response(
        timeout: Duration,
        opening address: String,
        in browser: any ExternalBrowser,
        isAwaited: @escaping @Sendable (String) -> Bool
    ) async throws(SignInError) {
        let failure = Locked<SignInError?>(nil)
        let opening = Task {
            do {
                try await browser.open(address)
            } catch {
                failure.withLock { $0 = SignInError(opening: error) }
                close()
            }
        }
        defer { opening.cancel() }
        do {
            try await response(timeout: timeout, isAwaited: isAwaited)
        } catch {
            throw failure.withLock { $0 } ?? error
        }
    }
}

extension SignInError {
    /// The error for what a browser threw.
    init(opening error: any Error) {
        if let error = error as? SignInError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled(.program))
        } else {
            self.init(.misconfigured(.noBrowser))
        }
    }
}
