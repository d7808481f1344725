import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what an import that is ended or disturbed leaves, and what goes with what")
struct RealmMergeEndedTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let (before, after) = ("c2FsdHNhbHRzYWx0MQ==", "c2FsdHNhbHRzYWx0Mg==")

    private static func hash(_ salt: String) -> String {
        """
        {"type": "password",
         "secretData": "{\\"value\\": \\"ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=\\", \\"salt\\": \\"\(salt)\\"}",
         "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\"}"}
        """
    }

    private static func file(_ ann: String, lifespan: Int = 300, clients: String = "") -> String {
        #"""
        {"realm": "a", "enabled": true, "accessTokenLifespan": \#(lifespan),
         "clients": [{"clientId": "c", "publicClient": true} \#(clients)],
         "users": [{"id": "p-1", "username": "ann", "enabled": true \#(ann)}]}
        """#
    }

    private func run(_ sql: SQLText) async throws {
        try await scene.database.database.write { try $0.run(sql, []) }
    }

    private var ann: KeptPerson {
        get async throws { try #require(try await scene.person("p-1")) }
    }

    @Test("KC-M-1: a thing is not written without its note, however many differ")
    func wholeAtOnce() async throws {
        func file(_ redirects: String) -> String {
            let clients = (1000..<1600).map {
                #", {"clientId": "c\#($0)", "publicClient": true, "redirectUris": [\#(redirects)]}"#
            }
            return Self.file("", clients: clients.joined())
        }
        let first = #""https://a.example/cb""#
        try await scene.write(file(first))
        try await scene.use()
        try await run(
            """
            CREATE TRIGGER ended BEFORE UPDATE ON realm_parts WHEN NEW.id LIKE '%c1599%'
            BEGIN SELECT RAISE(ABORT, 'ended'); END
            """
        )
        let second = file(first + #", "https://b.example/cb""#)
        await #expect(throws: RealmImporter.Unfinished.self) { try await scene.write(second) }
        #expect(try await scene.client("c1000")?.redirectURIs.count == 1)
        try await run("DROP TRIGGER ended")
        #expect(try await scene.write(second).differences == .init(things: 600, people: 0))
        #expect(try await scene.client("c1000")?.redirectURIs.count == 2)
    }

    @Test("KC-M-1: a setting that is changed here after an import was ended stays so")
    func settings() async throws {
        for isNoted in [true, false] {
            let scene = try OverwriteScene()
            try await scene.write(Self.file(""))
            if isNoted {
                try await scene.use()
            } else {
                try await scene.database.database.write { transaction in
                    try transaction.run(
                        "DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'",
                        []
                    )
                }
            }
            try await scene.database.database.write { transaction in
                try transaction.run(
                    """
                    CREATE TRIGGER ended BEFORE UPDATE ON people
                    BEGIN SELECT RAISE(ABORT, 'ended'); END
                    """,
                    []
                )
            }
            let file = Self.file(#", "firstName": "Ann""#, lifespan: 240)
            await #expect(throws: RealmImporter.Unfinished.self) { try await scene.write(file) }
            #expect(try await scene.realm.lifetimes.accessToken == 240)
            try await scene.database.database.write { try $0.run("DROP TRIGGER ended", []) }
            var realm = try await scene.realm
            realm.lifetimes.accessToken = 300
            #expect(try await scene.database.realms.update(realm, replacing: nil) == .changed)
            for _ in 0..<2 {
                try await scene.write(file)
                #expect(try await scene.realm.lifetimes.accessToken == 300)
                #expect(try await scene.person("p-1")?.person.givenName == "Ann")
            }
        }
    }

    @Test("KC-M-1: what is found only when a realm is written over is told, and nothing twice")
    func told() async throws {
        func file(_ mail: String, _ name: String) -> String {
            Self.file(#", "email": "\#(mail)@example.com", "firstName": "\#(name)""#)
        }
        for isEnded in [false, true] {
            let scene = try OverwriteScene()
            try await scene.write(file("one", "One"))
            try await scene.use()
            try await scene.change(person: "p-1") { $0.givenName = "Here" }
            let importer = scene.importer()
            let staged = try await importer.stage(
                try RealmSource([RealmFile(file("two", "Two"))]).realms,
                at: RealmImportTests.noon
            )
            let said = try #require(staged.first).report
            #expect(said.says(.skipped, "user ann", "firstName: changed here and in the file"))
            #expect(!said.says(.skipped, "user ann", "email: changed here and in the file"))
            try await scene.change(person: "p-1") { $0.email = "here@example.com" }
            if isEnded {
                try await scene.database.database.write { transaction in
                    try transaction.run(
                        """
                        CREATE TRIGGER ended BEFORE INSERT ON realm_parts
                        WHEN NEW.id = '["realm"]' BEGIN SELECT RAISE(ABORT, 'ended'); END
                        """,
                        []
                    )
                    // So that it is the last of all.
                    try transaction.run("DELETE FROM realm_parts WHERE id = '[\"realm\"]'", [])
                    try transaction.run("DELETE FROM grants", [])
                }
            }
            var news: [ImportReport] = []
            do {
                try await importer.publish(staged, at: RealmImportTests.noon) { news.append($0) }
                #expect(!isEnded)
            } catch is RealmImporter.Unfinished {
                #expect(isEnded)
            }
            let lines = news.flatMap { $0.lines(.skipped) }
            #expect(lines.map(\.subject) == ["user ann"])
            #expect(lines.allSatisfy { $0.words.hasPrefix("email: changed here and") })
            #expect(news.flatMap(\.lines).count == 1)
        }
        // Where nothing was changed meanwhile, there is nothing to tell.
        let importer = scene.importer()
        try await scene.write(file("one", "One"))
        try await scene.change(person: "p-1") { $0.email = "here@example.com" }
        let staged = try await importer.stage(
            try RealmSource([RealmFile(file("two", "One"))]).realms,
            at: RealmImportTests.noon
        )
        try await importer.publish(staged, at: RealmImportTests.noon) { news in
            Issue.record("\(news.groups)")
        }
    }

    @Test("KC-M-1: a second factor that was taken away here does not come back spelled otherwise")
    func spelled() async throws {
        func file(_ id: Int, _ secret: String) -> String {
            Self.file(
                #"""
                , "credentials": [{"id": "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a00\#(id)", "type": "otp",
                    "createdDate": 6, "secretData": "\#(secret)",
                    "credentialData": "{\"subType\": \"totp\", \"digits\": 6}"}]
                """#
            )
        }
        let first = file(1, #"{\"value\": \"abcdefghijklmnop\"}"#)
        let others = [
            #"{\"value\":\"abcdefghijklmnop\"}"#, #"{ \"value\" : \"abcdefghijklmnop\" }"#,
            #"{\"more\": null, \"value\": \"abcdefghijklmn\u006fp\"}"#,
        ]
        try await scene.write(first)
        try await scene.use()
        // The same one that is there still is not there twice.
        try await scene.write(file(2, others[0]))
        #expect(try await ann.credentials.count == 1)
        try await run("DELETE FROM credentials")
        for (index, secret) in others.enumerated() {
            try await scene.write(file(3 + index, secret))
            #expect(try await ann.credentials.isEmpty, "\(secret)")
        }
        try await scene.write(file(7, #"{\"value\": \"ponmlkjihgfedcba\"}"#))
        #expect(try await ann.credentials.count == 1)
    }

    private static func ann(
        _ salt: String,
        _ email: String,
        isVerified: Bool,
        _ actions: [String]
    ) -> String {
        let actions = actions.map { #""\#($0)""# }.joined(separator: ",")
        return #"""
            , "credentials": [\#(hash(salt))], "requiredActions": [\#(actions)],
            "email": "\#(email)@example.com", "emailVerified": \#(isVerified)
            """#
    }

    @Test("KC-M-1: a password and an address that stay as they are here stay as demanded here")
    func demanded() async throws {
        let both = [RequiredAction.updatePassword, RequiredAction.verifyEmail]
        let demanding = Self.file(Self.ann(Self.before, "one", isVerified: false, both))
        try await scene.write(demanding)
        try await scene.use()
        let chosen = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$EEEE")
        #expect(
            try await scene.database.people.setPassword(
                chosen,
                of: "p-1",
                at: RealmImportTests.noon.seconds
            ) == .changed
        )
        try await scene.change(person: "p-1") {
            $0.requiredActions = both
            $0.email = "here@example.com"
        }
        let free = Self.file(Self.ann(Self.after, "one", isVerified: true, []))
        for _ in 0..<2 {
            try await scene.write(free)
            let ann = try await ann
            #expect(ann.password == chosen && ann.person.email == "here@example.com")
            #expect(!ann.person.isEmailVerified && ann.person.requiredActions == both)
        }
        // Where they are the file's, so is what it demands.
        let other = try OverwriteScene()
        try await other.write(demanding)
        try await other.use()
        try await other.write(free)
        #expect(try await other.person("p-1")?.person.requiredActions == [])
        #expect(try await other.person("p-1")?.person.isEmailVerified == true)
    }

    @Test("KC-M-1: nor is an address proven that its person does not get")
    func demandedOfBefore() async throws {
        let action = [RequiredAction.verifyEmail]
        try await scene.write(
            Self.file(Self.ann(Self.before, "one", isVerified: false, action))
        )
        try await scene.use()
        var own = try await ann.person
        (own.id, own.username, own.email) = ("own", "ours", "two@example.com")
        #expect(
            try await scene.database.people.create(NewPerson(person: own, password: nil))
                == .created
        )
        try await scene.write(Self.file(Self.ann(Self.before, "two", isVerified: true, [])))
        let ann = try await ann.person
        #expect(ann.email == "one@example.com" && !ann.isEmailVerified)
        #expect(ann.requiredActions == action)
    }
}
