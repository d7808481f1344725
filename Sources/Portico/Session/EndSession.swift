import PorticoBytes
import PorticoProtocol

/// Sends the browser to the provider's end session endpoint (OpenID Connect RP-Initiated Logout
/// §2).
struct EndSession: Sendable {
    let provider: RemoteProvider
    let client: SignInClient
    let idToken: SecretText
    let browser: any ExternalBrowser

    func end(returnPath: String?, timeout: Duration) async -> SignOutReport.BrowserSession {
        do throws(SignInError) {
            guard let endpoint = try await provider.metadata().endSessionEndpoint else {
                return .notOffered
            }
            if let scripted = client.context.browser {
                let state = SecretText(client.context.random.text(16))
                let target = returnPath.map { (uri: Redirect.scriptedLoopback($0), state: state) }
                let address = address(endpoint, returningTo: target)
                return try await scripted.visit(address) == nil ? .pageOpened : .ended
            }
            guard let returnPath else {
                try await open(address(endpoint, returningTo: nil))
                return .pageOpened
            }
            return try await roundTrip(endpoint, returnPath, timeout)
        } catch {
            return .failed(error)
        }
    }

    private func roundTrip(_ endpoint: String, _ path: String, _ timeout: Duration)
        async throws(SignInError) -> SignOutReport.BrowserSession
    {
        let receiver = try LoopbackReceiver(path: path)
        defer { receiver.close() }
        let state = SecretText(client.context.random.text(16))
        let uri = receiver.redirectURI
        let address = address(endpoint, returningTo: (uri, state))
        try await receiver.response(timeout: timeout, opening: address, in: browser) { callback in
            // A return with another state does not belong to this sign-out (§3).
            let query = callback.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
            // `try?`: parameters that cannot be decoded have no state.
            let parameters = try? FormParameters(decoding: query)
            let given = try? parameters?.value("state")
            return given.map { state == SecretText($0) } ?? false
        }
        await receiver.finish(.signedOut)
        return .ended
    }

    private func open(_ address: String) async throws(SignInError) {
        do {
            try await browser.open(address)
        } catch {
            throw SignInError(opening: error)
        }
    }

    private func address(_ endpoint: String, returningTo target: (uri: String, state: SecretText)?)
        -> String
    {
        var parameters: [(name: String, value: String)] = [
            ("id_token_hint", idToken.reveal()),
            ("client_id", client.clientID),
        ]
        if let target {
            parameters.append(("post_logout_redirect_uri", target.uri))
            parameters.append(("state", target.state.reveal()))
        }
        return FormEncoding.appending(parameters, to: endpoint)
    }
}
