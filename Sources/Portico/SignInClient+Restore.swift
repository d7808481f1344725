import PorticoBytes
import PorticoProtocol

/// What an app finds when it starts.
public enum RestoredSession: Sendable {
    /// There is a session. Whether the provider has ended it since shows at the first refresh.
    case signedIn(Session)
    /// There is none, or one of another issuer or client, or none that can be understood.
    case signedOut
    /// A session may be there, but cannot be read now: that is not "signed out".
    case locked(SignInError.StorageProblem)
}

extension SignInClient {
    /// The session of an earlier run. Neither the network nor the person is asked.
    ///
    /// A session of another issuer or client counts as none.
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
            sameBytes(record.idToken.claims.issuer, issuer)
        else { return .signedOut }
        return .signedIn(Session(client: self, provider: provider, record: record))
    }

    /// Stores a new session, before anybody has it.
    func store(_ record: SessionRecord) async throws(SignInError) {
        // A refresh of the session before, in another process, must not overwrite this one.
        let lock = try await context.storage.lock(patience: .seconds(40))
        defer { lock.release() }
        try await context.storage.write(record.serialized())
    }
}
