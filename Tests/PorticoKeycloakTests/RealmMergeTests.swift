import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
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

    func importer(isDryRun: Bool = false) -> RealmImporter {
        RealmImporter(
            .underTest(),
            store: database.realms,
            people: database.people,
            isDryRun: isDryRun,
            mayOverwrite: true
        )
    }

    @discardableResult
    func write(
        _ text: String,
        isDryRun: Bool = false,
        at seconds: Int64 = 0
    ) async throws -> RealmImporter.Staged {
        let importer = importer(isDryRun: isDryRun)
        let moment = Moment(
            now: RealmImportTests.noon.now.addingTimeInterval(Double(seconds)),
            random: .system
        )
        let staged = try await importer.stage(
            try RealmSource([RealmFile(text)]).realms,
            at: moment
        )
        try await importer.publish(staged, at: moment)
        return try #require(staged.first)
    }

    var realm: Realm {
        get async throws { try #require(try await database.realms.snapshot().realms.first) }
    }

    func client(_ clientID: String) async throws -> Client? {
        try await database.realms.snapshot().clients.first { sameBytes($0.clientID, clientID) }
    }

    func person(_ id: String) async throws -> KeptPerson? {
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

    /// Someone signs in to the realm.
    func use() async throws {
        let realm = try await realm
        let client = try #require(try await database.realms.snapshot().clients.first)
        let person = try #require(
            try await database.people.people(realmID: realm.id, after: nil, limit: 1).first
        )
        let grant = Grant(
            id: UniqueID(random: .system),
            realmID: realm.id,
            clientID: client.id,
            personID: person.id,
            sessionID: nil,
            scope: Scope(tokens: ["openid"]),
            isOffline: false,
            authenticatedAt: nil,
            acr: nil,
            amr: [],
            claims: nil,
            createdAt: RealmImportTests.noon.seconds,
            idleSeconds: 1800,
            expiresAt: nil,
            refresh: nil
        )
        _ = try await database.grants.insert(grant, spending: [], at: grant.createdAt)
    }
}

