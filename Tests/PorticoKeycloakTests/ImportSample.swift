import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// Realm files with a few things in them. Each realm has keys of its own, which take a while to
/// make: what can be tried side by side is.
enum ImportSample {
    /// - Parameter members: Of the realm, beside its name `r`.
    static func realm(_ members: String, ring: KeyRing? = nil) async throws
        -> ReadRealm
    {
        let imported = try await RealmImportTests.read(
            #"{"realm": "r", "enabled": true, \#(members)}"#,
            ring: ring
        )
        try #require(imported.count == 1)
        return imported[0]
    }

    /// A client each, `a0`, `a1` and so on, with a redirect URI unless it says another one.
    ///
    /// - Parameter each: Members of the client.
    static func clients(_ each: [String], realm: String = "") async throws -> [ImportedClient] {
        let clients = each.enumerated().map { index, members in
            let redirect =
                members.contains("redirectUris")
                ? "" : #""redirectUris": ["https://a.example/cb"], "#
            return #"{"clientId": "a\#(index)", \#(redirect) \#(members)}"#
        }
        let imported = try await self.realm(
            realm + #""clients": [\#(clients.joined(separator: ", "))]"#
        )
        return each.indices.map { index in
            ImportedClient(
                client: imported.realm.clients.first { $0.clientID == "a\(index)" },
                lines: imported.report.lines.filter { $0.subject == "client a\(index)" }
            )
        }
    }

    /// A person each, `p0`, `p1` and so on.
    static func people(_ each: [String], realm: String = "", ring: KeyRing? = nil) async throws
        -> [ImportedPerson]
    {
        let users = each.enumerated().map { #"{"username": "p\#($0)", \#($1)}"# }
        let imported = try await self.realm(
            realm + #""users": [\#(users.joined(separator: ", "))]"#,
            ring: ring
        )
        return each.indices.map { index in
            ImportedPerson(
                new: imported.realm.people.first { $0.person.username == "p\(index)" },
                lines: imported.report.lines.filter { $0.subject == "user p\(index)" }
            )
        }
    }

    /// What became of mappers, each the only one of a client.
    static func mappers(_ each: [(kind: String, config: String)]) async throws -> [ImportedClient] {
        try await clients(
            each.map { kind, config in
                """
                "protocolMappers": [
                    {"name": "m", "protocolMapper": "\(kind)", "config": {\(config)}}
                ]
                """
            }
        )
    }
}

/// A client, where it was imported, and what the report says of it.
struct ImportedClient {
    let client: Client?
    let lines: [ImportReport.Line]

    func says(_ outcome: ImportReport.Outcome, _ words: String) -> Bool {
        lines.contains { $0.outcome == outcome && $0.words.contains(words) }
    }
}

struct ImportedPerson {
    let new: NewPerson?
    let lines: [ImportReport.Line]

    var person: Person? { new?.person }

    func says(_ outcome: ImportReport.Outcome, _ words: String) -> Bool {
        lines.contains { $0.outcome == outcome && $0.words.contains(words) }
    }
}

extension ImportReport {
    func says(_ outcome: Outcome, _ subject: String, _ words: String) -> Bool {
        lines(outcome).contains { $0.subject == subject && $0.words.contains(words) }
    }
}

extension Client {
    /// Whether every realm of a file has one of its name (``BuiltInRealm``).
    var isMade: Bool { Client.builtIn.contains(clientID) || clientID == "master-realm" }
}

extension RoleName {
    /// The same of a role.
    var isMade: Bool {
        guard let clientID else {
            return ["offline_access", "uma_authorization"].contains(name)
                || name.hasPrefix("default-roles-")
        }
        return Client.builtIn.contains(clientID) || clientID == "master-realm"
    }
}

/// A realm of a file with all of its people, and what the report says.
struct ReadRealm {
    var realm: NewRealm
    var report: ImportReport

    /// Reads as an import does, and keeps everything.
    static func all(_ files: [RealmFile], _ realmImport: RealmImport, at moment: Moment)
        async throws -> [ReadRealm]
    {
        var read: [ReadRealm] = []
        for place in try RealmSource(files).realms {
            var report = ImportReport(realm: place.name, naming: 1000)
            var imported = try realmImport(place.representation(), at: moment, report: &report)
            var realm = imported.realm
            var reader = PeopleReader(place.people)
            while let user = try reader.next() {
                if let person = try await imported.people(user, report: &report) {
                    realm.people.append(person)
                }
            }
            for account in try imported.people.missingAccounts(of: realm) {
                if let person = try await imported.people(account, report: &report) {
                    realm.people.append(person)
                }
            }
            place.reportMissingPeople(try place.representation(), report: &report)
            read.append(ReadRealm(realm: realm, report: report))
        }
        return read
    }
}

extension RealmFile {
    init(_ bytes: [UInt8], name: String = "file") {
        self.init(name: name) { offset throws(FileBytes.Refusal) in
            BytesSource(Array(bytes[offset...]))
        }
    }

    init(_ text: String, name: String = "file") {
        self.init(Array(text.utf8), name: name)
    }
}

extension ImportReport {
    struct Line: Hashable {
        let outcome: Outcome
        let subject: String
        let words: String
    }

    /// A line for each thing that is named.
    var lines: [Line] {
        groups.flatMap { group in
            group.named.map { thing in
                Line(
                    outcome: group.outcome,
                    subject: thing.subject,
                    words: thing.detail.map { "\($0): \(group.words)" } ?? group.words
                )
            }
        }
    }

    func lines(_ outcome: Outcome) -> [Line] {
        lines.filter { $0.outcome == outcome }
    }
}

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
        let diff = RealmDiff(.underTest(), realms: database.realms, people: database.people)
        let place = try #require(try RealmSource.compared([RealmFile(text)]).first)
        let report = try await diff(try await realm, place, at: ExportSample.moment)
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

extension ProviderUnderTest {
    /// A server with the realms of a file.
    static func importing(_ file: String) async throws -> ProviderUnderTest {
        let database = try TestDatabase.inMemory()
        for imported in try await RealmImportTests.read(file, ring: TestRealm.ring) {
            #expect(try await database.realms.create(imported.realm) == .created)
        }
        return try await ProviderUnderTest(database: database, clock: StoppedClock())
    }
}

extension TestBrowser {
    /// An authorization request of a client of realm `acme`.
    func authorize(
        _ client: String,
        scope: String = "openid",
        _ changes: [(String, String)]
    ) async throws -> Reply {
        let request = TestFlow.request(client, scope: scope, changes)
        return try await get(
            FormEncoding.appending(
                request.map { (name: $0.0, value: $0.1) },
                to: "/realms/acme/protocol/openid-connect/auth"
            )
        )
    }
}
