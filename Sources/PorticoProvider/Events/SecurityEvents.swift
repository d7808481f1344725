package import Logging
import PorticoBytes
import PorticoProtocol
package import PorticoStores
package import PorticoSystem
import PorticoWeb

/// Security events of realms: a line of the log each, and a row of the audit trail where one is kept
/// (``EventTrail``). They name the event, the person, the client and the address; never a token, code,
/// password or cookie (OWASP ASVS 16.3).
package struct SecurityEvents: Sendable {
    private let logger: Logger
    private let trail: EventTrail?

    package init(logger: Logger, trail: EventTrail? = nil) {
        self.logger = logger
        self.trail = trail
    }

    /// The one description of an event, for the log and the trail. What people type into forms is no
    /// part of it: neither names, which may be passwords, nor addresses, nor ids of unknown clients.
    ///
    /// - Parameter client: A `client_id`.
    func note(
        _ kind: Event.Kind,
        _ context: RealmContext,
        person: String? = nil,
        session: String? = nil,
        grant: UniqueID? = nil,
        client: String? = nil,
        reason: String? = nil,
        details: JSONObject = [:]
    ) {
        var event = Event(kind, at: context.moment.milliseconds, realmID: context.realm.id)
        event.realm = context.realm.name
        event.subjectID = person
        event.sessionID = session
        event.clientID = client
        event.address = context.address
        event.reason = reason
        event.details = details
        event.details["grant"] = grant.map { .string($0.text) }
        trail?.note(event, in: context.realm.realm, at: context.moment.now)
        log(event, request: context.requestID)
    }

    /// A person ended their other sessions.
    func signedOutElsewhere(_ live: LiveSession, _ count: Int, _ context: RealmContext) {
        note(
            .signedOutElsewhere,
            context,
            person: live.person.id,
            session: live.session.id,
            details: ["sessions": .string("\(count)")]
        )
    }

    /// A spent code or refresh token was presented again by its own client.
    func replayed(_ replay: ReplayRefusal, _ client: Client, _ context: RealmContext) {
        let kind: Event.Kind =
            switch replay.subject {
            case .code: .codeReplayed
            case .refreshToken: .refreshReplayed
            case .subjectToken: .subjectTokenReplayed
            case .oldRefreshToken: .swapReplayed
            }
        note(kind, context, of: replay.grant, client: client.clientID)
    }

    /// A token would be longer than any that is taken back: the operator must shorten what a mapper writes.
    func notIssued(_ token: TokenTooLong, _ context: RealmContext) {
        var details: JSONObject = [
            "token": .string(token.token.rawValue), "claim": .string(token.claim),
            "bytes": .string("\(token.bytes)"),
        ]
        details["mapper"] = token.mapper.map(JSONValue.string)
        note(.tokenTooLong, context, details: details)
    }

    /// A client with a document asked for permissions that are unknown here: it does not get them.
    func scopeLeftOut(_ tokens: [String], _ client: Client, _ context: RealmContext) {
        let scope = String(tokens.joined(separator: " ").prefix(512))
        note(.scopeLeftOut, context, client: client.clientID, details: ["scope": .string(scope)])
    }

    /// - Parameter client: The `client_id` of the grant.
    func note(_ kind: Event.Kind, _ context: RealmContext, of grant: Grant, client: String) {
        note(
            kind,
            context,
            person: grant.personID,
            session: grant.sessionID,
            grant: grant.id,
            client: client,
            details: ["offline": .string(grant.isOffline ? "true" : "false")]
        )
    }

    // MARK: Without a request to a realm

    /// As commands and the log's own times have it.
    private static func time(_ seconds: Int64) -> String {
        guard (0...253_402_300_799).contains(seconds) else { return "\(seconds)" }
        return Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
    }

    /// The command line changed a realm's signing keys; requests never do.
    package func keysChanged(_ change: RealmDirectory.KeyChange) {
        var event: Event
        switch change.kind {
        case .published(let activeFrom):
            event = Event(.keyPublished, at: 0)
            event.details["signs_from"] = .string(Self.time(activeFrom))
        case .broughtForward(let activeFrom):
            event = Event(.keyBroughtForward, at: 0)
            event.details["signs_from"] = .string(Self.time(activeFrom))
        case .removed: event = Event(.keyRemoved, at: 0)
        }
        event.realm = change.realm
        event.details["kid"] = .string(change.keyID)
        log(event)
    }

    /// A client was notified that a session is over.
    func logoutDelivered(_ delivery: LogoutDelivery, _ realm: String, _ client: Client) {
        log(self.event(.logoutDelivered, of: delivery, realm: realm, client: client.clientID))
    }

    /// A client was not notified: for the administrator. The person is signed out anyway, and
    /// cannot change it. Logged once at the first failure and once at the end.
    func logoutNotDelivered(
        _ delivery: LogoutDelivery,
        realm: String?,
        client: String?,
        because reason: String,
        isGivenUp: Bool
    ) {
        var event = self.event(
            isGivenUp ? .logoutGivenUp : .logoutFailed,
            of: delivery,
            realm: realm ?? delivery.realmID,
            client: client ?? delivery.clientID
        )
        event.reason = reason
        log(event, level: isGivenUp ? .error : .warning)
    }

    private func event(
        _ kind: Event.Kind,
        of delivery: LogoutDelivery,
        realm: String,
        client: String
    ) -> Event {
        var event = Event(kind, at: 0, realmID: delivery.realmID)
        event.realm = realm
        event.clientID = client
        event.subjectID = delivery.personID
        event.sessionID = delivery.sessionID
        event.details["attempt"] = .string("\(delivery.attempts)")
        return event
    }

    /// A client's document was fetched; or it, or its key set, is unreachable or no good.
    ///
    /// - Parameter address: Of the request that it was fetched for.
    func documentFetched(
        _ site: ClientIDAddress,
        realm: String,
        for address: String,
        error: OAuthError? = nil
    ) {
        var event = Event(error == nil ? .documentFetched : .documentRefused, at: 0)
        event.realm = realm
        event.clientID = site.text
        event.address = address
        event.reason = error?.description
        log(event)
    }

    private func log(_ event: Event, request: String? = nil, level: Logger.Level = .notice) {
        var metadata = event.logged
        metadata["request"] = request.map { .string($0) }
        logger.log(level: level, "security event", metadata: metadata)
    }

    /// A person was sent back to the app for something that only the operator can mend.
    func sentBack(_ error: OAuthError, _ context: RealmContext) {
        logger.warning(
            "sign-in is not possible",
            metadata: [
                "request": .string(context.requestID),
                "realm": .string(context.realm.name),
                "reason": .string(error.description),
            ]
        )
    }

    /// An unexpected error.
    func failed(_ error: any Error, _ context: RealmContext) {
        logger.error(
            "unexpected error",
            metadata: [
                "request": .string(context.requestID),
                "realm": .string(context.realm.name),
                "kind": .string("\(type(of: error))"),
            ]
        )
    }
}

extension Event {
    /// What a line of the log has of it. A client that is refused and not registered is `-`.
    fileprivate var logged: Logger.Metadata {
        var metadata: Logger.Metadata = ["event": .string(kind.rawValue)]
        for (name, value) in [
            ("realm", realm), ("sub", subjectID), ("sid", sessionID), ("address", address),
            ("client", clientID ?? (kind == .clientRefused ? "-" : nil)), ("reason", reason),
        ] {
            metadata[name] = value.map { .string($0) }
        }
        for (name, value) in details { metadata[name] = value.string.map { .string($0) } }
        return metadata
    }
}

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
