import PorticoBytes
import PorticoProtocol
@testable import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Clients are looked up, and a bounded number of them is held") struct ClientLookupTests {
    private let scene: Scene
    private let realm: LiveRealm

    init() async throws {
        scene = try await Scene()
        realm = try scene.realm
    }

    /// Two processes that serve one store.
    private struct Scene {
        let server: ProviderUnderTest
        let other: RealmDirectory
        let number: Int

        init(clients: Int = 0, most: Int = ClientCache.most) async throws {
            number = clients
            server = try await ProviderUnderTest { new in
                guard var client = new.clients.first(where: { $0.clientID == "native1" }) else {
                    return
                }
                for index in 0..<clients {
                    client.id = "00000000-0000-4000-8000-" + "\(100_000_000_000 + index)"
                    client.clientID = "app-\(index)"
                    new.clients.append(client)
                }
            }
            other = try await RealmDirectory(
                store: server.database.realms,
                ring: TestRealm.ring,
                clients: ClientCache(most: most)
            )
        }

        var realm: LiveRealm {
            get throws { try #require(other.realm(named: "test")) }
        }

        func change(_ clientID: String, _ change: (inout Client) -> Void) async throws {
            let realms = server.database.realms
            let kept = try await realms.client(.clientID(clientID), realmID: try realm.id)
            var client = try #require(kept)
            change(&client)
            #expect(try await realms.update(client) == .changed)
        }
    }

    @Test("a start reads no client, however many there are")
    func start() async throws {
        let scene = try await Scene(clients: 10_000)
        #expect(scene.other.clients.size.clients == 0)
        #expect(try await scene.realm.client(clientID: "app-9999")?.clientID == "app-9999")
        #expect(scene.other.clients.size.clients == 1)
    }

    @Test("what clients take is bounded, and the least recently used goes first")
    func bounded() async throws {
        let most = 500_000
        let scene = try await Scene(clients: 400, most: most)
        let realm = try scene.realm
        for index in 0..<scene.number {
            #expect(try await realm.client(clientID: "app-\(index)") != nil)
            // In use all the time.
            #expect(try await realm.client(clientID: "app-0") != nil)
            #expect(scene.other.clients.size.bytes <= most)
        }
        let size = scene.other.clients.size
        #expect(size.clients > 10 && size.clients < 200, "\(size)")
        func isKept(_ clientID: String) -> Bool {
            let key = ClientCache.Key(.clientID(clientID), realm: realm.generation)
            return scene.other.clients.kept(key) != nil
        }
        #expect(isKept("app-0") && isKept("app-399"))
        #expect(!isKept("app-1"))
    }

    @Test("what is made of a client for its scopes counts, and is bounded")
    func views() async throws {
        let client = try #require(try await realm.client(clientID: "native1"))
        let before = scene.other.clients.size.bytes
        for index in 0..<64 {
            let names = ["profile", "email", "roles", "phone", "address", "offline_access"]
            let scope = Scope(
                tokens: names.indices.filter { index >> $0 & 1 == 1 }.map { names[$0] }
            )
            _ = try await realm.view(of: client, scope: scope, roles: [])
        }
        let size = scene.other.clients.size
        #expect(size.clients == 1 && size.bytes > before && size.bytes < before + 200_000)
    }

    @Test("what no one registered is never kept")
    func unknown() async throws {
        for index in 0..<100 { #expect(try await realm.client(clientID: "no-\(index)") == nil) }
        let long = String(repeating: "x", count: ClientCache.longestName + 1)
        #expect(try await realm.client(clientID: long) == nil)
        #expect(scene.other.clients.size == (0, 0))
        var client = try #require(try await realm.client(clientID: "native1"))
        client.id = UniqueID(random: .system).text
        client.clientID = "no-7"
        #expect(try await scene.server.database.realms.create(client) == .created)
        #expect(try await realm.client(clientID: "no-7") != nil, "and is there at once")
    }

    @Test("what another process changed, disabled or deleted is seen after the next look")
    func changed() async throws {
        let id = try #require(try await realm.client(clientID: "native1")).id
        try await scene.change("native1") { $0.name = "Renamed" }
        #expect(try await realm.client(clientID: "native1")?.name != "Renamed")
        try await scene.other.refresh()
        #expect(try await realm.client(clientID: "native1")?.name == "Renamed")
        #expect(try scene.realm === realm, "a change of a client makes no realm anew")
        try await scene.change("native1") { $0.isEnabled = false }
        try await scene.other.refresh()
        #expect(try await realm.client(clientID: "native1") == nil)
        #expect(try await realm.disabledClient(clientID: "native1")?.id == id)
        #expect(try await realm.client(uuid: id)?.isEnabled == false)
        #expect(try await scene.server.database.realms.deleteClient(id: id) == .changed)
        try await scene.other.refresh()
        #expect(try await realm.client(uuid: id) == nil)
        #expect(try await realm.disabledClient(clientID: "native1") == nil)
    }

    @Test("a realm that changed has what follows from it for its clients, too")
    func changedRealm() async throws {
        let scene = try await Scene()
        let former = try scene.realm
        let client = try #require(try await former.client(clientID: "native1"))
        #expect(former.live(client).mappers.isEmpty)
        var realm = former.realm
        realm.mappers = [ClaimMapper(.fixedClaim("acme"), "tenant")]
        #expect(try await scene.server.database.realms.update(realm) == .changed)
        try await scene.other.refresh()
        #expect(scene.other.clients.size.clients == 0)
        let now = try scene.realm
        #expect(now !== former)
        _ = try await now.client(clientID: "native1")
        #expect(now.live(client).mappers.count == 1)
        // A request that began before reads, and leaves nothing behind.
        #expect(try await former.client(clientID: "web1") != nil)
        #expect(scene.other.clients.size.clients == 1)
    }

    @Test("a read that began before a change never brings the former client back")
    func race() async throws {
        for round in 1...100 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<5 { _ = try await realm.client(clientID: "native1") }
                    }
                }
                group.addTask {
                    try await scene.change("native1") { $0.name = "Round \(round)" }
                    try await scene.other.refresh()
                    #expect(try await realm.client(clientID: "native1")?.name == "Round \(round)")
                }
                try await group.waitForAll()
            }
            #expect(try await realm.client(clientID: "native1")?.name == "Round \(round)")
        }
    }

    @Test("a reading from before a change that is known is used, and not kept")
    func lateReading() async throws {
        let cache = scene.other.clients
        let store = scene.server.database.realms
        let key = ClientCache.Key(.clientID("native1"), realm: realm.generation)
        let late = try await store.reading(of: .clientID("native1"), realmID: realm.id)
        try await scene.change("native1") { $0.name = "New" }
        try await scene.other.refresh()
        let client = try await cache.client(key, { late }) { found in
            CachedClient(found, live: realm.live(found.client))
        }
        #expect(client != nil && client?.client.name != "New")
        #expect(cache.kept(key) == nil)
        #expect(try await realm.client(clientID: "native1")?.name == "New")
    }

    @Test("many who ask at once for a client share one read")
    func shared() async throws {
        let (reads, asked) = (Locked(0), Locked(0))
        let store = scene.server.database.realms
        let key = ClientCache.Key(.clientID("native1"), realm: realm.generation)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    asked.withLock { $0 += 1 }
                    return try await scene.other.clients.client(key) {
                        reads.withLock { $0 += 1 }
                        while asked.withLock({ $0 }) < 50 { await Task.yield() }
                        return try await store.reading(of: .clientID("native1"), realmID: realm.id)
                    } make: {
                        CachedClient($0, live: realm.live($0.client))
                    }?.client.clientID
                }
            }
            for try await clientID in group { #expect(clientID == "native1") }
        }
        #expect(reads.withLock { $0 } == 1)
    }
}
