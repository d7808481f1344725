import PorticoBytes

/// Stands in for browser and redirect at every sign-in and sign-out of a client, in the tests of an
/// app (PorticoTesting). No browser is started and no port opened.
package protocol ScriptedBrowser: Sendable {
    /// Shows an address, and waits for the person.
    ///
    /// - Returns: The URI that the browser is sent to at the end; `nil` if the page stays open.
    /// - Throws: cancelled if the person closed the browser or took too long.
    func show(_ address: String) async throws(SignInError) -> String?
}

extension ScriptedBrowser {
    func finish<Attempt: SignInUnderWay>(_ attempt: Attempt) async throws(SignInError)
        -> Attempt.Result
    {
        guard let callback = try await show(attempt.address) else {
            throw SignInError(.cancelled(.timedOut))
        }
        if let refusal = attempt.receive(callback) { throw SignInError(.rejected(refusal)) }
        return try await attempt.finish()
    }
}

extension Redirect {
    /// The redirect URI where nothing waits for an answer. A loopback port is not opened.
    var scriptedURI: String {
        switch kind {
        case .loopback(let path, _): Self.scriptedLoopback(path)
        case .uri(let uri): uri
        }
    }

    static func scriptedLoopback(_ path: String) -> String {
        "http://127.0.0.1:49152\(path)"
    }
}
