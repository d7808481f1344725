import PorticoBytes
package import PorticoStores
package import PorticoSystem
import PorticoWeb

/// What happens in realms, until it is written to the audit trail.
///
/// Nothing is written during a request: it must not slow a sign-in or fail it, and the time of an answer
/// must not reveal which clients exist. And strangers cannot fill the database: of each kind that anyone
/// can cause as often as they like, a realm has at most 300 events in an hour. Of clients that are
/// refused in a realm that does not keep events, a client and a reason make one event in ten minutes;
/// unregistered clients are nameless and count as one.
package final class EventTrail: Sendable {
    private let limit = RateLimiter(.perHour(300))
    private let refusals = RateLimiter(RateLimit(burst: 1, perMinute: 1.0 / 10))
    private let waiting = Locked<[Event]>([])

    /// How many wait to be written; further ones are only logged.
    static let most = 4096

    /// Keeps an event of a realm if it is one to be kept there.
    package func note(_ event: Event, in realm: Realm, at now: Date) {
        guard !event.kind.isOnlyLogged else { return }
        let isWanted = realm.events.keeps(event.kind)
        guard isWanted || event.kind.isOperators else { return }
        if event.kind == .clientRefused, !isWanted {
            let key = LimitKey("refused", realm.id, event.clientID ?? "", event.reason ?? "")
            guard case .allowed = refusals.take(key, at: now) else { return }
        }
        if event.kind.isAnyones {
            let key = LimitKey("events", realm.id, event.kind.rawValue)
            guard case .allowed = limit.take(key, at: now) else { return }
        }
        keep([event])
    }

    /// Writes what is waiting. If that fails, it keeps waiting.
    package func flush(into store: EventStore) async throws {
        let events = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !events.isEmpty else { return }
        do {
            try await store.note(events)
        } catch {
            keep(events)
            throw error
        }
    }

    private func keep(_ events: [Event]) {
        waiting.withLock { $0 += events.prefix(max(0, Self.most - $0.count)) }
    }
}
