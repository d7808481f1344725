import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("Clearing away") struct PurgeTests {
    @Test("the row of a signing key goes a day after the key was retired, and no other row")
    func keys() async throws {
        let database = try TestDatabase.inMemory()
        let retired: Int64 = 1_800_000_000
        func key(_ id: String, _ retiredFrom: Int64?) -> SigningKeyRecord {
            SigningKeyRecord(
                realmID: "realm-1",
                keyID: id,
                algorithm: .es256,
                sealedPrivateKey: "sealed",
                createdAt: 0,
                activeFrom: 0,
                retiredFrom: retiredFrom
            )
        }
        let realm = Realm(
            id: "realm-1",
            name: "demo",
            displayName: "Demo",
            issuer: "https://id.example/realms/demo"
        )
        _ = try await database.realms.create(
            NewRealm(
                realm: realm,
                keys: [key("gone", retired), key("later", retired + 1), key("used", nil)]
            )
        )
        let purge = Purge(
            realms: database.realms,
            sessions: database.sessions,
            grants: database.grants,
            pushedRequests: database.pushedRequests,
            mailboxes: database.mailboxes
        )
        func left() async throws -> [String] {
            try await database.realms.snapshot().keys.map(\.keyID).sorted()
        }
        try await purge(at: retired + 86_400)
        #expect(try await left() == ["gone", "later", "used"])
        let version = try await database.realms.version()
        try await purge(at: retired + 86_401)
        #expect(try await left() == ["later", "used"])
        // Every process reads its realms again.
        #expect(try await database.realms.version() > version)
    }
}
