import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("BackendConfigurationStore") struct BackendConfigurationContract {
    private static let notes: Client = {
        var notes = Client.app(
            "notes",
            "https://app.example.com/cb",
            "com.example.notes:/cb",
            form: .sessionToken,
            isDefault: true
        )
        notes.isEnabled = false
        notes.handOff.appleAppIDs = ["ABCDE12345.com.example.notes"]
        notes.handOff.androidApps = ["AA:BB", "CC:DD"].map {
            .init(
                packageName: "com.example.notes",
                fingerprint: Array(repeating: $0, count: 16).joined(separator: ":")
            )
        }
        notes.handOff.storeLinks = ["https://store.example/notes"]
        notes.handOff.audiences = [
            .init(provider: "google", clientID: "a=b"), .init(provider: "google", clientID: "b"),
            .init(provider: "apple", clientID: "com.example.notes"),
        ]
        return notes
    }()

    static func provider(_ name: String, place: Int64 = 0) -> ProviderRecord {
        ProviderRecord(
            realmID: "home",
            name: name,
            kind: "oidc",
            place: place,
            isEnabled: true,
            settings: ["issuer": "https://id.example", "scopes": ["openid"]],
            sealedSecret: "sealed"
        )
    }

    @Test(
        "apps, which are the clients that hand off, and providers are read as they were given, in their order",
        arguments: StoreUnderTest.allCases
    )
    func kept(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let another = Client.app("another", "com.example.another:/cb")
        for app in [Self.notes, another, .app("none", "com.example.none:/cb", form: .none)] {
            try await stores.put(app)
        }
        var last = Self.provider("a", place: 2)
        last.isEnabled = false
        last.sealedSecret = nil
        let (c, b) = (Self.provider("c", place: 1), Self.provider("b", place: 1))
        for provider in [last, c, b] { try await stores.put(provider) }
        let configuration = try await stores.configuration.configuration()
        #expect(configuration.apps == [another, Self.notes])
        #expect(configuration.providers == [b, c, last])
        #expect(configuration.realm?.name == "home")
        let version = try await stores.configuration.version()
        #expect(configuration.version == version)
    }

    @Test(
        "every change of an app or provider changes the version; what changes nothing does not",
        arguments: StoreUnderTest.allCases
    )
    func versions(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let store = stores.configuration
        var version = try await store.version()
        func isChanged() async throws -> Bool {
            let before = version
            version = try await store.version()
            return version != before
        }
        for _ in 1...2 {
            try await stores.put(Self.notes)
            #expect(try await isChanged())
            try await store.put(Self.provider("a"))
            #expect(try await isChanged())
        }
        #expect(try await stores.deleteApp(Self.notes) == .changed)
        #expect(try await isChanged())
        #expect(try await store.deleteProvider(name: "a", realmID: "home") == .changed)
        #expect(try await isChanged())
        #expect(try await store.deleteProvider(name: "a", realmID: "home") == .notFound)
        #expect(try await isChanged() == false)
        let configuration = try await store.configuration()
        #expect(configuration.apps.isEmpty && configuration.providers.isEmpty)
    }

    @Test(
        "providers of files are there for all realms, behind one of their name that is registered",
        arguments: StoreUnderTest.allCases
    )
    func files(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.makeHome()
        func isOfFile(_ record: ProviderRecord) -> Bool { record.isOfFile }
        let store = BackendConfigurationStore(
            stores.database,
            files: ProviderFiles(kind: "identityProviders") { part in
                var record = Self.provider(part.id, place: 5)
                record.realmID = part.realmID
                record.source = .file(obstacle: nil)
                return record
            }
        )
        for (kind, id) in [("identityProviders", "a"), ("identityProviders", "b"), ("flows", "c")] {
            try await stores.realms.put(
                RealmPart(realmID: "home", kind: kind, id: id, document: [:])
            )
        }
        #expect(try await store.configuration().allProviders.map(\.name) == ["a", "b"])
        try await store.put(Self.provider("b", place: 9))
        let found = try await store.providers(realmID: "home")
        #expect(found.map(\.name) == ["a", "b"] && found.map(isOfFile) == [true, false])
        #expect(try await store.deleteProvider(name: "b", realmID: "home") == .changed)
        #expect(try await store.providers(realmID: "home").map(isOfFile) == [true, true])
        // That is the realm's to remove.
        #expect(try await store.deleteProvider(name: "a", realmID: "home") == .notFound)
        let known = try await store.configuration()
        let realms = stores.realms
        let changed = try await realms.deletePart("identityProviders", id: "a", realmID: "home")
        #expect(changed == .changed)
        let now = try await store.configuration(since: known)
        #expect(now.allProviders.map(\.name) == ["b"])
        #expect(now.version.backend != known.version.backend)
        // Of a realm that is being imported or deleted none is there.
        #expect(try await realms.deleteRealm(id: "home") == .changed)
        #expect(try await store.configuration().allProviders.isEmpty)
    }

    @Test("putting in a provider that is there replaces it", arguments: StoreUnderTest.allCases)
    func replacement(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.makeHome()
        let store = stores.configuration
        try await store.put(Self.provider("a"))
        var provider = Self.provider("a", place: 7)
        provider.kind = "keycloak"
        provider.settings = ["issuer": "https://other.example"]
        provider.sealedSecret = nil
        try await store.put(provider)
        #expect(try await store.configuration().providers == [provider])
    }

    @Test("putting in an app replaces it by its id", arguments: StoreUnderTest.allCases)
    func replacedApp(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.put(Self.notes)
        var app = try #require(try await stores.configuration.configuration().apps.first)
        app.name = "Renamed"
        try await stores.put(app)
        #expect(try await stores.configuration.configuration().apps == [app])
    }

    @Test("one app is the default at most", arguments: StoreUnderTest.allCases)
    func defaults(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.put(Self.notes)
        func defaults() async throws -> [String] {
            try await stores.configuration.configuration().apps
                .filter(\.handOff.isDefault).map(\.clientID)
        }
        #expect(try await defaults() == ["notes"])
        var other = Client.app("other", "com.example.other:/cb", isDefault: true)
        try await stores.put(other)
        #expect(try await defaults() == ["other"])
        other.handOff.isDefault = false
        try await stores.put(other)
        #expect(try await defaults().isEmpty)
    }

    @Test(
        "decision 0164: the backend's realm is that of the first app, until that realm is deleted",
        arguments: StoreUnderTest.allCases
    )
    func realm(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        func configuration() async throws -> BackendConfiguration {
            try await stores.configuration.configuration()
        }
        #expect(try await configuration().realm == nil)
        var elsewhere = Client.app("elsewhere", "com.example.elsewhere:/cb")
        elsewhere.realmID = "elsewhere"
        try await stores.put(.app("notes", "com.example.notes:/cb"))
        await #expect(throws: AppsElsewhere(realm: "home")) { try await stores.put(elsewhere) }
        #expect(try await stores.realms.client(id: elsewhere.id, realmID: "elsewhere") == nil)
        #expect(try await configuration().realm?.id == "home")
        #expect(try await configuration().apps.map(\.clientID) == ["notes"])
        _ = try await stores.realms.deleteRealm(id: "home")
        #expect(try await configuration().realm == nil)
        #expect(try await configuration().apps.isEmpty)
        try await stores.put(elsewhere)
        #expect(try await configuration().apps == [elsewhere])
    }

    @Test(
        "a realm has its own providers; the first one's realm is the backend's, until another is chosen",
        arguments: StoreUnderTest.allCases
    )
    func providersOfRealms(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let home = Self.provider("google")
        var shop = Self.provider("google", place: 3)
        shop.realmID = "shop"
        for provider in [home, shop] { try await stores.put(provider) }
        let store = stores.configuration
        #expect(try await store.configuration().realm?.id == "home")
        #expect(try await store.configuration().providers == [home])
        #expect(try await store.providers(realmID: "shop") == [shop])
        let version = try await store.version()
        try await store.choose(realmID: "shop")
        #expect(try await store.version() != version)
        #expect(try await store.configuration().providers == [shop])
        #expect(try await store.deleteProvider(name: "google", realmID: "shop") == .changed)
        #expect(try await store.providers(realmID: "home") == [home])
        _ = try await stores.realms.deleteRealm(id: "home")
        #expect(try await store.providers(realmID: "home").isEmpty)
    }
}
