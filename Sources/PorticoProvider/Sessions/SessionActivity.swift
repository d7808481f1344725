import PorticoBytes
package import PorticoStores

/// Notes when browser sessions are used, and tells the store about many at once: at most one write
/// per session in five minutes, and none within an authorization request (decision 15).
package final class SessionActivity: Sendable {
    private let sessions: any BrowserSessionStore
    private let seen = Locked<[String: Int64]>([:])

    /// How stale the stored time may become, in seconds. Idle limits are lengthened by as much.
    package static let precision: Int64 = 300
    /// More sessions than this between two flushes are written late, never lost for the person:
    /// their next use is noted again.
    private static let most = 100_000

    package init(sessions: any BrowserSessionStore) {
        self.sessions = sessions
    }

    /// - Parameter now: Seconds since 1970.
    func note(_ session: BrowserSession, at now: Int64) {
        guard now - session.lastSeenAt >= Self.precision else { return }
        seen.withLock { seen in
            guard seen.count < Self.most || seen[session.id] != nil else { return }
            seen[session.id] = now
        }
    }

    /// Writes what was noted since the last time. Called every few seconds, and at the end.
    package func flush() async throws {
        let batch = seen.withLock { seen in
            defer { seen = [:] }
            return seen
        }
        guard !batch.isEmpty else { return }
        try await sessions.touch(batch.map { (id: $0.key, at: $0.value) })
    }
}
