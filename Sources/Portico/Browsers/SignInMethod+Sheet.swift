extension SignInMethod {
    /// Shows a sign-in's address in `sheet` until the answer is there (RFC 8252 §7.1, §7.2).
    ///
    /// A sheet closes with the first URI that it is redirected to, by any page. One that is not
    /// the answer does not end the attempt (§8.9, §8.10): the sheet is shown once more.
    ///
    /// - Parameter begin: Called with the redirect URI that the sheet closes on.
    func run<Attempt: SignInUnderWay>(
        in sheet: any BrowserSheet,
        on redirect: Redirect,
        begin: (_ redirectURI: String) async throws(SignInError) -> Attempt
    ) async throws(SignInError) -> Attempt.Result {
        let (redirectURI, ending) = try redirect.target(of: sheet)
        let attempt = try await begin(redirectURI)
        let first = try await sheet.uri(after: attempt.address, until: ending)
        guard attempt.receive(first) != nil else { return try await attempt.finish() }
        let again = try await attempt.addressAgain()
        let second = try await sheet.uri(after: again, until: ending)
        if let refusal = attempt.receive(second) { throw SignInError(.rejected(refusal)) }
        return try await attempt.finish()
    }
}

extension BrowserSheet {
    /// The URI that the sheet closed with. A cancelled task shows nothing.
    func uri(after address: String, until ending: SheetEnding) async throws(SignInError) -> String {
        guard !Task.isCancelled else { throw SignInError(.cancelled(.program)) }
        return try await show(address, until: ending)
    }
}
