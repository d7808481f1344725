import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: people of a file written over a realm, and who they are here")
struct RealmMergePeopleTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let nothing = RealmImporter.Differences()
    private static let (before, after) = ("c2FsdHNhbHRzYWx0MQ==", "c2FsdHNhbHRzYWx0Mg==")
    private static let (low, high) = (
        "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    )

    private static func hash(_ salt: String) -> String {
        """
        {"type": "password",
         "secretData": "{\\"value\\": \\"ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=\\", \\"salt\\": \\"\(salt)\\"}",
         "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\"}"}
        """
    }

    private static func user(
        _ id: String?,
        _ username: String,
        password: String? = nil,
        links: String = "",
        more: String = ""
    ) -> String {
        let id = id.map { #""id": "\#($0)", "# } ?? ""
        return #"""
            {\#(id)"username": "\#(username)", "enabled": true, "federatedIdentities": [\#(links)],
             "credentials": [\#(password.map(hash) ?? "")] \#(more)}
            """#
    }

    private static func link(_ subject: String, name: String = "n", at alias: String = "google")
        -> String
    {
        #"{"identityProvider": "\#(alias)", "userId": "\#(subject)", "userName": "\#(name)"}"#
    }

    private static func file(_ users: String...) -> String {
        file(users)
    }

    private static func file(_ users: [String]) -> String {
        #"""
        {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
         "users": [\#(users.joined(separator: ","))]}
        """#
    }

    private func run(_ sql: SQLText, _ values: [SQLValue] = []) async throws {
        try await scene.database.database.write { try $0.run(sql, values) }
    }

    private func forgetNotes(_ other: OverwriteScene? = nil) async throws {
        try await (other ?? scene).database.database.write { transaction in
            try transaction.run("DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'", [])
        }
    }

    private func choose(_ word: String, _ id: String) async throws -> PasswordHash {
        let chosen = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$\(word)$EEEE")
        #expect(
            try await scene.database.people.setPassword(
                chosen,
                of: id,
                at: RealmImportTests.noon.seconds
            ) == .changed
        )
        return chosen
    }

    @Test("KC-M-1: whom the file names by an id is no one else of it, though they had the name")
    func namedByID() async throws {
        let first = Self.file(Self.user(Self.low, "bob", password: Self.before))
        let second = Self.file(
            Self.user(Self.low, "robert", password: Self.before),
            Self.user(nil, "bob", password: Self.after)
        )
        for isNoted in [true, false] {
            let scene = try OverwriteScene()
            try await scene.write(first)
            if isNoted {
                try await scene.use()
            } else {
                try await forgetNotes(scene)
            }
            let before = try #require(try await scene.person(Self.low)).password
            for _ in 0..<2 {
                try await scene.write(second)
                let robert = try #require(try await scene.person(Self.low))
                #expect(robert.person.username == "robert" && robert.password == before)
                let bob = try await scene.database.people.credentials(
                    realmID: try await scene.realm.id,
                    login: "bob",
                    byEmail: false
                )
                #expect(bob?.person.id != Self.low && bob?.password != before)
            }
        }
    }

    @Test("KC-M-1: nor where the file names them further on, behind an id that is none")
    func namedByIDLater() async throws {
        let last = "99999999-9999-4999-8999-999999999999"
        let crowd = (0..<150).map { Self.user("5555-\(1000 + $0)", "user\($0)") }
        try await scene.write(
            Self.file(crowd + [Self.user(last, "bob", password: Self.before)])
        )
        let before = try await scene.person(last)?.password
        try await forgetNotes()
        try await scene.write(
            Self.file(
                [Self.user("! none", "bob", password: Self.after)] + crowd
                    + [Self.user(last, "robert", password: Self.before)]
            )
        )
        let robert = try #require(try await scene.person(last))
        #expect(robert.person.username == "robert" && robert.password == before)
        let bob = try await scene.database.people.credentials(
            realmID: robert.person.realmID,
            login: "bob",
            byEmail: false
        )
        #expect(bob != nil && bob?.person.id != last)
    }

    @Test("KC-M-1: who had an id in the file before is not who has their name and none")
    func withoutIDNow() async throws {
        try await scene.write(Self.file(Self.user(Self.low, "bob", password: Self.before)))
        try await scene.use()
        let before = try await scene.person(Self.low)
        let report = try await scene.write(
            Self.file(Self.user(nil, "bob", password: Self.after))
        ).report
        #expect(report.says(.skipped, "user bob", "someone else here has the user name"))
        #expect(try await scene.person(Self.low) == before)
    }

    @Test("KC-M-1: ids by chance, of imports before there were notes, are not known by the names")
    func byChance() async throws {
        try await scene.write(Self.file(Self.user(Self.low, "bob", password: Self.before)))
        try await forgetNotes()
        let before = try await scene.person(Self.low)
        for _ in 0..<2 {
            let file = Self.file(Self.user(nil, "bob", password: Self.after))
            let report = try await scene.write(file).report
            #expect(report.says(.skipped, "user bob", "someone else here has the user name: made"))
            #expect(try await scene.person(Self.low) == before)
        }
        // Nor by the id any more: the realm has its notes now.
        let named = Self.file(Self.user(Self.low, "bob", password: Self.after))
        #expect(try await scene.write(named).report.says(.skipped, "user bob", "was made here"))
        #expect(try await scene.person(Self.low) == before)
    }

    private func subjects(_ id: String) async throws -> [String]? {
        try await scene.person(id)?.identities.map(\.subject)
    }

    @Test("KC-M-1: an account at a provider moves to another person, near or far in the file")
    func movedAccount() async throws {
        let crowd = (0..<150).map { Self.user("5555-\(1000 + $0)", "user\($0)") }
        for between in [[], crowd] {
            let scene = try OverwriteScene()
            let last = "99999999-9999-4999-8999-999999999999"
            try await scene.write(
                Self.file(between + [Self.user(last, "ann", links: Self.link("123"))])
            )
            try await scene.use()
            // Lower ids are written first.
            let file = Self.file(
                [Self.user(Self.low, "bob", links: Self.link("123"))] + between
                    + [Self.user(last, "ann")]
            )
            try await scene.write(file)
            #expect(try await scene.person(Self.low)?.identities.map(\.subject) == ["123"])
            #expect(try await scene.person(last)?.identities.isEmpty == true)
            #expect(try await scene.write(file).differences == Self.nothing)
            // And two people exchange theirs.
            for (one, two) in [("123", "456"), ("456", "123")] {
                let report = try await scene.write(
                    Self.file(
                        [Self.user(Self.low, "bob", links: Self.link(one))] + between
                            + [Self.user(last, "ann", links: Self.link(two))]
                    )
                ).report
                #expect(report.lines(.skipped).isEmpty)
                #expect(try await scene.person(Self.low)?.identities.map(\.subject) == [one])
                #expect(try await scene.person(last)?.identities.map(\.subject) == [two])
            }
        }
    }

    @Test(
        "KC-M-1: an account at a provider that someone else keeps here stays theirs, and is named"
    )
    func keptAccount() async throws {
        try await scene.write(Self.file(Self.user(Self.high, "ann"), Self.user("p-3", "cid")))
        try await scene.use()
        var ann = try #require(try await scene.person(Self.high)).person
        let made = FederatedIdentity(provider: "google", subject: "123", username: nil)
        #expect(try await scene.database.people.link(made, to: ann) == .created)
        // To someone new, and to someone who is here; by who is in the file, and who is not.
        ann.id = "ours"
        ann.username = "ours"
        #expect(
            try await scene.database.people.create(NewPerson(person: ann, password: nil))
                == .created
        )
        let other = FederatedIdentity(provider: "google", subject: "456", username: nil)
        #expect(try await scene.database.people.link(other, to: ann) == .created)
        let file = Self.file(
            Self.user(Self.low, "bob", links: Self.link("123")),
            Self.user(Self.high, "ann"),
            Self.user("p-3", "cid", links: Self.link("456") + "," + Self.link("7", at: "gh"))
        )
        for _ in 0..<2 {
            let report = try await scene.write(file).report
            let words = "federatedIdentities.google: someone else here has the account"
            #expect(report.says(.skipped, "user bob", words))
            #expect(report.says(.skipped, "user cid", words))
            #expect(try await subjects(Self.high) == ["123"])
            #expect(try await subjects("ours") == ["456"])
            #expect(try await subjects(Self.low) == [])
            #expect(try await subjects("p-3") == ["7"])
        }
        // Once it is free, the same file again does the rest.
        _ = try await scene.database.people.unlink(
            "google",
            from: Self.high,
            realmID: try await scene.realm.id
        )
        try await scene.write(file)
        #expect(try await subjects(Self.low) == ["123"])
    }

    @Test("KC-M-1: an account at a provider that was taken away or changed here stays so")
    func changedAccount() async throws {
        func file(_ links: String) -> String { Self.file(Self.user(Self.low, "ann", links: links)) }
        try await scene.write(file(Self.link("123")))
        try await scene.use()
        // The file may change it as long as it is the file's.
        try await scene.write(file(Self.link("456", name: "one")))
        #expect(try await subjects(Self.low) == ["456"])
        let realmID = try await scene.realm.id
        let people = scene.database.people
        _ = try await people.unlink("google", from: Self.low, realmID: realmID)
        // In other words, too.
        for name in ["one", "two"] {
            try await scene.write(file(Self.link("456", name: name)))
            #expect(try await subjects(Self.low) == [])
        }
        let person = try #require(try await scene.person(Self.low)).person
        let ours = FederatedIdentity(provider: "google", subject: "9", username: nil)
        #expect(try await people.link(ours, to: person) == .created)
        let report = try await scene.write(file(Self.link("789"))).report
        #expect(report.says(.skipped, "user ann", "federatedIdentities.google: changed here and"))
        #expect(try await subjects(Self.low) == ["9"])
    }

    @Test("KC-M-1: what was taken away here stays away after a file that lacks it, too")
    func lacking() async throws {
        let factors = [
            ("otp", "abcdefghijklmnop", #"{\"subType\": \"totp\", \"digits\": 6}"#),
            ("recovery-authn-codes", "AAAA", #"{\"totalCodes\": 1, \"algorithm\": \"SHA-512\"}"#),
        ]
        for (type, secret, data) in factors {
            for hasID in [true, false] {
                let scene = try OverwriteScene()
                let id = hasID ? #""id": "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a001","# : ""
                let factor = #"""
                    {\#(id) "type": "\#(type)", "createdDate": 6, "credentialData": "\#(data)",
                     "secretData": "{\"value\": \"\#(secret)\"}"}
                    """#
                func file(_ credentials: String, _ consents: String) -> String {
                    #"""
                    {"realm": "a", "enabled": true,
                     "clients": [{"clientId": "web", "publicClient": true}],
                     "users": [{"id": "p-1", "username": "ann", "enabled": true,
                        "credentials": [\#(credentials)], "clientConsents": [\#(consents)]}]}
                    """#
                }
                let consent = #"{"clientId": "web", "grantedClientScopes": ["tools"]}"#
                let all = file(factor, consent)
                try await scene.write(all)
                try await scene.use()
                #expect(try await scene.person("p-1")?.credentials.count == 1)
                try await scene.database.database.write { transaction in
                    try transaction.run("DELETE FROM credentials", [])
                    try transaction.run("DELETE FROM consents", [])
                }
                for text in [all, file("", ""), file("", ""), all, all] {
                    try await scene.write(text)
                    let ann = try #require(try await scene.person("p-1"))
                    #expect(ann.credentials.isEmpty && ann.consents.isEmpty, "\(type) \(hasID)")
                }
            }
        }
    }

    @Test("KC-M-1: a password chosen while a realm without notes is written over is not lost")
    func chosenMeanwhile() async throws {
        let factor = #"""
            , {"id": "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a001", "type": "otp", "createdDate": 6,
               "userLabel": "LABEL", "secretData": "{\"value\": \"abcdefghijklmnop\"}",
               "credentialData": "{\"subType\": \"totp\", \"digits\": 6}"}
            """#
        func file(_ salt: String, _ label: String) -> String {
            let credentials = Self.hash(salt) + factor.replacing("LABEL", with: label)
            return #"""
                {"realm": "a", "enabled": true, "clients": [{"clientId": "c", "publicClient": true}],
                 "users": [{"id": "p-1", "username": "ann", "enabled": true,
                    "credentials": [\#(credentials)]}, \#(Self.user("p-2", "bob", password: salt))]}
                """#
        }
        try await scene.write(file(Self.before, "phone"))
        try await forgetNotes()
        let bob = try await scene.person("p-2")?.password
        // After the realm was judged, and before people are read.
        try await run(
            """
            CREATE TRIGGER chosen AFTER UPDATE ON realm_version BEGIN
                UPDATE people SET password_hash = 'chosen', epoch = 1 WHERE id = 'p-1';
                UPDATE credentials SET used = 7;
            END
            """
        )
        try await scene.write(file(Self.after, "other"))
        let ann = try #require(try await scene.person("p-1"))
        #expect(ann.password == PasswordHash(encoded: "chosen"))
        #expect(ann.credentials.map(\.label) == ["phone"] && ann.credentials.first?.used == 7)
        #expect(try await scene.person("p-2")?.password != bob)
        // Later, too.
        try await scene.change(person: "p-1") { $0.givenName = "Ann" }
        try await scene.write(file(Self.before, "other"))
        #expect(try await scene.person("p-1")?.password == PasswordHash(encoded: "chosen"))
    }

    @Test(
        "KC-M-1: a password is the file's however often its person was disabled, until one is chosen"
    )
    func toggled() async throws {
        func file(_ salt: String) -> String {
            Self.file(Self.user("p-1", "ann", password: salt))
        }
        func toggle() async throws {
            try await scene.change(person: "p-1") { $0.isEnabled = false }
            try await scene.change(person: "p-1") { $0.isEnabled = true }
        }
        try await scene.write(file(Self.before))
        try await scene.use()
        // Hashed anew at a sign-in.
        try await run("UPDATE people SET password_hash = 'stronger' WHERE id = 'p-1'")
        try await toggle()
        let done = try await scene.write(file(Self.after))
        #expect(done.differences == .init(things: 0, people: 1))
        #expect(done.report.lines(.skipped).isEmpty)
        #expect(
            try await scene.person("p-1")?.password != PasswordHash(encoded: "stronger")
        )
        let chosen = try await choose("one", "p-1")
        try await toggle()
        for salt in [Self.before, Self.after, Self.before] {
            let report = try await scene.write(file(salt)).report
            #expect(report.says(.skipped, "user ann", "password: changed here and in the file"))
            #expect(try await scene.person("p-1")?.password == chosen)
        }
        // It goes with the person.
        let realmID = try await scene.realm.id
        #expect(
            try await scene.database.people.deletePerson(id: "p-1", realmID: realmID) == .changed
        )
        let left = try await scene.database.database.scan { reader in
            try reader.rows("SELECT kind FROM realm_parts WHERE id = 'p-1'", []) { try $0.text(0) }
        }
        #expect(left.isEmpty)
    }

    @Test("KC-M-1: an import over a realm without notes that is ended is completed by the next")
    func begun() async throws {
        func file(_ salt: String, isEnabled: Bool, _ client: String) -> String {
            let users = (0..<150).map { index in
                Self.user("p-\(1000 + index)", "user\(index)", password: salt)
                    .replacing(#""enabled": true"#, with: #""enabled": \#(isEnabled)"#)
            }
            return #"""
                {"realm": "a", "enabled": true,
                 "clients": [{"clientId": "c", "publicClient": true, "description": "\#(client)"}],
                 "users": [\#(users.joined(separator: ","))]}
                """#
        }
        try await scene.write(file(Self.before, isEnabled: true, "one"))
        try await forgetNotes()
        try await run(
            """
            CREATE TRIGGER ended BEFORE UPDATE ON people WHEN NEW.id = 'p-1120'
            BEGIN SELECT RAISE(ABORT, 'ended'); END
            """
        )
        let second = file(Self.after, isEnabled: false, "two")
        await #expect(throws: RealmImporter.Unfinished.self) { try await scene.write(second) }
        try await run("DROP TRIGGER ended")
        let later = try await scene.person("p-1120")?.password
        // Changed here since: by someone who was written, and by an administrator.
        let chosen = try await choose("one", "p-1001")
        try await scene.change(client: "c") { $0.isEnabled = false }
        try await scene.use()
        try await scene.write(second)
        #expect(try await scene.person("p-1001")?.password == chosen)
        #expect(try await scene.client("c")?.isEnabled == false)
        let rest = try #require(try await scene.person("p-1120"))
        #expect(!rest.person.isEnabled && rest.password != later)
        #expect(try await scene.write(second).differences == Self.nothing)
    }
}
