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

/// How much a sign-out ends.
public struct SignOutScope: Hashable, Sendable {
    let revokes: Bool
    let endsBrowserSession: Bool

    /// Deletes the local session.
    public static let local = SignOutScope(revokes: false, endsBrowserSession: false)
    /// Also revokes its tokens at the provider (RFC 7009).
    public static let tokens = SignOutScope(revokes: true, endsBrowserSession: false)
    /// Also opens the provider's sign-out page in the browser (OpenID Connect RP-Initiated Logout).
    public static let everything = SignOutScope(revokes: true, endsBrowserSession: true)
}

/// The outcome of a sign-out. Even if a remote step fails, the local session is over.
public struct SignOutReport: Sendable {
    /// The outcome for the tokens at the provider (RFC 7009).
    public enum Revocation: Hashable, Sendable {
        /// The provider has revoked them.
        case revoked
        /// The scope of the sign-out did not include it, or there was nothing to revoke.
        case notAsked
        /// The provider has no revocation endpoint, and tokens live until they expire; or the backend
        /// does not end a person's other sessions by this one.
        case notOffered
        /// Revocation failed; the tokens live until they expire.
        case failed(SignInError)
    }

    /// The outcome for the single sign-on session in the browser (OpenID Connect RP-Initiated
    /// Logout).
    public enum BrowserSession: Hashable, Sendable {
        /// The provider sent the browser back: its session is over.
        case ended
        /// The provider's page was opened; the person decides on it whether the session ends, or has
        /// closed it.
        case pageOpened
        /// The scope of the sign-out did not include it.
        case notAsked
        /// The provider has no end session endpoint.
        case notOffered
        /// Sign-out failed; the browser may still be signed in at the provider.
        case failed(SignInError)
    }

    /// The outcome for the tokens at the provider.
    public let revocation: Revocation
    /// The outcome for the single sign-on session in the browser.
    public let browserSession: BrowserSession
    /// `nil` if nothing is left in the storage.
    public let storageError: SignInError?

    /// Whether the provider has revoked the tokens.
    public var revoked: Bool { revocation == .revoked }
    /// Whether the browser came back from the provider's sign-out.
    public var browserSessionEnded: Bool { browserSession == .ended }
    /// Whether nothing is left in the storage.
    public var localCleared: Bool { storageError == nil }
}
