import HTTPTypes
package import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// Notifies clients that a session is over (OpenID Connect Back-Channel Logout §2.5), separately
/// from requests, so that no page waits for it.
///
/// A client that does not answer, or answers with an error, is notified again after growing delays,
/// and finally no more.
package final class BackchannelLogout: Sendable {
    private let deliveries: LogoutDeliveryStore
    private let realms: RealmDirectory
    private let transport: any HTTPTransport
    private let events: SecurityEvents
    private let clock: Clock
    private let state = Locked(State())

    private struct State {
        var rounds = 0
        /// Whether another round was requested.
        var isAsked = false
    }

    /// The limits for one client's answer, which is read and discarded.
    private static let limits = HTTPLimits(bytes: 64 * 1024, seconds: 5)
    /// How long after the first, second, … failed attempt the next one follows, in seconds. After
    /// the last, there is no other.
    package static let delays: [Int64] = [10, 60, 300, 1800, 7200]
    /// A delivery of a process that died is taken again after this many seconds.
    private static let lease: Int64 = 300
    /// Clients notified at one time; each gets its notices one after the other.
    private static let lanes = 16
    /// Rounds at one time: a slow client occupies one of them.
    private static let mostRounds = 4
    /// Deliveries taken at one time.
    private static let batch = 500
    /// When the rest of a slow client's deliveries is left for the next round, in seconds, so that
    /// the others do not wait for them.
    private static let patience: Int64 = 10

    package init(
        deliveries: LogoutDeliveryStore,
        realms: RealmDirectory,
        transport: any HTTPTransport,
        events: SecurityEvents,
        clock: Clock
    ) {
        self.deliveries = deliveries
        self.realms = realms
        self.transport = transport
        self.events = events
        self.clock = clock
    }

    /// Begins a round now, and returns at once. The next regular round reports any error.
    package func wake() {
        Task {
            do {
                try await round()
            } catch {}
        }
    }

    /// Notifies every client that is due. If enough rounds are running, the first to end runs once
    /// more.
    package func round() async throws {
        guard begin() else { return }
        do {
            repeat { try await batch() } while goesOn()
        } catch {
            state.withLock { $0.rounds -= 1 }
            throw error
        }
    }

    private func begin() -> Bool {
        state.withLock { state in
            guard state.rounds < Self.mostRounds else {
                state.isAsked = true
                return false
            }
            state.rounds += 1
            return true
        }
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            defer { state.isAsked = false }
            if !state.isAsked { state.rounds -= 1 }
            return state.isAsked
        }
    }

    private func batch() async throws {
        let now = clock.moment().seconds
        let claimed = try await deliveries.claim(
            at: now,
            until: now + Self.lease,
            limit: Self.batch
        )
        guard !claimed.isEmpty else { return }
        // A client's address may be newer than this process has read.
        for change in try await realms.refresh() { events.keysChanged(change) }
        let lanes = Dictionary(grouping: claimed, by: \.clientID).values
        let outcomes = await withTaskGroup(of: [Outcome].self) { group in
            var waiting = lanes.makeIterator()
            for _ in 0..<Self.lanes {
                guard let lane = waiting.next() else { break }
                group.addTask { await self.tell(lane) }
            }
            var outcomes: [Outcome] = []
            while let told = await group.next() {
                outcomes += told
                guard let lane = waiting.next() else { continue }
                group.addTask { await self.tell(lane) }
            }
            return outcomes
        }
        try await settle(outcomes)
    }

    private struct Outcome: Sendable {
        let delivery: LogoutDelivery
        /// `nil`: done.
        let nextAt: Int64?
    }

    private func settle(_ outcomes: [Outcome]) async throws {
        try await deliveries.settle(
            outcomes.filter { $0.nextAt == nil }.map(\.delivery),
            postponing: outcomes.compactMap { outcome in
                outcome.nextAt.map { (outcome.delivery, $0) }
            }
        )
    }

    /// Sends one client its notices. After a failure the rest is not tried: it would fail too.
    private func tell(_ lane: [LogoutDelivery]) async -> [Outcome] {
        let begin = clock.moment().seconds
        var outcomes: [Outcome] = []
        var hasFailed = false
        for delivery in lane {
            let now = clock.moment().seconds
            if !hasFailed, now - begin >= Self.patience {
                var untried = delivery
                untried.attempts -= 1
                outcomes.append(Outcome(delivery: untried, nextAt: now))
                continue
            }
            let failure = hasFailed ? nil : await attempt(delivery)
            if failure == nil, !hasFailed {
                outcomes.append(Outcome(delivery: delivery, nextAt: nil))
                continue
            }
            hasFailed = true
            outcomes.append(await again(delivery, failure))
        }
        return outcomes
    }

    /// When a delivery that failed is tried again.
    private func again(_ delivery: LogoutDelivery, _ failure: Failure?) async -> Outcome {
        let tried = max(1, Int(clamping: delivery.attempts))
        let realm = realms.realm(id: delivery.realmID)
        // `try?`: it is for the log.
        let clientID = try? await realm?.client(uuid: delivery.clientID)?.clientID
        let isLast = tried > Self.delays.count
        if isLast || failure != nil && tried == 1 {
            events.logoutNotDelivered(
                delivery,
                realm: realm?.realm.name,
                client: clientID,
                because: failure?.words ?? "An earlier attempt has just failed.",
                isGivenUp: isLast
            )
        }
        let now = clock.moment().seconds
        return Outcome(delivery: delivery, nextAt: isLast ? nil : now + Self.delays[tried - 1])
    }

    private struct Failure: Sendable {
        let words: String
    }

    /// - Returns: `nil` if the client has been notified, or no longer needs to be.
    private func attempt(_ delivery: LogoutDelivery) async -> Failure? {
        guard let realm = realms.realm(id: delivery.realmID) else {
            return Failure(words: "The realm is disabled.")
        }
        let client: Client?
        do {
            client = try await realm.client(uuid: delivery.clientID)
        } catch {
            return Failure(words: "The client could not be read.")
        }
        guard let client, let address = client.backchannelLogoutURI else { return nil }
        let token = LogoutToken(realm: realm, client: client, delivery: delivery)
        do {
            let text = try token.signed(at: clock.moment())
            var request = HTTPRequest(.post, to: address)
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            let reply = try await transport.send(
                request,
                body: FormEncoding.encode([(name: "logout_token", value: text)]),
                limits: Self.limits
            )
            // §2.8: 200; some frameworks turn an empty one into 204.
            guard [200, 204].contains(reply.response.status.code) else {
                return Failure(words: "It answered \(reply.response.status.code).")
            }
        } catch let error as HTTPTransportError {
            return Failure(words: error.description)
        } catch {
            return Failure(words: "No logout token could be made.")
        }
        events.logoutDelivered(delivery, realm.realm.name, client)
        return nil
    }
}

