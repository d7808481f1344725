import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("RealmEventStore") struct RealmEventContract {
    private func event(
        _ kind: String,
        at: Int64 = 1,
        isAdmin: Bool = false,
        realm: String = "realm-1"
    )
        -> RealmEvent
    {
        RealmEvent(
            realmID: realm,
            isAdmin: isAdmin,
            at: at,
            kind: kind,
            clientID: "app",
            personID: "ann",
            sessionID: "sid",
            address: "192.0.2.1",
            error: "e",
            details: ["a": "b"]
        )
    }

    private func kinds(_ stores: TestDatabase, isAdmin: Bool = false, realm: String = "realm-1")
        async throws -> [String]
    {
        let query = RealmEventQuery(isAdmin: isAdmin)
        return try await stores.realms.events.events(query, realmID: realm, first: 0, limit: 20)
            .map(\.kind)
    }

    @Test(
        "events come back as they are, the latest first, each realm's and each kind's by themselves",
        arguments: StoreUnderTest.allCases
    )
    func kept(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let store = stores.realms.events
        try await store.note([
            event("A"), event("B", at: 2), event("C", isAdmin: true), event("D", realm: "gone"),
        ])
        #expect(try await kinds(stores) == ["B", "A"])
        #expect(try await kinds(stores, isAdmin: true) == ["C"])
        #expect(try await kinds(stores, realm: "gone").isEmpty)
        var query = RealmEventQuery(isAdmin: false)
        query.from = 2
        let found = try await store.events(query, realmID: "realm-1", first: 0, limit: 9)
        var expected = event("B", at: 2)
        expected.number = found.first?.number ?? 0
        #expect(found == [expected])
        try await store.clear(isAdmin: false, before: 2, realmID: "realm-1")
        #expect(try await kinds(stores) == ["B"])
        try await store.clear(isAdmin: false, realmID: "realm-1")
        #expect(try await kinds(stores).isEmpty)
        #expect(try await kinds(stores, isAdmin: true) == ["C"])
    }

    @Test("the oldest make room for the latest", arguments: StoreUnderTest.allCases)
    func bounded(_ database: StoreUnderTest) async throws {
        let stores = try await database.furnished()
        let store = stores.realms.events
        let most = Int(RealmEventStore.most)
        try await store.note([event("FIRST"), event("ADMIN", isAdmin: true)])
        try await store.note((0..<most).map { event("E\($0)") })
        let query = RealmEventQuery(isAdmin: false)
        let all = try await store.events(query, realmID: "realm-1", first: 0, limit: most + 9)
        #expect(all.count == most)
        #expect(all.last?.kind == "E0" && all.first?.kind == "E\(most - 1)")
        #expect(try await kinds(stores, isAdmin: true) == ["ADMIN"])
    }
}
