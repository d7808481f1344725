import PorticoBytes
package import PorticoStores
import PorticoWeb

/// Which clients were refused and why, until `portico events` can show it.
///
/// Nothing is written within a request: how long an answer takes must not say which clients there
/// are. And strangers fill no database: a client and a reason make one event in ten minutes;
/// unregistered ones are nameless, and one together; a realm makes 300 in an hour at most.
package final class RefusedClients: Sendable {
    private let limit = RateLimiter(
        RateLimit(burst: 1, perMinute: 1.0 / 10),
        .perHour(300)
    )
    private let waiting = Locked<[AuditEvent]>([])

    /// How many wait to be written; what comes beyond is in the log only.
    static let most = 256

    func note(_ unproven: UnprovenClient, _ context: RealmContext) {
        let realm = context.realm.realm
        let key = LimitKey(
            "refused client",
            realm.id,
            unproven.client?.id ?? "",
            unproven.reason.rawValue
        )
        let inAll = LimitKey("refused clients", realm.id)
        guard case .allowed = limit.take(key, inAll, at: context.moment.now) else { return }
        var event = AuditEvent(
            number: 0,
            kind: .clientRefused,
            at: context.now,
            accountID: nil,
            address: context.address
        )
        event.realm = realm.name
        event.client = unproven.client?.clientID
        event.reason = unproven.reason.rawValue
        keep([event])
    }

    /// Writes what waits. Where that fails, it waits on.
    package func flush(into audit: AuditStore) async throws {
        let events = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !events.isEmpty else { return }
        do {
            try await audit.note(events)
        } catch {
            keep(events)
            throw error
        }
    }

    private func keep(_ events: [AuditEvent]) {
        waiting.withLock { $0 += events.prefix(max(0, Self.most - $0.count)) }
    }
}
