import PorticoBytes
import PorticoProtocol

/// The result of looking for a stored session.
public enum RestoredSession: Sendable {
    /// A session is stored. If the provider has ended it since, the first refresh finds out.
    case signedIn(Session)
    /// No session is stored, or it belongs to another issuer or client, or it cannot be parsed.
    case signedOut
    /// A session may be stored but cannot be read now. This is not "signed out".
    case locked(SignInError.StorageProblem)
}

extension SignInClient {
    /// Restores the session of an earlier run without using the network or asking the person.
    ///
    /// A session of another issuer or client counts as no session.
    public func restore() async -> RestoredSession {
        let provider: RemoteProvider
        let bytes: [UInt8]?
        do throws(SignInError) {
            provider = try remoteProvider()
            bytes = try await context.storage.read()
        } catch {
            guard case .storage(let problem) = error.kind else { return .signedOut }
            return .locked(problem)
        }
        guard let record = bytes.flatMap(SessionRecord.init),
            sameBytes(record.issuer, issuer), sameBytes(record.clientID, clientID),
            provider.issuer.issued(record.idToken.claims)
        else { return .signedOut }
        await provider.learn(record.provider)
        return .signedIn(Session(client: self, provider: provider, record: record))
    }

    /// Stores a new session before the caller gets it.
    func store(_ record: SessionRecord) async throws(SignInError) {
        // Must not be overwritten by another process that refreshes the previous session.
        let lock = try await context.storage.lock(patience: .seconds(40))
        defer { lock.release() }
        try await context.storage.write(record.serialized())
    }
}
