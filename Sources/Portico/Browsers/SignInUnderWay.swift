/// A pending sign-in, at a provider or at a backend.
protocol SignInUnderWay: Sendable {
    associatedtype Result: Sendable

    var address: String { get }

    /// The address for showing the same attempt once more.
    func addressAgain() async throws(SignInError) -> String

    /// - Returns: Why the URI is ignored, or `nil` if it was the answer, successful or not.
    func receive(_ callback: String) -> SignInError.Check?

    func finish() async throws(SignInError) -> Result
}

extension SignInUnderWay {
    func addressAgain() async throws(SignInError) -> String { address }
}

extension SignInMethod {
    /// Runs a sign-in from the redirect URI to its result.
    ///
    /// - Parameters:
    ///   - name: Who signed in, for the page at the end of a loopback redirect.
    ///   - begin: Called with the redirect URI of this attempt.
    func run<Attempt: SignInUnderWay>(
        on redirect: Redirect,
        name: (Attempt.Result) -> String?,
        begin: (_ redirectURI: String) async throws(SignInError) -> Attempt
    ) async throws(SignInError) -> Attempt.Result {
        switch try kind(for: redirect) {
        case .loopback(let loopback):
            try await run(by: loopback, on: redirect, name: name, begin: begin)
        case .sheet(let sheet):
            try await run(in: sheet, on: redirect, begin: begin)
        }
    }
}