/// The token that notifies a client that a session is over (OpenID Connect Back-Channel Logout
/// §2.4).
struct LogoutToken: Sendable {
    let realm: LiveRealm
    let client: Client
    let delivery: LogoutDelivery

    /// How long a client may accept it, in seconds: at most two minutes.
    static let lifetime: Int64 = 120
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Signed like the client's ID Tokens; with a new `jti` each time, because an attempt that got
    /// no answer must not look like a replay.
    ///
    /// - Throws: if the realm has no active key for the client's algorithm.
    func signed(at moment: Moment) throws -> String {
        guard let key = realm.idTokenKey(for: client, at: moment.seconds) else {
            throw OAuthError(.serverError, "The realm has no active key of this algorithm.")
        }
        // No `nonce`: neither must be mistaken for the other, this or an ID Token.
        let claims: JSONObject = [
            "iss": .string(realm.realm.issuer),
            "sub": .string(realm.subject(of: delivery.personID, for: client)),
            "aud": .string(client.clientID),
            "iat": .integer(moment.seconds),
            "exp": .integer(moment.seconds + Self.lifetime),
            "jti": .string(moment.random.text(16)),
            "events": .object([Self.event: .object([:])]),
            "sid": .string(delivery.sessionID),
        ]
        return try key.sign(claims: claims, type: .logoutToken)
    }
}
