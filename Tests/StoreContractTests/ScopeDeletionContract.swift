import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("RealmStore: a client scope that is deleted", .everyDatabase) struct ScopeDeletionContract {
    private static let scope = ClientScope(id: "scope-1", realmID: "realm-1", name: "team.x")

    /// A grant of that client, and Ann's consent to it.
    private func give(
        _ stores: TestDatabase,
        _ number: UInt8,
        _ clientID: String,
        _ scope: [String]
    ) async throws {
        var grant = Example.grant(Example.id(number))
        grant.clientID = clientID
        grant.scope = Scope(tokens: scope)
        grant.claims = #"{"id_token":{"email":null,"name":null},"userinfo":{"email":null}}"#
        #expect(try await stores.redeem(grant, request: Example.fresh()) == .redeemed)
        try await stores.people.allow(
            Scope(tokens: scope),
            to: clientID,
            by: "person-ann",
            at: Example.now
        )
    }

    @Test("takes its name out of grants and consents of all clients")
    func forgotten() async throws {
        let stores = try await StoreUnderTest.furnished()
        var moved = Example.client
        moved.id = "moved-uuid"
        moved.clientID = "moved"
        moved.becomeImported()
        #expect(try await stores.realms.create(moved) == .created)
        #expect(try await stores.realms.create(Self.scope) == .created)
        // Of two names one is never a part of the other, nor a pattern.
        let all = ["openid", "team.x", "team.x2", "my-team.x", "teamXx"]
        try await give(stores, 1, "moved-uuid", all)
        try await give(stores, 2, "client-uuid", all)
        try await give(stores, 3, "moved-uuid", ["openid", "team"])
        func read(_ number: UInt8) async throws -> GrantReading {
            try #require(
                try await stores.grants.grant(
                    id: Example.id(number),
                    realmID: "realm-1",
                    at: Example.now
                )
            )
        }
        #expect(try await read(1).allowed?.contains("team.x") == true)
        #expect(try await stores.realms.deleteScope(id: "scope-1", realmID: "realm-2") == .notFound)
        let deletion = try await stores.realms.deleteScope(
            id: "scope-1",
            realmID: "realm-1",
            claims: ["email"]
        )
        #expect(deletion == .changed)
        let left = all.filter { $0 != "team.x" }
        #expect(try await read(1).grant.scope.tokens == left)
        #expect(try await read(1).allowed?.tokens == left + ["team"])
        #expect(try await read(1).grant.claims == #"{"id_token":{"name":null}}"#)
        #expect(try await read(3).grant.scope.tokens == ["openid", "team"])
        #expect(try await read(2).grant.scope.tokens == left)
        #expect(try await read(2).allowed?.tokens == left)
        #expect(try await read(2).grant.claims == #"{"id_token":{"name":null}}"#)
        #expect(try await read(1).isLive)
    }

    @Test("a grant is read with what its person has allowed its client, and no other")
    func allowed() async throws {
        let stores = try await StoreUnderTest.furnished()
        #expect(try await stores.redeem(Example.grant()) == .redeemed)
        func reading() async throws -> GrantReading? {
            try await stores.grants.grant(
                id: Example.grant().id,
                realmID: "realm-1",
                at: Example.now
            )
        }
        #expect(try await reading()?.allowed == nil)
        #expect(try await reading()?.exchangedBy == nil)
        #expect(try await reading()?.isRequested == true)
        try await stores.people.allow(.none, to: "client-uuid", by: "person-ann", at: Example.now)
        #expect(try await reading()?.allowed == Scope.none)
        let email = Scope(tokens: ["email"])
        try await stores.people.allow(email, to: "client-uuid", by: "person-ann", at: Example.now)
        #expect(try await reading()?.allowed == email)
    }
}
