import PorticoBytes
package import PorticoStores
import PorticoWeb

/// Which clients were refused and why, until it is written for `portico events`.
///
/// Nothing is written during a request: the time of an answer must not reveal which clients exist.
/// And strangers must not fill the database: a client and a reason make one event in ten minutes;
/// unregistered clients are nameless and count as one; a realm has at most 300 events in an hour.
package final class RefusedClients: Sendable {
    private let limit = RateLimiter(
        RateLimit(burst: 1, perMinute: 1.0 / 10),
        .perHour(300)
    )
    private let waiting = Locked<[AuditEvent]>([])

    /// How many wait to be written; further ones are only logged.
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

    /// Writes what is waiting. If that fails, it keeps waiting.
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
