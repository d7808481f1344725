package import PorticoBytes

/// Notes when sessions are used, and tells the store about many at once: at most one write per
/// session in five minutes, and none within a request. A refresh, which writes anyway,
/// notes the use of its browser session itself (``GrantStore/rotate(_:sessionIdle:spending:at:)``).
package final class SessionActivity<ID: Hashable & Sendable>: Sendable {
    private let touch: @Sendable ([(id: ID, at: Int64)]) async throws -> Void
    private let seen = Locked<[ID: Int64]>([:])

    /// How stale the stored time may become, in seconds. Idle limits are lengthened by as much.
    package static var precision: Int64 { 300 }
    /// More sessions than this between two flushes are written late, never lost for the person:
    /// their next use is noted again.
    private static var most: Int { 100_000 }

    private init(_ touch: @escaping @Sendable ([(id: ID, at: Int64)]) async throws -> Void) {
        self.touch = touch
    }

    /// - Parameters:
    ///   - lastSeenAt: What the store knows.
    ///   - now: Seconds since 1970.
    package func note(_ id: ID, lastSeenAt: Int64, at now: Int64) {
        guard now - lastSeenAt >= Self.precision else { return }
        seen.withLock { seen in
            guard seen.count < Self.most || seen[id] != nil else { return }
            seen[id] = now
        }
    }

    /// Writes what was noted since the last time. Called every few seconds, and at the end. What
    /// cannot be written now is kept for the next time.
    package func flush() async throws {
        let batch = seen.withLock { seen in
            defer { seen = [:] }
            return seen
        }
        guard !batch.isEmpty else { return }
        do {
            try await touch(batch.map { (id: $0.key, at: $0.value) })
        } catch {
            // The next time, with what is noted until then.
            seen.withLock { $0.merge(batch, uniquingKeysWith: max) }
            throw error
        }
    }
}

extension SessionActivity {
    /// Of the Provider's sessions.
    package convenience init(sessions: BrowserSessionStore) where ID == String {
        self.init { try await sessions.touch($0) }
    }

    /// Of the backend's sessions.
    package convenience init(accounts: AccountStore) where ID == UniqueID {
        self.init { try await accounts.touch($0) }
    }
}
