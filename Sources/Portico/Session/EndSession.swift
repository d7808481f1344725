import PorticoBytes
import PorticoProtocol

/// Sends the browser to the provider's end session endpoint (OpenID Connect RP-Initiated Logout
/// §2).
struct EndSession: Sendable {
    let provider: RemoteProvider
    let client: SignInClient
    let idToken: SecretText

    /// - Parameter returnPath: `nil` does not wait for the browser.
    func end(
        in browser: any ExternalBrowser,
        returnPath: String?,
        timeout: Duration = .seconds(60)
    ) async -> SignOutReport.BrowserSession {
        await end { endpoint throws(SignInError) in
            if let scripted = client.context.browser {
                let uri = returnPath.map(Redirect.scriptedLoopback)
                return try await end(in: scripted, endpoint, returningTo: uri)
            }
            guard let returnPath else {
                try await open(address(endpoint, returningTo: nil), in: browser)
                return .pageOpened
            }
            let receiver = try LoopbackReceiver(path: returnPath)
            defer { receiver.close() }
            let state = newState()
            let address = address(endpoint, returningTo: (receiver.redirectURI, state))
            try await receiver.response(timeout: timeout, opening: address, in: browser) {
                Self.isReturn($0, state)
            }
            await receiver.finish(.signedOut)
            return .ended
        }
    }

    /// Shows the page in a sheet, until it returns to the client's redirect.
    func end(in sheet: any BrowserSheet) async -> SignOutReport.BrowserSession {
        await end { endpoint throws(SignInError) in
            if let scripted = client.context.browser {
                let uri = client.redirect.scriptedURI
                return try await end(in: scripted, endpoint, returningTo: uri)
            }
            let (uri, ending) = try client.redirect.target(of: sheet)
            let state = newState()
            let address = address(endpoint, returningTo: (uri, state))
            do throws(SignInError) {
                let callback = try await sheet.uri(after: address, until: ending)
                // The sheet is gone. Whatever caused another return, the page was shown.
                return Self.isReturn(callback, state) ? .ended : .pageOpened
            } catch {
                // Whether the session has ended by then is not known.
                guard error == SignInError(.cancelled(.user)) else { throw error }
                return .pageOpened
            }
        }
    }

    private func end(
        by showing: (_ endpoint: String) async throws(SignInError) -> SignOutReport.BrowserSession
    ) async -> SignOutReport.BrowserSession {
        do throws(SignInError) {
            guard let endpoint = try await provider.metadata().endSessionEndpoint else {
                return .notOffered
            }
            return try await showing(endpoint)
        } catch {
            return .failed(error)
        }
    }

    private func end(
        in scripted: any ScriptedBrowser,
        _ endpoint: String,
        returningTo uri: String?
    ) async throws(SignInError) -> SignOutReport.BrowserSession {
        let target = uri.map { (uri: $0, state: newState()) }
        let address = address(endpoint, returningTo: target)
        return try await scripted.show(address) == nil ? .pageOpened : .ended
    }

    private func newState() -> SecretText {
        SecretText(client.context.random.text(16))
    }

    /// A return with another state does not belong to this sign-out (§3).
    private static func isReturn(_ callback: String, _ state: SecretText) -> Bool {
        let query = callback.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        // `try?`: parameters that cannot be decoded have no state.
        let parameters = try? FormParameters(decoding: query)
        let given = try? parameters?.value("state")
        return given.map { state == SecretText($0) } ?? false
    }

    private func open(_ address: String, in browser: any ExternalBrowser)
        async throws(SignInError)
    {
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
