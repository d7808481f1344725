import PorticoBytes
import PorticoProtocol

extension Session {
    /// Ends the session: here first, so that it is over even without a network, then at the
    /// provider (OpenID Connect RP-Initiated Logout §6).
    ///
    /// - Parameters:
    ///   - scope: How far it goes.
    ///   - browser: Shows the provider's sign-out page. A request of our own in the background
    ///     would not have the browser's cookies and could end nothing.
    ///   - returnPath: A loopback path that is registered at the provider as
    ///     `post_logout_redirect_uri`; then the report can tell whether the browser came back.
    ///   - timeout: How long to wait for it.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using browser: any ExternalBrowser = .systemBrowser,
        returnPath: String? = nil,
        timeout: Duration = .seconds(60)
    ) async -> SignOutReport {
        let latest = await latestRecord()
        let shown = end(.signedOut)
        let storageError = await clearStorage(of: latest ?? shown)
        guard let record = latest ?? shown else {
            return SignOutReport(
                revocation: .notAsked,
                browserSession: .notAsked,
                storageError: storageError
            )
        }
        var revocation = SignOutReport.Revocation.notAsked
        if scope.revokes {
            revocation = await RevocationEndpoint.revoke(record, at: provider, for: client)
        }
        var browserSession = SignOutReport.BrowserSession.notAsked
        if scope.endsBrowserSession {
            browserSession = await EndSession(
                provider: provider,
                client: client,
                idToken: record.idToken.text,
                browser: browser
            ).end(returnPath: returnPath, timeout: timeout)
        }
        return SignOutReport(
            revocation: revocation,
            browserSession: browserSession,
            storageError: storageError
        )
    }
}
