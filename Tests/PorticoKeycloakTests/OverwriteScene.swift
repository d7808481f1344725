import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// A realm that came from a file, and another file for it.
struct OverwriteScene {
    let database: TestDatabase

    init() throws {
        database = try TestDatabase.inMemory()
    }

    func importer(
        _ conflict: ImportConflict = .overwrite(),
        isDryRun: Bool = false
    ) -> RealmImporter {
        RealmImporter(
            .underTest(),
            store: database.realms,
            people: database.people,
            isDryRun: isDryRun,
            conflict: conflict
        )
    }

    func stage(_ text: String, _ importer: RealmImporter) async throws -> [RealmImporter.Staged] {
        try await importer.stage(
            try RealmSource([RealmFile(text)]).realms,
            at: RealmImportTests.noon
        )
    }

    @discardableResult
    func write(
        _ text: String,
        _ conflict: ImportConflict = .overwrite(),
        isDryRun: Bool = false
    ) async throws -> RealmImporter.Staged {
        let importer = importer(conflict, isDryRun: isDryRun)
        let staged = try await stage(text, importer)
        try await importer.publish(staged, at: RealmImportTests.noon)
        return try #require(staged.first)
    }

    /// What `portico realm diff` says.
    func diff(_ text: String) async throws -> [String] {
        let diff = RealmDiff(realms: database.realms, people: database.people, ring: TestRealm.ring)
        let bytes = Array(text.utf8)
        let report = try await diff(
            try await realm,
            RealmFileReader { BytesSource(bytes) },
            at: 1_800_000_000
        )
        return (report?.differences ?? []).map { "\($0.kind) \($0.path)" }.sorted()
    }

    var realm: Realm {
        get async throws { try #require(try await database.realms.snapshot().realms.first) }
    }

    func client(_ clientID: String) async throws -> Client? {
        try await database.realms.snapshot().clients.first { sameBytes($0.clientID, clientID) }
    }

    func roles() async throws -> [String: Role] {
        let roles = try await database.realms.roles(realmID: try await realm.id)
        return Dictionary(roles.map { ($0.roleName.text, $0) }) { $1 }
    }

    func groups() async throws -> [String: GroupWithRoles] {
        let groups = try await database.realms.groups(realmID: try await realm.id)
        return Dictionary(groups.map { ($0.group.name, $0) }) { $1 }
    }

    func person(_ id: String) async throws -> NewPerson? {
        try await database.people.kept([id], realmID: try await realm.id)[id]
    }

    func change(client clientID: String, _ body: (inout Client) -> Void) async throws {
        var client = try #require(try await client(clientID))
        body(&client)
        #expect(try await database.realms.update(client, replacing: nil) == .changed)
    }

    func change(person id: String, _ body: (inout Person) -> Void) async throws {
        var person = try #require(try await person(id)).person
        body(&person)
        #expect(try await database.people.update(person) == .changed)
    }

    /// Someone with a password.
    func make(_ id: String, _ roles: [RoleName] = [], email: String? = nil) async throws {
        var person = Person(id: id, realmID: try await realm.id, username: id, createdAt: 0)
        person.email = email
        let new = NewPerson(person: person, password: PasswordHash(encoded: "-"), roles: roles)
        #expect(try await database.people.create(new) == .created)
    }

    func run(_ sql: SQLText) async throws {
        try await database.database.write { try $0.run(sql, []) }
    }
}
