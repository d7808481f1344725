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

    /// As stored: another process may have refreshed since, and its refresh token is the live one.
    private func latestRecord() async -> SessionRecord? {
        // `try?`: what cannot be read is no reason to stay signed in.
        guard let current = try? activeRecord(),
            let bytes = try? await client.context.storage.read(),
            let stored = SessionRecord(bytes), stored.isOf(current)
        else { return nil }
        return stored
    }

    /// Removes at once what is stored, and once more under the lock: a refresh in another process
    /// may have been about to write.
    private func clearStorage(of record: SessionRecord?) async -> SignInError? {
        let storage = client.context.storage
        guard let record else { return nil }
        do throws(SignInError) {
            try await removeStored(record)
            let lock: SessionLock
            do throws(SignInError) {
                lock = try await storage.lock(patience: .seconds(5))
            } catch {
                // Whoever holds it for so long reads the storage again before it writes.
                return nil
            }
            defer { lock.release() }
            try await removeStored(record)
            return nil
        } catch {
            return error
        }
    }

    /// Only this sign-in's record: another may have begun.
    private func removeStored(_ record: SessionRecord) async throws(SignInError) {
        let storage = client.context.storage
        guard let bytes = try await storage.read() else { return }
        if let stored = SessionRecord(bytes), !stored.isOf(record) { return }
        try await storage.remove()
    }
}
