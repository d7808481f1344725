import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// Two who change one thing, each from what they read before.
@Suite("Changes of what was changed meanwhile") struct ChangedMeanwhileContract {
    @Test(
        "who did not see that a client was disabled does not enable it again",
        arguments: StoreUnderTest.allCases
    )
    func client(_ database: StoreUnderTest) async throws {
        let realms = try await database.furnished().realms
        let read = try #require(try await realms.snapshot().clients.first)
        var disabled = read
        disabled.isEnabled = false
        #expect(try await realms.update(disabled, replacing: read) == .changed)
        var renamed = read
        renamed.name = "Another name"
        await #expect(throws: ChangedMeanwhile.self) {
            try await realms.update(renamed, replacing: read)
        }
        #expect(try await realms.snapshot().clients == [disabled])
        let version = try await realms.version()
        renamed.isEnabled = false
        #expect(try await realms.update(renamed, replacing: disabled) == .changed)
        #expect(try await realms.version() > version)
    }

    @Test("nor a realm", arguments: StoreUnderTest.allCases)
    func realm(_ database: StoreUnderTest) async throws {
        let realms = try await database.furnished().realms
        let read = try #require(try await realms.snapshot().realms.first)
        var disabled = read
        disabled.isEnabled = false
        #expect(try await realms.update(disabled, replacing: read) == .changed)
        var renamed = read
        renamed.displayName = "Another name"
        await #expect(throws: ChangedMeanwhile.self) {
            try await realms.update(renamed, replacing: read)
        }
        #expect(try await realms.snapshot().realms == [disabled])
    }

    @Test("nor a client scope, nor a role", arguments: StoreUnderTest.allCases)
    func scopeAndRole(_ database: StoreUnderTest) async throws {
        let realms = try await database.furnished().realms
        let scope = ClientScope(id: "scope-1", realmID: "realm-1", name: "team")
        #expect(try await realms.create(scope) == .created)
        var changed = scope
        changed.description = "text"
        #expect(try await realms.update(changed, replacing: scope) == .changed)
        await #expect(throws: ChangedMeanwhile.self) {
            _ = try await realms.update(scope, replacing: scope)
        }
        #expect(try await realms.scopes(realmID: "realm-1") == [changed])
        let read = try #require(try await realms.roles(realmID: "realm-1").first)
        var described = read
        described.description = "text"
        described.attributes = ["a": ["1", "2"]]
        #expect(try await realms.update(described, replacing: read) == .changed)
        var renamed = read
        renamed.name = "another"
        await #expect(throws: ChangedMeanwhile.self) {
            _ = try await realms.update(renamed, replacing: read)
        }
        #expect(try await realms.roles(realmID: "realm-1").contains(described))
        renamed.id = "nowhere"
        #expect(try await realms.update(renamed, replacing: read) == .notFound)
    }

    @Test("nor a person", arguments: StoreUnderTest.allCases)
    func person(_ database: StoreUnderTest) async throws {
        let people = try await database.furnished().people
        let id = Example.ann.id
        func kept() async throws -> Person? {
            try await people.person(id: id, realmID: "realm-1")?.person
        }
        let read = try #require(try await kept())
        var disabled = read
        disabled.isEnabled = false
        #expect(try await people.update(disabled, replacing: read) == .changed)
        var renamed = read
        renamed.givenName = "Anna"
        await #expect(throws: ChangedMeanwhile.self) {
            try await people.update(renamed, replacing: read)
        }
        #expect(try await kept() == disabled)
    }

    @Test(
        "attack: rights are judged as they are when the person is changed, not when they were read",
        arguments: StoreUnderTest.allCases
    )
    func stronger(_ database: StoreUnderTest) async throws {
        let people = try await database.furnished().people
        let id = Example.ann.id
        let admin = RoleName(clientID: nil, name: "admin")
        let before = try #require(try await people.credentials(id: id, realmID: "realm-1"))
        var renamed = before.person
        renamed.givenName = "Anna"
        let other = PasswordHash(encoded: "other")
        func tries(_ expected: Change?) async throws {
            let isAllowed = { @Sendable (ann: PersonWithRoles) in !ann.roles.contains(admin) }
            let update = try await people.update(renamed, replacing: before.person, if: isAllowed)
            #expect(update == expected)
            let password = try await people.setPassword(
                other,
                of: id,
                realmID: "realm-1",
                at: Example.now,
                if: isAllowed
            )
            #expect(password == expected)
        }
        #expect(try await people.assign(admin, to: id, realmID: "realm-1") == .changed)
        try await tries(nil)
        #expect(try await people.credentials(id: id, realmID: "realm-1") == before)
        #expect(try await people.remove(admin, from: id, realmID: "realm-1") == .changed)
        try await tries(.changed)
        let after = try await people.credentials(id: id, realmID: "realm-1")
        #expect(after?.person.givenName == "Anna" && after?.password == other)
    }

    @Test(
        "nor a provider; and one that is gone does not come back",
        arguments: StoreUnderTest.allCases
    )
    func provider(_ database: StoreUnderTest) async throws {
        let stores = try database.empty()
        try await stores.makeHome()
        let configuration = stores.configuration
        let provider = BackendConfigurationContract.provider("google")
        try await configuration.put(provider)
        var disabled = provider
        disabled.isEnabled = false
        try await configuration.put(disabled, replacing: provider)
        var moved = provider
        moved.place = 7
        let other = moved
        func expectRefusal() async {
            await #expect(throws: ChangedMeanwhile.self) {
                try await configuration.put(other, replacing: provider)
            }
        }
        await expectRefusal()
        #expect(try await configuration.configuration().providers == [disabled])
        _ = try await configuration.deleteProvider(name: "google", realmID: "home")
        await expectRefusal()
        #expect(try await configuration.configuration().providers.isEmpty)
    }
}
