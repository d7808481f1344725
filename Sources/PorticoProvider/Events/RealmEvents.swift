package import PorticoBytes
import PorticoProtocol
package import PorticoStores
import PorticoSystem
import PorticoWeb

/// What happens in a realm that keeps events (``Realm/EventPolicy``), until it is written for those who
/// administer it.
///
/// Nothing is written during a request, and strangers cannot fill the database: of what anyone can
/// cause, as often as they like, a realm has at most 300 events in an hour, and
/// ``RealmEventStore/most`` in all. What administrators do waits in a queue of its own.
package final class RealmEvents: Sendable {
    private let limit = RateLimiter(.perHour(300))
    private let waiting = Locked<[RealmEvent]>([])
    private let waitingOfAdministrators = Locked<[RealmEvent]>([])

    /// How many wait to be written in each queue; further ones are only logged.
    static let most = 4096

    /// - Parameters:
    ///   - event: As it is logged.
    ///   - facts: `sub`, `sid`, `client` (a `client_id`), `reason`.
    func note(_ event: String, _ context: RealmContext, _ facts: [String: String]) {
        guard let word = Self.words[event == "replay" ? "replay \(facts["what"] ?? "")" : event],
            context.realm.realm.events.keepsSignIns,
            context.realm.realm.events.kinds.isEmpty
                || context.realm.realm.events.kinds.contains(word.kind)
        else { return }
        if word.isAnyones {
            let key = LimitKey("realm events", context.realm.id)
            guard case .allowed = limit.take(key, at: context.moment.now) else { return }
        }
        keep([
            RealmEvent(
                realmID: context.realm.id,
                isAdmin: false,
                at: Self.milliseconds(context.moment),
                kind: word.kind,
                clientID: facts["client"].flatMap { $0 == "-" ? nil : $0 },
                personID: facts["sub"],
                sessionID: facts["sid"],
                address: context.address,
                error: word.error,
                details: facts["reason"].map { ["reason": .string($0)] } ?? [:]
            )
        ])
    }

    /// Keeps what an administrator did.
    package func note(_ event: RealmEvent, in realm: LiveRealm) {
        guard realm.realm.events.keepsAdministration else { return }
        keep([event])
    }

    package static func milliseconds(_ moment: Moment) -> Int64 {
        Int64(exactly: (moment.now.timeIntervalSince1970 * 1000).rounded(.down)) ?? 0
    }

    /// Writes what is waiting. If that fails, it keeps waiting.
    package func flush(into store: RealmEventStore) async throws {
        let events = [waitingOfAdministrators, waiting].flatMap { queue in
            queue.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
        }
        guard !events.isEmpty else { return }
        do {
            try await store.note(events)
        } catch {
            keep(events)
            throw error
        }
    }

    /// Events of a realm from before are over. `now` in seconds, the
    /// answer in milliseconds since 1970.
    package static func start(in realm: LiveRealm, at now: Int64) -> Int64? {
        guard let seconds = realm.realm.events.lifetime, seconds > 0, seconds <= now else {
            return nil
        }
        return (now - seconds) * 1000
    }

    /// Removes what is over. `now` in seconds since 1970.
    package static func expire(
        _ realms: RealmDirectory,
        in store: RealmEventStore,
        at now: Int64
    ) async throws {
        for realm in realms.kept {
            guard let start = start(in: realm, at: now) else { continue }
            try await store.clear(isAdmin: false, before: start, realmID: realm.id)
        }
    }

    private func keep(_ events: [RealmEvent]) {
        for (queue, isAdmin) in [(waitingOfAdministrators, true), (waiting, false)] {
            let own = events.filter { $0.isAdmin == isAdmin }
            queue.withLock { $0 += own.prefix(max(0, Self.most - $0.count)) }
        }
    }

    private struct Word: Sendable {
        let kind: String
        var error: String?
        /// Whether someone who is not known causes it, or anyone as often as they like.
        var isAnyones = false
    }

    /// The words of events (`EventType`, `Errors`) for what is logged.
    private static let words: [String: Word] = [
        "sign_in.ok": Word(kind: "LOGIN"),
        "sign_in.failed": Word(
            kind: "LOGIN_ERROR",
            error: "invalid_user_credentials",
            isAnyones: true
        ),
        "sign_in.second_step_failed": Word(
            kind: "LOGIN_ERROR",
            error: "invalid_user_credentials",
            isAnyones: true
        ),
        "second_factor.added": Word(kind: "UPDATE_TOTP"),
        "second_factor.removed": Word(kind: "REMOVE_TOTP"),
        "registration.ok": Word(kind: "REGISTER"),
        "consent.given": Word(kind: "GRANT_CONSENT"),
        "consent.removed": Word(kind: "REVOKE_GRANT"),
        "token.revoked": Word(kind: "REVOKE_GRANT", isAnyones: true),
        "password.reset_asked": Word(kind: "SEND_RESET_PASSWORD", isAnyones: true),
        "password.reset": Word(kind: "RESET_PASSWORD"),
        "password.changed": Word(kind: "UPDATE_PASSWORD"),
        "email.confirmed": Word(kind: "VERIFY_EMAIL"),
        "sign_out": Word(kind: "LOGOUT"),
        "client.refused": Word(
            kind: "CLIENT_LOGIN_ERROR",
            error: "invalid_client_credentials",
            isAnyones: true
        ),
        "replay code": Word(kind: "CODE_TO_TOKEN_ERROR", error: "invalid_code", isAnyones: true),
        "replay refresh_token": replayedToken,
        "replay old_refresh_token": replayedToken,
    ]

    private static let replayedToken = Word(
        kind: "REFRESH_TOKEN_ERROR",
        error: "invalid_token",
        isAnyones: true
    )

    /// The kinds that there are, for those who choose among them.
    package static let kinds = Set(words.values.map(\.kind)).sorted()
}
