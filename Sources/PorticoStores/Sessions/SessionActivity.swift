import PorticoBytes

/// Notes when sessions are used, and tells the store about many at once: at most one write per
/// session in five minutes, and none within a request. A refresh, which writes anyway,
/// notes the use of its browser session itself (``GrantStore/rotate(_:sessionIdle:spending:at:)``).
package final class SessionActivity: Sendable {
    private let sessions: SessionStore
    private let seen = Locked<[String: Int64]>([:])

    /// How stale the stored time may become, in seconds. Idle limits are lengthened by as much.
    package static let precision: Int64 = 300
    /// More sessions than this between two flushes are written late, never lost for the person:
    /// their next use is noted again.
    private static let most = 100_000

    package init(_ sessions: SessionStore) {
        self.sessions = sessions
    }

    /// - Parameters:
    ///   - lastSeenAt: What the store knows.
    ///   - now: Seconds since 1970.
    package func note(_ id: String, lastSeenAt: Int64, at now: Int64) {
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
            try await sessions.touch(batch.map { (id: $0.key, at: $0.value) })
        } catch {
            // The next time, with what is noted until then.
            seen.withLock { $0.merge(batch, uniquingKeysWith: max) }
            throw error
        }
    }
}
