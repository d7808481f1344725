import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("PersonStore: what apps were allowed", .everyDatabase) struct ConnectedAppsContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private func apps(_ stores: TestDatabase, at now: Int64 = Example.now) async throws
        -> [ConnectedApp]
    {
        try await stores.people.connectedApps(of: "person-ann", realmID: "realm-1", at: now)
    }

    private func disconnect(_ stores: TestDatabase, _ client: String = "client-uuid")
        async throws -> Change
    {
        try await stores.people.disconnect(
            client,
            from: "person-ann",
            realmID: "realm-1",
            at: Example.now + 1
        )
    }

    @Test("a client that was allowed something, or has a live grant, is told once with all of it")
    func told() async throws {
        #expect(try await apps(stores).isEmpty)
        try await stores.people.allow(
            Scope(tokens: ["openid", "email"]),
            to: "client-uuid",
            by: "person-ann",
            at: Example.now - 10
        )
        var expected = ConnectedApp(
            clientID: "client-uuid",
            scope: Scope(tokens: ["openid", "email"]),
            allowedAt: Example.now - 10,
            lastUsedAt: nil
        )
        #expect(try await apps(stores) == [expected])
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        expected.scope = Scope(tokens: ["openid", "email", "profile"])
        expected.lastUsedAt = Example.now
        #expect(try await apps(stores) == [expected])
        let elsewhere = try await stores.people.connectedApps(
            of: "person-ann",
            realmID: "realm-2",
            at: Example.now
        )
        #expect(elsewhere.isEmpty)
        let others = try await stores.people.connectedApps(
            of: "person-bob",
            realmID: "realm-1",
            at: Example.now
        )
        #expect(others.isEmpty)
    }

    @Test("a grant that is dead is not told; one that outlives its session is")
    func live() async throws {
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        #expect(try await apps(stores).count == 1)
        #expect(try await apps(stores, at: Example.now + 1800).isEmpty)
        var offline = Example.grant(Example.id(2))
        offline.isOffline = true
        offline.expiresAt = nil
        offline.idleSeconds = 1_000_000
        #expect(try await stores.redeem(offline, request: Example.id(8)) == .redeemed)
        let end = try await stores.sessions.end(
            id: "session-1",
            realmID: "realm-1",
            at: Example.now
        )
        #expect(end == .changed)
        #expect(try await apps(stores, at: Example.now + 5000).count == 1)
        try await stores.sessions.purge(before: Example.now + 100)
        #expect(try await apps(stores, at: Example.now + 5000).count == 1)
        _ = try await stores.people.setPassword(
            PasswordHash(encoded: "new"),
            of: "person-ann",
            at: Example.now
        )
        #expect(try await apps(stores, at: Example.now + 5000).isEmpty)
    }

    @Test(
        "what is taken back is forgotten, and its grants are dead; other clients' and sessions stay"
    )
    func takenBack() async throws {
        var other = Example.client
        other.id = "client-2"
        other.clientID = "other"
        _ = try await stores.realms.create(other)
        for client in ["client-uuid", "client-2"] {
            try await stores.people.allow(
                Scope(tokens: ["openid"]),
                to: client,
                by: "person-ann",
                at: Example.now
            )
        }
        let online = Example.grant()
        var offline = Example.grant(Example.id(2))
        offline.isOffline = true
        var others = Example.grant(Example.id(3))
        others.clientID = "client-2"
        for (number, grant) in [online, offline, others].enumerated() {
            let request = Example.id(UInt8(10 + number))
            #expect(try await stores.redeem(grant, request: request) == .redeemed)
        }
        #expect(try await disconnect(stores) == .changed)
        for grant in [online, offline] {
            #expect(try await stores.reading(grant.id, at: Example.now + 1)?.isLive == false)
        }
        #expect(try await stores.reading(others.id, at: Example.now + 1)?.isLive == true)
        #expect(try await apps(stores).map(\.clientID) == ["client-2"])
        let consent = try await stores.people.consent(
            personID: "person-ann",
            clientID: "client-uuid"
        )
        #expect(consent == nil)
        #expect(try await stores.liveByCookie() != nil)
        #expect(try await disconnect(stores) == .notFound)
        #expect(try await disconnect(stores, "unknown") == .notFound)
    }

    @Test("codes that a removed client has by then are not redeemed; later ones and others' are")
    func codes() async throws {
        var other = Example.client
        other.id = "client-2"
        other.clientID = "other"
        _ = try await stores.realms.create(other)
        #expect(try await disconnect(stores) == .notFound)
        try await stores.people.allow(
            Scope(tokens: ["openid"]),
            to: "client-uuid",
            by: "person-ann",
            at: Example.now
        )
        #expect(try await disconnect(stores) == .changed)
        let removedAt = Example.now + 1
        let late = Example.grant(Example.id(2))
        for issuedAt in [removedAt - 60, removedAt] {
            let outcome = try await stores.redeem(late, issuedAt: issuedAt, at: removedAt)
            #expect(outcome == .sessionEnded)
        }
        #expect(try await stores.reading(late.id, at: removedAt) == nil)
        var others = Example.grant(Example.id(3))
        others.clientID = "client-2"
        let theirs = try await stores.redeem(
            others,
            request: Example.id(8),
            issuedAt: removedAt,
            at: removedAt
        )
        #expect(theirs == .redeemed)
        let again = try await stores.redeem(late, issuedAt: removedAt + 1, at: removedAt + 1)
        #expect(again == .redeemed)
        // The last removal counts, whatever clock a later one has.
        for time in [removedAt + 5, removedAt] {
            try await stores.people.allow(
                Scope(tokens: ["openid"]),
                to: "client-uuid",
                by: "person-ann",
                at: Example.now
            )
            let change = try await stores.people.disconnect(
                "client-uuid",
                from: "person-ann",
                realmID: "realm-1",
                at: time
            )
            #expect(change == .changed)
        }
        let next = Example.grant(Example.id(4))
        let before = try await stores.redeem(
            next,
            request: Example.id(7),
            issuedAt: removedAt + 2,
            at: removedAt + 6
        )
        #expect(before == .sessionEnded)
        try await stores.people.purgeRemovedApps(before: removedAt + 6)
        let forgotten = try await stores.redeem(
            next,
            request: Example.id(7),
            issuedAt: removedAt + 2,
            at: removedAt + 6
        )
        #expect(forgotten == .redeemed)
    }
}
