import PorticoBytes
import PorticoProtocol

/// A session that shares the tokens of another one in this process, such as an SDK's session with
/// the app's: two that rotate one refresh token would sign each other out (RFC 9700 §4.14.2).
extension Session {
    /// Until a sign-in of its own gave it tokens of its own (``stepUp(_:using:)``).
    var isRenewedElsewhere: Bool {
        // `try?`: a session that has ended is renewed nowhere.
        source != nil && (try? activeRecord())?.isShared == true
    }

    func renewedElsewhere(
        _ stored: SessionRecord,
        for goal: RefreshGoal,
        under lock: SessionLock
    ) async throws(SignInError) -> SessionRecord? {
        guard let source, stored.isShared else { return nil }
        let renewed: SessionRecord
        do throws(SignInError) {
            renewed = try await source.record(for: goal)
        } catch {
            guard case .interactionRequired(let ending) = error.kind, !source.isActive else {
                throw error
            }
            end(ending)
            try await lock.hold { () throws(SignInError) in try await storage.remove() }
            throw error
        }
        let fresh = stored.sharing(renewed)
        try await storeResult(fresh, replacing: nil, under: lock)
        return fresh
    }

    private func record(for goal: RefreshGoal) async throws(SignInError) -> SessionRecord {
        switch goal {
        case .freshness(.usual): return try await freshRecord()
        case .freshness(.lasting(let seconds)): return try await freshRecord(for: .seconds(seconds))
        case .replacement(let used):
            let record = try activeRecord()
            guard record.accessToken == used else { return record }
            return try await refresher.record(of: self, for: goal)
        }
    }
}

extension SessionRecord {
    /// The record with the tokens of another session, except the one that renews them.
    func sharing(_ other: SessionRecord) -> SessionRecord {
        var record = self
        record.accessToken = other.accessToken
        record.dpopKey = other.dpopKey
        record.receivedAt = other.receivedAt
        record.expiresAt = other.expiresAt
        record.idToken = other.idToken
        record.scope = other.scope
        record.provider = other.provider
        record.refreshToken = nil
        record.pending = nil
        record.isShared = true
        return record
    }
}
