import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("BackendConfigurationStore") struct BackendConfigurationContract {
    static let notes = App(
        id: UniqueID(random: .system),
        name: "notes",
        displayName: "Notes",
        redirectURIs: ["https://app.example.com/cb", "com.example.notes:/cb"],
        handOff: .sessionToken,
        isDefault: true,
        appleAppIDs: ["ABCDE12345.com.example.notes"],
        androidApps: [.init(packageName: "com.example.notes", fingerprints: ["AA:BB", "CC:DD"])],
        storeLinks: ["https://store.example/notes"],
        audiences: ["google": ["a", "b"], "apple": ["com.example.notes"]],
        isEnabled: false
    )

    static func plain(_ name: String) -> App {
        App(id: AccountExample.fresh(), name: name, displayName: "", redirectURIs: [])
    }

    static func provider(_ name: String, place: Int64 = 0) -> ProviderRecord {
        ProviderRecord(
            name: name,
            kind: "oidc",
            place: place,
            isEnabled: true,
            settings: ["issuer": "https://id.example", "scopes": ["openid"]],
            sealedSecret: "sealed"
        )
    }

    @Test(
        "apps and providers are kept as they were given, in their order",
        arguments: StoreUnderTest.allCases
    )
    func kept(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let plain = Self.plain("another")
        try await stores.configuration.put(Self.notes)
        try await stores.configuration.put(plain)
        var last = Self.provider("a", place: 2)
        last.isEnabled = false
        last.sealedSecret = nil
        let (c, b) = (Self.provider("c", place: 1), Self.provider("b", place: 1))
        for provider in [last, c, b] { try await stores.configuration.put(provider) }
        let configuration = try await stores.configuration.configuration()
        #expect(configuration.apps == [plain, Self.notes])
        #expect(configuration.providers == [b, c, last])
        let version = try await stores.configuration.version()
        #expect(configuration.version == version)
    }

    @Test(
        "every change raises the version; what changes nothing does not",
        arguments: StoreUnderTest.allCases
    )
    func versions(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        let store = stores.configuration
        var version = try await store.version()
        func isRaised() async throws -> Bool {
            let before = version
            version = try await store.version()
            return version > before
        }
        for _ in 1...2 {
            try await store.put(Self.notes)
            #expect(try await isRaised())
            try await store.put(Self.provider("a"))
            #expect(try await isRaised())
        }
        #expect(try await store.deleteApp(name: "notes") == .changed)
        #expect(try await isRaised())
        #expect(try await store.deleteApp(name: "notes") == .notFound)
        #expect(try await isRaised() == false)
        #expect(try await store.deleteProvider(name: "a") == .changed)
        #expect(try await isRaised())
        #expect(try await store.deleteProvider(name: "a") == .notFound)
        #expect(try await isRaised() == false)
        let configuration = try await store.configuration()
        #expect(configuration.apps.isEmpty)
        #expect(configuration.providers.isEmpty)
    }

    @Test(
        "putting in what is there replaces it: an app by its id, a provider by its name",
        arguments: StoreUnderTest.allCases
    )
    func replacement(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.configuration.put(Self.notes)
        try await stores.configuration.put(Self.provider("a"))
        var app = Self.plain("renamed")
        app.id = Self.notes.id
        var provider = Self.provider("a", place: 7)
        provider.kind = "keycloak"
        provider.settings = ["issuer": "https://other.example"]
        provider.sealedSecret = nil
        try await stores.configuration.put(app)
        try await stores.configuration.put(provider)
        let configuration = try await stores.configuration.configuration()
        #expect(configuration.apps == [app])
        #expect(configuration.providers == [provider])
    }

    @Test("two apps do not have one name", arguments: StoreUnderTest.allCases)
    func names(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.configuration.put(Self.notes)
        let version = try await stores.configuration.version()
        var other = Self.plain("notes")
        other.isDefault = true
        await #expect(throws: StoreConflict.self) { try await stores.configuration.put(other) }
        let configuration = try await stores.configuration.configuration()
        #expect(configuration.apps == [Self.notes])
        #expect(configuration.version == version)
    }

    @Test("one app is the default at most", arguments: StoreUnderTest.allCases)
    func defaults(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.configuration.put(Self.notes)
        try await stores.configuration.put(Self.plain("plain"))
        func defaults() async throws -> [String] {
            try await stores.configuration.configuration().apps.filter(\.isDefault).map(\.name)
        }
        #expect(try await defaults() == ["notes"])
        var other = Self.plain("other")
        other.isDefault = true
        try await stores.configuration.put(other)
        #expect(try await defaults() == ["other"])
        other.isDefault = false
        try await stores.configuration.put(other)
        #expect(try await defaults().isEmpty)
    }

    @Test(
        "what a newer program put into an app's document survives an older one's update",
        arguments: StoreUnderTest.allCases
    )
    func newer(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.configuration.put(Self.notes)
        try await stores.database.write { transaction in
            var document = try #require(
                try transaction.first("SELECT settings FROM apps", []) { try $0.document(0) }
            )
            document["newer"] = 1
            _ = try transaction.run("UPDATE apps SET settings = $1", [SQLValue(document)])
        }
        try await stores.configuration.put(Self.notes)
        let kept = try await stores.database.write { transaction in
            try transaction.first("SELECT settings FROM apps", []) { try $0.document(0) }
        }
        #expect(kept?["newer"] == 1)
        #expect(try await stores.configuration.configuration().apps == [Self.notes])
    }

    @Test(
        "a document's member that is missing or of another type is an error, not a default",
        arguments: [
            ("enabled", nil), ("enabled", "true"), ("hand_off", "newer"), ("hand_off", nil),
            ("redirect_uris", [1]), ("audiences", ["google": "a"]), ("audiences", nil),
            ("android_apps", [["package": "a"]]), ("store_links", "https://a"),
        ] as [(String, JSONValue?)]
    )
    func strict(_ member: String, _ value: JSONValue?) async throws {
        let stores = try TestDatabase.inMemory()
        try await stores.configuration.put(Self.notes)
        try await stores.database.write { transaction in
            var document = try #require(
                try transaction.first("SELECT settings FROM apps", []) { try $0.document(0) }
            )
            document[member] = value
            _ = try transaction.run("UPDATE apps SET settings = $1", [SQLValue(document)])
        }
        await #expect(throws: DocumentError.self) {
            try await stores.configuration.configuration()
        }
    }
}