@Suite("decision 0054: files written over a realm in use")
struct RealmMergeTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    /// Hashes of two passwords (PBKDF2, one round): nobody signs in by them here.
    private static func hash(_ salt: String) -> String {
        """
        {"type": "password",
         "secretData": "{\\"value\\": \\"ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=\\", \\"salt\\": \\"\(salt)\\"}",
         "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\"}"}
        """
    }

    private static let nothing = RealmImporter.Differences()
    private static let (before, after) = ("c2FsdHNhbHRzYWx0MQ==", "c2FsdHNhbHRzYWx0Mg==")

    /// With everything that tests change, by hand or in the file.
    private static func file(
        lifespan: Int = 300,
        redirects: String = #""https://a.example/cb", "https://a.example/old""#,
        secret: String = "a secret that is long",
        web: String = "",
        boss: String = #""reader", "writer""#,
        ann: String =
            #""realmRoles": ["reader"], "groups": ["/staff"], "email": "ann@example.com""#,
        password: String = before,
        codes: String = "",
        users: String = ""
    ) -> String {
        """
        {"realm": "a", "enabled": true, "accessTokenLifespan": \(lifespan),
         "clients": [
            {"clientId": "web", "secret": "\(secret)", "redirectUris": [\(redirects)] \(web)},
            {"clientId": "app", "publicClient": true, "redirectUris": ["https://b.example/cb"]}],
         "roles": {"realm": [{"name": "reader"}, {"name": "writer"}, {"name": "boss",
            "composite": true, "composites": {"realm": [\(boss)]}}]},
         "groups": [{"name": "staff"}, {"name": "guests"}],
         "users": [
            {"id": "p-1", "username": "ann", "enabled": true, \(ann),
             "credentials": [\(hash(password)) \(codes)]},
            {"id": "p-2", "username": "bob", "enabled": true, "email": "bob@example.com"} \(users)]}
        """
    }

    @Test("KC-M-1: what was changed here stays where the file says nothing new, of every kind")
    func stays() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let realm = try await scene.realm
        try await scene.change(client: "web") {
            $0.isEnabled = false
            $0.redirectURIs.removeAll { $0.text.hasSuffix("/old") }
            $0.redirectURIs.append(RedirectURI("https://a.example/new"))
        }
        var settings = realm
        settings.lifetimes.accessToken = 60
        #expect(try await scene.database.realms.update(settings, replacing: nil) == .changed)
        let roles = try await scene.database.realms.roles(realmID: realm.id)
        let writer = try #require(roles.first { $0.name == "writer" })
        #expect(try await scene.database.realms.deleteRole(id: writer.id) == .changed)
        try await scene.change(person: "p-1") {
            $0.isEnabled = false
            $0.email = "ann@new.example"
            $0.attributes["locale"] = ["de"]
        }
        let person = try #require(try await scene.person("p-1"))
        let snapshot = try await scene.database.realms.snapshot()
        for isDryRun in [true, false] {
            let done = try await scene.write(Self.file(), isDryRun: isDryRun)
            #expect(done.differences == Self.nothing, "\(done.report.lines(.skipped))")
            #expect(done.report.says(.skipped, "role writer", "was deleted here"))
            let refused = done.report.groups.filter {
                $0.words.hasSuffix("\(ImportDifference.refused)")
            }
            #expect(refused.isEmpty)
        }
        let later = try await scene.database.realms.snapshot()
        #expect(later.clients == snapshot.clients && later.realms == snapshot.realms)
        #expect(try await scene.person("p-1") == person)
        #expect(
            try await scene.database.realms.roles(realmID: realm.id)
                .count { !$0.roleName.isMade } == 2
        )
    }

    @Test("KC-M-1: what the file changed is written beside what was changed here")
    func both() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        try await scene.change(client: "web") {
            $0.isEnabled = false
            $0.redirectURIs.removeAll { $0.text.hasSuffix("/old") }
        }
        try await scene.change(person: "p-1") { $0.attributes["locale"] = ["de"] }
        let file = Self.file(
            lifespan: 240,
            redirects: #""https://a.example/cb", "https://a.example/old", "https://c.example/cb""#,
            boss: #""reader""#,
            ann: #""realmRoles": ["writer"], "groups": ["/guests"], "email": "ann@two.example""#,
            users: #", {"id": "p-3", "username": "cid", "enabled": true}"#
        )
        let done = try await scene.write(file)
        #expect(done.differences?.people == 2)
        #expect(done.report.lines(.skipped).isEmpty, "\(done.report.lines(.skipped))")
        #expect(try await scene.realm.lifetimes.accessToken == 240)
        let web = try #require(try await scene.client("web"))
        #expect(!web.isEnabled)
        #expect(web.redirectURIs.map(\.text) == ["https://a.example/cb", "https://c.example/cb"])
        let ann = try #require(try await scene.person("p-1"))
        #expect(ann.person.email == "ann@two.example")
        #expect(ann.person.attributes == ["locale": ["de"]])
        #expect(ann.roles.map(\.name) == ["writer"] && ann.groupIDs.count == 1)
        #expect(try await scene.person("p-3") != nil)
        let parts = try await scene.database.realms.roleParts(realmID: try await scene.realm.id)
        #expect(parts.filter { !$0.role.isMade }.map(\.part.name) == ["reader"])
        #expect(try await scene.write(file).differences == Self.nothing)
    }

    @Test("KC-M-1: what both changed stays as it is here, and is named once")
    func conflicts() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        try await scene.change(person: "p-1") { $0.email = "ann@new.example" }
        try await scene.change(client: "web") { $0.name = "Ours" }
        let file = Self.file(
            web: #", "name": "Theirs""#,
            ann: #""realmRoles": ["reader"], "groups": ["/staff"], "email": "ann@two.example""#
        )
        let done = try await scene.write(file)
        #expect(done.report.says(.skipped, "user ann", "email: changed here and in the file"))
        #expect(done.report.says(.skipped, "client web", "name: changed here and in the file"))
        #expect(try await scene.person("p-1")?.person.email == "ann@new.example")
        #expect(try await scene.client("web")?.name == "Ours")
        #expect(try await scene.write(file).report.lines(.skipped).isEmpty)
    }

    @Test("KC-M-1: a password that was chosen here stays; one that was only hashed anew gives way")
    func passwords() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let imported = try #require(try await scene.person("p-1")?.password)
        let stronger = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$BBBB")
        try await scene.database.database.write { transaction in
            try transaction.run(
                "UPDATE people SET password_hash = $1 WHERE id = $2",
                [.text(stronger.encoded), .text("p-1")]
            )
        }
        // The file says nothing new.
        #expect(try await scene.write(Self.file()).differences == Self.nothing)
        #expect(try await scene.person("p-1")?.password == stronger)
        let changed = Self.file(password: Self.after)
        #expect(try await scene.write(changed).differences == .init(things: 0, people: 1))
        let taken = try #require(try await scene.person("p-1")?.password)
        #expect(taken != stronger && taken != imported)
        let chosen = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$CCCC$DDDD")
        #expect(
            try await scene.database.people.setPassword(
                chosen,
                of: "p-1",
                at: RealmImportTests.noon.seconds
            ) == .changed
        )
        let report = try await scene.write(Self.file()).report
        #expect(report.says(.skipped, "user ann", "password: changed here and in the file"))
        #expect(try await scene.person("p-1")?.password == chosen)
    }

    @Test("KC-M-1: a password in the clear is for people who have none here")
    func plainPasswords() async throws {
        func file(_ password: String) -> String {
            #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
             "users": [{"id": "p-1", "username": "ann", "enabled": true,
                "credentials": [{"type": "password", "value": "\#(password)"}]}]}
            """#
        }
        try await scene.write(file("twelve monkeys ride"))
        let before = try await scene.person("p-1")?.password
        #expect(before != nil)
        #expect(try await scene.write(file("twelve monkeys ride")).differences == Self.nothing)
        _ = try await scene.write(file("thirteen monkeys ride"))
        #expect(try await scene.person("p-1")?.password == before)
    }

    @Test("KC-M-1: recovery codes that were spent here do not come back, nor does what was removed")
    func recoveryCodes() async throws {
        let codes = #"""
            , {"type": "recovery-authn-codes", "userLabel": "LABEL", "createdDate": 5,
               "secretData": "{\"codes\": [{\"number\": 1, \"encodedHashedValue\": \"\#(String(repeating: "A", count: 86))==\"}]}",
               "credentialData": "{\"totalCodes\": 1, \"algorithm\": \"SHA-512\"}"},
              {"type": "otp", "userLabel": "phone", "createdDate": 6,
               "secretData": "{\"value\": \"abcdefghijklmnop\"}",
               "credentialData": "{\"subType\": \"totp\", \"digits\": 6}"}
            """#
        let first = Self.file(codes: codes.replacing("LABEL", with: "one"))
        try await scene.write(first)
        try await scene.use()
        let kept = try #require(try await scene.person("p-1")).credentials
        let (recovery, phone) = (
            kept.first { $0.kind == .recoveryCodes }, kept.first { $0.kind == .totp }
        )
        let (recoveryID, phoneID) = (try #require(recovery).id, try #require(phone).id)
        try await scene.database.database.write { transaction in
            try transaction.run(
                "UPDATE credentials SET used = 1 WHERE id = $1",
                [.text(recoveryID)]
            )
            try transaction.run("DELETE FROM credentials WHERE id = $1", [.text(phoneID)])
        }
        #expect(try await scene.write(first).differences == Self.nothing)
        let second = Self.file(
            codes: codes.replacing("LABEL", with: "two").replacing("AA", with: "BB")
        )
        let report = try await scene.write(second).report
        #expect(report.says(.skipped, "user ann", "credentials.recovery-codes"))
        let left = try #require(try await scene.person("p-1")).credentials
        #expect(left.map(\.id) == [recoveryID] && left.first?.used == 1)
    }

    @Test("KC-M-1: a secret that was made anew here stays; one that the file changed is taken")
    func secrets() async throws {
        let registration = ClientRegistration(ring: TestRealm.ring)
        try await scene.write(Self.file())
        try await scene.use()
        try await scene.write(Self.file(secret: "another secret that is long"))
        let web = try #require(try await scene.client("web"))
        #expect(registration.isSecret(SecretText("another secret that is long"), of: web))
        let made = ClientSecret.hashed(Hash256(of: "made here").bytes)
        try await scene.change(client: "web") { $0.secret = made }
        #expect(
            try await scene.write(Self.file(secret: "another secret that is long")).differences
                == Self.nothing
        )
        #expect(try await scene.client("web")?.secret == made)
        let report = try await scene.write(Self.file(secret: "a third secret, long too")).report
        #expect(report.says(.skipped, "client web", "secret: changed here and in the file"))
        #expect(try await scene.client("web")?.secret == made)
    }

    @Test(
        "KC-M-1: a client that was deleted here stays so, and another under its name is another's"
    )
    func deleted() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let web = try #require(try await scene.client("web"))
        let realmID = try await scene.realm.id
        #expect(try await scene.database.realms.deleteClient(id: web.id) == .changed)
        let changed = Self.file(redirects: #""https://evil.example/cb""#)
        let report = try await scene.write(changed).report
        #expect(report.says(.skipped, "client web", "was deleted here"))
        #expect(try await scene.client("web") == nil)
        let ours = Client.app("web", "Ours", realmID: realmID)
        #expect(try await scene.database.realms.create(ours) == .created)
        let again = try await scene.write(Self.file(redirects: #""https://more.example/cb""#))
            .report
        #expect(again.says(.skipped, "client web", "another one was made here"))
        #expect(try await scene.client("web") == ours)
    }

    @Test("KC-M-1: people of one chunk exchange their addresses and user names")
    func exchanged() async throws {
        func file(_ people: [(id: String, name: String, email: String)]) -> String {
            let users = people.map {
                #"{"id": "\#($0.id)", "username": "\#($0.name)", "email": "\#($0.email)", "enabled": true}"#
            }
            return #"""
                {"realm": "a", "enabled": true, "users": [\#(users.joined(separator: ","))],
                 "clients": [{"clientId": "c", "publicClient": true}]}
                """#
        }
        let (x, y, z) = ("x@example.com", "y@example.com", "z@example.com")
        try await scene.write(file([("p-1", "ann", x), ("p-2", "bob", y), ("p-3", "cid", z)]))
        try await scene.use()
        let turned = file([("p-1", "bob", y), ("p-2", "cid", z), ("p-3", "ann", x)])
        let report = try await scene.write(turned).report
        #expect(!report.lines.contains { $0.words.contains("another person") })
        #expect(report.lines(.skipped).isEmpty)
        for (id, name, email) in [("p-1", "bob", y), ("p-2", "cid", z), ("p-3", "ann", x)] {
            let person = try #require(try await scene.person(id)).person
            #expect(person.username == name && person.email == email)
        }
        #expect(try await scene.write(turned).differences == Self.nothing)
        // Who keeps a name here, because it was chosen here, keeps it; and so do all behind them.
        try await scene.change(person: "p-3") { $0.email = "cid@here.example" }
        try await scene.change(person: "p-1") { $0.email = "new@here.example" }
        try await scene.change(person: "p-3") { $0.email = y }
        let back = file([("p-1", "ann", x), ("p-2", "bob", y), ("p-3", "cid", z)])
        let said = try await scene.write(back).report
        #expect(said.says(.changed, "user bob", "another person has the email"))
        #expect(try await scene.person("p-2")?.person.email == z)
        #expect(try await scene.person("p-3")?.person.email == y)
        // Once it is free, the same file again does the rest.
        try await scene.change(person: "p-3") { $0.email = "free@here.example" }
        try await scene.write(back)
        #expect(try await scene.person("p-2")?.person.email == y)
    }

    @Test("KC-M-1: what is typed here while a file is written over a realm is not lost")
    func meanwhile() async throws {
        for round in 0..<20 {
            let scene = try OverwriteScene()
            try await scene.write(Self.file())
            try await scene.use()
            let chosen = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$\(round)$EEEE")
            let file = Self.file(
                ann: #""realmRoles": ["writer"], "groups": [], "email": "ann@two.example""#,
                password: Self.after
            )
            async let written = scene.write(file)
            async let typed = scene.database.people.setPassword(
                chosen,
                of: "p-1",
                at: RealmImportTests.noon.seconds
            )
            _ = try await (written, typed)
            let ann = try #require(try await scene.person("p-1"))
            #expect(ann.password == chosen && ann.person.email == "ann@two.example")
            #expect(ann.roles.map(\.name) == ["writer"])
        }
    }

    @Test("KC-M-1: who writes over what was changed meanwhile is refused, and nothing is written")
    func stale() async throws {
        try await scene.write(Self.file())
        let kept = try #require(try await scene.person("p-1"))
        var new = NewPerson(person: kept.person, password: kept.password, roles: kept.roles)
        new.person.givenName = "Ann"
        try await scene.change(person: "p-1") { $0.familyName = "Lee" }
        let people = scene.database.people
        await #expect(throws: ChangedMeanwhile.self) {
            try await people.overwrite([PersonChange(new, from: kept)], roleIDs: [:])
        }
        #expect(try await scene.person("p-1")?.person.givenName == nil)
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        let state = try await realms.state(of: realmID)
        try await scene.change(client: "web") { $0.name = "Ours" }
        var changes = RealmChanges()
        changes.clients = [try #require(try await scene.client("app"))]
        changes.clients[0].name = "Other"
        await #expect(throws: ChangedMeanwhile.self) {
            try await realms.overwrite(realmID, with: changes, from: state)
        }
        #expect(try await scene.client("app")?.name == "app")
    }

    @Test("KC-M-1: a file that changes between judging and writing is not written")
    func changedFile() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let hasChanged = Locked(false)
        let file = RealmFile(
            name: "file",
            hasChanged: { hasChanged.withLock { $0 } },
            open: { offset throws(FileBytes.Refusal) in
                BytesSource(Array(Array(Self.file(lifespan: 240).utf8)[offset...]))
            }
        )
        let importer = scene.importer()
        let staged = try await importer.stage(
            try RealmSource([file]).realms,
            at: RealmImportTests.noon
        )
        hasChanged.withLock { $0 = true }
        await #expect(throws: RealmFileError(file: "file", reason: .changed)) {
            try await importer.publish(staged, at: RealmImportTests.noon)
        }
        #expect(try await scene.realm.lifetimes.accessToken == 300)
    }

    @Test("KC-M-1: what a file said goes with the person and the realm, and no export has it")
    func notes() async throws {
        try await scene.write(Self.file())
        let realmID = try await scene.realm.id
        func notes() async throws -> Int64? {
            try await scene.database.database.scan { reader in
                try reader.first(
                    "SELECT count(*) FROM realm_parts WHERE kind LIKE '~imported%'",
                    []
                ) { try $0.int64(0) }
            }
        }
        let all = try await notes() ?? 0
        #expect(all > 8)
        #expect(try await scene.database.realms.whole(id: realmID)?.parts.isEmpty == true)
        _ = try await scene.database.people.deletePerson(id: "p-1", realmID: realmID)
        #expect(try await notes() == all - 1)
        _ = try await scene.database.realms.deleteRealm(id: realmID)
        #expect(try await notes() == 0)
    }
}
