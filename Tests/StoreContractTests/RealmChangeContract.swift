import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("RealmStore: what changed, and looking clients up", .everyDatabase)
struct RealmChangeContract {
    private let stores: TestDatabase

    init() async throws { stores = try await StoreUnderTest.furnished() }

    private var realms: RealmStore { stores.realms }

    private func client(_ name: String, in realm: String = "realm-1") -> Client {
        var client = Example.client
        client.id = "id of \(name)"
        client.clientID = name
        client.realmID = realm
        return client
    }

    @Test("there is no news of what is known")
    func nothing() async throws {
        let all = try #require(try await realms.news(after: nil))
        #expect(all.isAfresh && all.realms.map(\.realm) == [Example.realm])
        #expect(all.realms[0].keys == [Example.key])
        #expect(try await realms.news(after: all.number) == nil)
    }

    @Test("a client that is registered is one line, and no realm")
    func registered() async throws {
        let before = try await realms.lastChange()
        #expect(try await realms.create(client("new")) == .created)
        let news = try #require(try await realms.news(after: before))
        #expect(!news.isAfresh && news.realms.isEmpty && news.gone.isEmpty)
        #expect(news.number == before + 1)
        #expect(news.clients.map(\.clientID) == ["id of new"])
        #expect(news.clients.map(\.realmID) == ["realm-1"])
    }

    @Test("a change of a realm is news of that realm alone")
    func oneRealm() async throws {
        let other = Example.realm2
        #expect(try await realms.create(NewRealm(realm: other, keys: [])) == .created)
        let before = try await realms.lastChange()
        var changed = other
        changed.displayName = "Changed"
        #expect(try await realms.update(changed) == .changed)
        #expect(try await realms.create(client("new")) == .created)
        let news = try #require(try await realms.news(after: before))
        #expect(news.realms.map(\.realm) == [changed])
        #expect(news.clients.map(\.realmID) == ["realm-1"])
        #expect(try await realms.deleteRealm(id: "realm-2") == .changed)
        let last = try #require(try await realms.news(after: news.number))
        #expect(last.realms.isEmpty && last.gone == ["realm-2"])
    }

    @Test("with a client's roles its realm changes")
    func deletion() async throws {
        #expect(try await realms.create(client("plain")) == .created)
        var before = try await realms.lastChange()
        #expect(try await realms.deleteClient(id: "id of plain") == .changed)
        let plain = try #require(try await realms.news(after: before))
        #expect(plain.realms.isEmpty && plain.clients.map(\.clientID) == ["id of plain"])
        before = plain.number
        #expect(try await realms.deleteClient(id: Example.client.id) == .changed)
        #expect(try await realms.news(after: before)?.realms.map(\.realm) == [Example.realm])
    }

    @Test("with a client that others hand their sign-in on to, the others change")
    func target() async throws {
        #expect(try await realms.create(client("target")) == .created)
        var source = client("source")
        source.loginTokenTargets = [LoginTokenTarget(clientID: "target")]
        #expect(try await realms.create(source) == .created)
        let before = try await realms.lastChange()
        #expect(try await realms.deleteClient(id: "id of target") == .changed)
        #expect(try await realms.news(after: before)?.realms.map(\.realm) == [Example.realm])
    }

    @Test("a part that is kept of a realm is a change, and so is its end")
    func part() async throws {
        let part = RealmPart(realmID: "realm-1", kind: "kind", id: "part", document: [:])
        let before = try await realms.lastChange()
        try await realms.put(part)
        let kept = try #require(try await realms.news(after: before))
        #expect(kept.number == before + 1 && kept.realms.map(\.realm) == [Example.realm])
        #expect(try await realms.deletePart("kind", id: "part", realmID: "realm-1") == .changed)
        #expect(try await realms.news(after: kept.number)?.realms.map(\.realm) == [Example.realm])
    }

    @Test("the log is bounded, and a reader of before starts afresh")
    func trimmed() async throws {
        let first = try await realms.lastChange()
        for _ in 0..<RealmStore.mostChanges { _ = try await realms.update(Example.client) }
        let news = try #require(try await realms.news(after: first))
        #expect(news.isAfresh && news.realms.map(\.realm) == [Example.realm])
        #expect(try await realms.news(after: first + 1)?.isAfresh == false)
        // As of a database that was put back from a copy.
        #expect(try await realms.news(after: news.number + 5)?.isAfresh == true)
    }

