import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoStores

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
        try await stores.disconnect(client, at: Example.now + 1)
    }

    @Test("a client that was allowed something, or has a live grant, is told once with all of it")
    func told() async throws {
        #expect(try await apps(stores).isEmpty)
        try await stores.allow(["openid", "email"], to: "client-uuid", at: Example.now - 10)
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
        #expect(try await stores.endSession() == .changed)
        #expect(try await apps(stores, at: Example.now + 5000).count == 1)
        try await stores.sessions.purge(before: Example.now + 100)
        #expect(try await apps(stores, at: Example.now + 5000).count == 1)
        _ = try await stores.setPassword(PasswordHash(encoded: "new"))
        #expect(try await apps(stores, at: Example.now + 5000).isEmpty)
    }

    @Test(
        "what is taken back is forgotten, and its grants are dead; other clients' and sessions stay"
    )
    func takenBack() async throws {
        _ = try await stores.realms.create(Example.client2)
        for client in ["client-uuid", "client-2"] {
            try await stores.allow(["openid"], to: client)
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
        #expect(try await stores.consent() == nil)
        #expect(try await stores.liveByCookie() != nil)
        #expect(try await disconnect(stores) == .notFound)
        #expect(try await disconnect(stores, "unknown") == .notFound)
    }

    @Test("codes that a removed client has by then are not redeemed; later ones and others' are")
    func codes() async throws {
        _ = try await stores.realms.create(Example.client2)
        #expect(try await disconnect(stores) == .notFound)
        try await stores.allow(["openid"], to: "client-uuid")
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
            try await stores.allow(["openid"], to: "client-uuid")
            #expect(try await stores.disconnect(at: time) == .changed)
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
