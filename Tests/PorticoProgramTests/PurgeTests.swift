import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
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
        _ = try await database.realms.create(
            NewRealm(
                realm: Self.realm,
                keys: [key("gone", retired), key("later", retired + 1), key("used", nil)]
            )
        )
        let purge = purge(of: database)
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

    private static let now: Int64 = 1_800_000_000
    private static let realm = Realm(
        id: "realm-1",
        name: "demo",
        displayName: "Demo",
        issuer: "https://id.example/realms/demo"
    )

    /// Of two rows the older goes now, and the other a second later.
    private func expectGone(_ database: TestDatabase, _ counts: SQLText...) async throws {
        let purge = purge(of: database)
        for (left, now) in [(2, Self.now - 1), (1, Self.now), (0, Self.now + 1)] as [(Int64, Int64)]
        {
            try await purge(at: now)
            try await purge.accounts(at: now)
            for count in counts { #expect(try rows(database, count) == left) }
        }
    }

    private func rows(_ database: TestDatabase, _ count: SQLText) throws -> Int64 {
        try database.database.read { reader in try reader.first(count, []) { try $0.int64(0) } }
            ?? -1
    }

    @Test("what was spent is remembered a day longer than anyone would accept it")
    func spent() async throws {
        let database = try TestDatabase.inMemory()
        let end = Self.now - 86_400
        try await database.database.write { transaction in
            for offset: Int64 in [-1, 0] {
                try transaction.run(
                    "INSERT INTO spent_once (hash, expires_at) VALUES ($1, $2)",
                    [.bytes([UInt8(offset + 1)]), .int64(end + offset)]
                )
            }
        }
        try await expectGone(database, "SELECT count(*) FROM spent_once")
    }

    @Test("pushed requests and wishes for a password go when no one can use them any more")
    func requests() async throws {
        let database = try TestDatabase.inMemory()
        let expired = Self.now - 3600
        let asked = Self.now - 86_400
        func id(_ number: UInt8) -> UniqueID {
            UniqueID(random: RandomSource { Array(repeating: number, count: $0) })
        }
        for (number, offset) in [(UInt8(1), Int64(-1)), (2, 0)] {
            let hash = Hash256(of: "\(number)")
            _ = try await database.pushedRequests.push(
                PushedRequest(
                    hash: hash,
                    realmID: "realm-1",
                    clientID: "client-1",
                    requestID: id(number),
                    parameters: [],
                    expiresAt: expired + offset
                ),
                spending: [],
                at: expired - 90
            )
            try await database.mailboxes.ask(
                PasswordReset(
                    id: id(number),
                    realmID: "realm-1",
                    email: "nobody@example.com",
                    linkHash: hash,
                    browser: hash,
                    back: nil,
                    expiresAt: asked + offset
                ),
                mail: MailDraft(
                    id: id(number),
                    to: nil,
                    message: .passwordReset(sealedAddress: "sealed", minutes: 30),
                    language: "en",
                    createdAt: asked - 1800
                )
            )
        }
        try await expectGone(
            database,
            "SELECT count(*) FROM pushed_requests",
            "SELECT count(*) FROM password_resets"
        )
    }

    @Test("that a person removed an app is kept for a day")
    func removedApps() async throws {
        let database = try TestDatabase.inMemory()
        _ = try await database.realms.create(NewRealm(realm: Self.realm, keys: []))
        for name in ["ann", "bob"] {
            _ = try await database.people.create(
                NewPerson(
                    person: Person(id: name, realmID: "realm-1", username: name, createdAt: 0),
                    password: nil
                )
            )
        }
        let end = Self.now - 86_400
        try await database.database.write { transaction in
            for (name, offset) in [("ann", Int64(-1)), ("bob", 0)] {
                try transaction.run(
                    """
                    INSERT INTO removed_apps (person_id, client_id, removed_at)
                    VALUES ($1, 'client-1', $2)
                    """,
                    [.text(name), .int64(end + offset)]
                )
            }
        }
        try await expectGone(database, "SELECT count(*) FROM removed_apps")
    }

    private func purge(
        of database: TestDatabase,
        _ directory: DataDirectory = DataDirectory(path: "/nowhere")
    ) -> Purge {
        Purge(database: database.database, directory: directory)
    }

    @Test(
        "decision 0055: what an import is staging is left alone, and goes once the import is gone"
    )
    func staged() async throws {
        let portico = try PorticoProcess()
        let database = try TestDatabase.inMemory()
        try await database.realms.stage(NewRealm(realm: Self.realm, keys: []))
        func staged() throws -> Int64 { try rows(database, "SELECT count(*) FROM realms") }
        let directory = DataDirectory(path: portico.home.path)
        let purge = purge(of: database, directory)
        do {
            let lock = try #require(ImportLock.attempt(directory))
            try await purge(at: Self.now)
            #expect(try staged() == 1)
            withExtendedLifetime(lock) {}
        }
        // As after a kill.
        try await purge(at: Self.now)
        #expect(try staged() == 0)
    }

    @Test("a mail that was sent stays a week")
    func mails() async throws {
        let database = try TestDatabase.inMemory()
        let week = Self.now - 7 * 86_400
        try await database.database.write { transaction in
            for offset: Int64 in [-1, 0, 1] {
                try transaction.run(
                    """
                    INSERT INTO mails (id, recipient, kind, message, language, created_at, tries,
                        sent_at)
                    VALUES ($1, 'a@b.example', 'passwordChanged', '{}', 'en', 0, 1, $2)
                    """,
                    [.bytes([UInt8(offset + 1)]), .int64(week + offset)]
                )
            }
        }
        let purge = purge(of: database)
        for (left, now) in [(3, Self.now - 1), (2, Self.now), (1, Self.now + 1)] as [(Int64, Int64)]
        {
            try await purge.accounts(at: now)
            #expect(try rows(database, "SELECT count(*) FROM mails") == left)
        }
    }

    @Test("events are purged with the rest")
    func events() async throws {
        let database = try TestDatabase.inMemory()
        let end = Self.now - 400 * 86_400
        // The latest stays in any case.
        try await database.events.note(
            [end - 1, end, Self.now].map { Event(.signedIn, of: nil, at: $0) }
        )
        try await purge(of: database)(at: Self.now)
        #expect(try rows(database, "SELECT count(*) FROM events") == 2)
    }
}