    @Test("numbers have no gap, however many write at once")
    func numbers() async throws {
        let before = try await realms.lastChange()
        let answers = try await concurrently(40) { index in
            try await realms.create(client("client-\(index)"))
        }
        #expect(answers.count(of: .created) == 40)
        let news = try #require(try await realms.news(after: before))
        #expect(news.clients.map(\.number) == (before + 1...before + 40).map(\.self))
    }

    @Test("a client is found by either name, in its realm only")
    func names() async throws {
        var limited = client("limited")
        limited.seesAllRoles = false
        #expect(try await realms.create(limited) == .created)
        let role = RoleName(clientID: nil, name: "admin")
        let limit = RoleLimit(owner: .client(limited.id), role: role)
        #expect(try await realms.set(limit, to: true, realmID: "realm-1") == .changed)
        let number = try await realms.lastChange()
        for name in [ClientName.clientID("limited"), .id(limited.id)] {
            let reading = try await realms.reading(of: name, realmID: "realm-1")
            #expect(reading.found?.client == limited && reading.found?.limits == [role])
            #expect(reading.number == number)
            #expect(try await realms.client(name, realmID: "realm-2") == nil)
        }
        #expect(try await realms.reading(of: .clientID("none"), realmID: "realm-1").found == nil)
        #expect(try await realms.hasClient("limited", realmID: "realm-1"))
        #expect(try await !realms.hasClient("Limited", realmID: "realm-1"))
    }

    @Test("clients are listed by page, in the order of their bytes")
    func pages() async throws {
        #expect(try await realms.deleteClient(id: Example.client.id) == .changed)
        for name in ["b", "a", "Z", "c"] { _ = try await realms.create(client(name)) }
        let page = try await realms.clients(realmID: "realm-1", after: "Z", limit: 2)
        #expect(page.map(\.clientID) == ["a", "b"])
        let wanted = try await realms.clients(realmID: "realm-1", first: 1, most: 1) {
            $0.clientID != "a"
        }
        #expect(wanted.map(\.clientID) == ["b"])
        #expect(try await realms.clientCount(realmID: "realm-1") == 4)
    }

    @Test("Fetch §3.2: an origin is found as long as an enabled client has registered it")
    func origins() async throws {
        let origin = "https://app.example"
        #expect(try await realms.origin(origin, realmID: "realm-1") == nil)
        var page = client("page")
        page.webOrigins = [origin, "+"]
        page.redirectURIs = [RedirectURI("https://other.example/callback")]
        #expect(try await realms.create(page) == .created)
        func found(_ origin: String) async throws -> RegisteredOrigin? {
            try await realms.origin(origin, realmID: "realm-1")
        }
        #expect(try await found(origin)?.isKnown == true)
        #expect(try await found(origin)?.sendsCookies == false)
        #expect(try await found(origin)?.isAnyKnown == false)
        #expect(try await found("https://other.example")?.isKnown == true)
        #expect(try await found("https://evil.example")?.isKnown == false)
        page.compatibility = [.credentials]
        page.webOrigins = [origin, "*"]
        #expect(try await realms.update(page) == .changed)
        #expect(try await found(origin)?.sendsCookies == true)
        #expect(try await found("https://other.example")?.isKnown == false)
        #expect(try await found("https://other.example")?.isAnyKnown == true)
        #expect(try await realms.originsWithCookies(realmID: "realm-1", limit: 9) == [origin])
        page.isEnabled = false
        #expect(try await realms.update(page) == .changed)
        #expect(try await found(origin) == nil)
        #expect(try await realms.originsWithCookies(realmID: "realm-1", limit: 9).isEmpty)
    }

    @Test("RFC 8252 §7.1: clients are found by a private-use scheme, in any case of its letters")
    func schemes() async throws {
        var app = client("app")
        app.redirectURIs = [RedirectURI("com.EXAMPLE.shared:/callback")]
        #expect(try await realms.create(app) == .created)
        let scheme = "com.example.shared"
        #expect(try await realms.clients(withScheme: scheme, realmID: "realm-1") == ["app"])
        #expect(try await realms.clients(withScheme: scheme, realmID: "realm-2").isEmpty)
        #expect(try await realms.deleteClient(id: app.id) == .changed)
        #expect(try await realms.clients(withScheme: scheme, realmID: "realm-1").isEmpty)
    }
}
