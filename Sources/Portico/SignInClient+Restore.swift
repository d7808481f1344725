import PorticoBytes
import PorticoProtocol

/// The result of looking for a stored ``Session``.
public typealias RestoredSession = Restored<Session>

extension SignInClient {
    /// Restores the session of an earlier run without using the network or asking the person.
    ///
    /// A session of another issuer or client counts as no session.
    public func restore() async -> RestoredSession {
        let provider: RemoteProvider
        let stored: SessionRecord?
        do throws(SignInError) {
            provider = try remoteProvider()
            stored = try await context.storage.record()
        } catch {
            guard case .storage(let problem) = error.kind else { return .signedOut }
            return .locked(problem)
        }
        guard let record = stored,
            sameBytes(record.issuer, issuer), sameBytes(record.clientID, clientID),
            provider.issuer.issued(record.idToken.claims)
        else { return .signedOut }
        await provider.learn(record.provider)
        return .signedIn(Session(client: self, provider: provider, record: record))
    }

    /// Stores a new session before the caller gets it.
    func store(_ record: SessionRecord) async throws(SignInError) {
        try await context.storage.replace(with: record)
    }
}
