extension SignInMethod {
    /// Opens a sign-in's address and waits for the answer on a loopback port, which is always
    /// closed at the end (RFC 8252 §7.3, §8.3).
    ///
    /// - Parameters:
    ///   - redirect: Must be a loopback redirect.
    ///   - begin: Called with the redirect URI of the open port.
    ///   - name: Who signed in, for the page at the end.
    func run<Attempt: SignInUnderWay>(
        by loopback: Loopback,
        on redirect: Redirect,
        name: (Attempt.Result) -> String?,
        begin: (_ redirectURI: String) async throws(SignInError) -> Attempt
    ) async throws(SignInError) -> Attempt.Result {
        guard case .loopback(let path, let port) = redirect.kind else {
            throw SignInError(.misconfigured(.redirectNotLoopback))
        }
        let receiver = try LoopbackReceiver(path: path, port: port)
        defer { receiver.close() }
        let attempt = try await begin(receiver.redirectURI)
        loopback.pasted?.attach { receiver.offer($0) }
        defer { loopback.pasted?.attach(nil) }
        try await receiver.response(
            timeout: loopback.timeout,
            opening: attempt.address,
            in: loopback.browser
        ) {
            attempt.receive($0) == nil
        }
        do throws(SignInError) {
            let result = try await attempt.finish()
            await receiver.finish(.signedIn(as: name(result)))
            return result
        } catch {
            await receiver.finish(.failed(error.description))
            throw error
        }
    }
}
