import PorticoBytes
import PorticoProtocol

extension Session {
    /// Ends the session: first locally, so that it is over even without a network, then at the
    /// provider (OpenID Connect RP-Initiated Logout §6), by way of ``SignInMethod/standard``.
    ///
    /// - Parameter scope: How much is ended.
    @discardableResult
    public func signOut(_ scope: SignOutScope = .everything) async -> SignOutReport {
        await signOut(scope, using: .standard)
    }

    /// Ends the session as ``signOut(_:)`` does, and shows the provider's sign-out page where the
    /// person signed in.
    ///
    /// A session that shares the tokens of another one ends locally only: the other one goes on.
    ///
    /// - Parameters:
    ///   - scope: How much is ended.
    ///   - method: A sheet closes when the provider returns to the client's redirect, which must be
    ///     registered as `post_logout_redirect_uri` too.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using method: SignInMethod
    ) async -> SignOutReport {
        await signOut(scope) { end in
            do throws(SignInError) {
                return switch try method.signOutKind(for: end.client.redirect) {
                case .loopback(let loopback): await end.end(in: loopback.browser, returnPath: nil)
                case .sheet(let sheet): await end.end(in: sheet)
                }
            } catch {
                return .failed(error)
            }
        }
    }

    /// Ends the session as ``signOut(_:)`` does, and shows the provider's sign-out page in a
    /// browser.
    ///
    /// - Parameters:
    ///   - scope: How much is ended.
    ///   - browser: Shows the provider's sign-out page. A background request from the app would
    ///     lack the browser's cookies and could not end anything.
    ///   - returnPath: A loopback path that is registered at the provider as
    ///     `post_logout_redirect_uri`; the report can then show whether the browser came back.
    ///   - timeout: How long to wait for the browser.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using browser: any ExternalBrowser,
        returnPath: String? = nil,
        timeout: Duration = .seconds(60)
    ) async -> SignOutReport {
        await signOut(scope) {
            await $0.end(in: browser, returnPath: returnPath, timeout: timeout)
        }
    }

    private func signOut(
        _ scope: SignOutScope,
        in show: (EndSession) async -> SignOutReport.BrowserSession
    ) async -> SignOutReport {
        let latest = await latestRecord()
        let shown = end(.signedOut)
        let unwritten = takeUnwritten(of: shown)
        let storageError = await clearStorage(of: latest ?? shown)
        guard let record = unwritten ?? latest ?? shown else {
            return SignOutReport(
                revocation: .notAsked,
                browserSession: .notAsked,
                storageError: storageError
            )
        }
        let scope = record.isShared ? .local : scope
        var revocation = SignOutReport.Revocation.notAsked
        if scope.revokes {
            revocation = await RevocationEndpoint.revoke(record, at: provider, for: client)
        }
        var browserSession: SignOutReport.BrowserSession = .notAsked
        if scope.endsBrowserSession {
            browserSession = await show(
                EndSession(provider: provider, client: client, idToken: record.idToken.text)
            )
        }
        return SignOutReport(
            revocation: revocation,
            browserSession: browserSession,
            storageError: storageError
        )
    }
}
