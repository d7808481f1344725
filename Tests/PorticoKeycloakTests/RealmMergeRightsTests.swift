import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what a file written over a realm gives no one, and takes from no one")
struct RealmMergeRightsTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let nothing = RealmImporter.Differences()

    private static func hash(_ salt: String) -> String {
        """
        {"type": "password",
         "secretData": "{\\"value\\": \\"ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=\\", \\"salt\\": \\"\(salt)\\"}",
         "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\"}"}
        """
    }

    private static let (before, after) = ("c2FsdHNhbHRzYWx0MQ==", "c2FsdHNhbHRzYWx0Mg==")

    /// One person with everything; each part can be another.
    private static func file(
        web: String = #""publicClient": true"#,
        app: String = "",
        ann: String = "",
        credentials: String = "",
        consent: String = #""tools""#,
        users: String = "",
        realm: String = ""
    ) -> String {
        """
        {"realm": "a", "enabled": true \(realm),
         "clients": [{"clientId": "web", "redirectUris": ["https://a.example/cb"], \(web)},
            {"clientId": "app", "redirectUris": ["https://b.example/cb"], "secret": "a secret that is long" \(app)}],
         "roles": {"realm": [{"name": "reader"}, {"name": "boss", "composite": true,
                "composites": {"client": {"web": ["admin"]}}}],
            "client": {"web": [{"name": "admin"}]}},
         "groups": [{"name": "staff", "clientRoles": {"web": ["admin"]}}],
         "users": [{"id": "p-1", "username": "ann", "enabled": true,
            "realmRoles": ["reader"], "clientRoles": {"web": ["admin"]}, "groups": ["/staff"],
            "clientConsents": [{"clientId": "web", "grantedClientScopes": [\(consent)]}],
            "credentials": [\(credentials)] \(ann)} \(users)]}
        """
    }

    private func run(_ sql: SQLText, _ values: [SQLValue] = []) async throws {
        try await scene.database.database.write { transaction in
            try transaction.run(sql, values)
            try transaction.run("UPDATE realm_version SET version = version + 1", [])
        }
    }

    private var ann: KeptPerson {
        get async throws { try #require(try await scene.person("p-1")) }
    }

    @Test("KC-M-1: who is in a group that was renamed here stays in it, and in it alone")
    func renamedGroup() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let realmID = try await scene.realm.id
        let staff = try #require(try await ann.groupIDs.first)
        try await run("UPDATE groups SET name = 'crew' WHERE id = $1", [.text(staff)])
        #expect(try await scene.write(Self.file()).differences == Self.nothing)
        #expect(try await ann.groupIDs == [staff])
        // Another one under its name is nobody's of the file, now and later.
        let other = Group(
            id: UniqueID(random: .system).text,
            realmID: realmID,
            parentID: nil,
            name: "staff",
            description: "",
            attributes: [:]
        )
        #expect(try await scene.database.realms.create(other) == .created)
        for givenName in ["Ann", "Anna"] {
            let file = Self.file(
                ann: #", "firstName": "\#(givenName)""#,
                users: #", {"id": "p-2", "username": "bob", "enabled": true, "groups": ["/staff"]}"#
            )
            let report = try await scene.write(file).report
            #expect(report.says(.skipped, "group staff", "another one was made here"))
            #expect(try await ann.groupIDs == [staff])
            #expect(try await scene.person("p-2")?.groupIDs == [])
            #expect(try await ann.person.givenName == givenName)
        }
    }

    @Test("KC-M-1: no one loses the roles of a client that the file makes inadmissible")
    func inadmissible() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let before = try await ann
        let realmID = try await scene.realm.id
        let groups = try await scene.database.realms.groups(realmID: realmID)
        let parts = try await scene.database.realms.roleParts(realmID: realmID)
            .filter { !$0.role.isMade }
        #expect(before.roles.count == 2 && parts.count == 1 && groups.first?.roles.count == 1)
        let other = Self.file(web: #""protocol": "saml""#)
        #expect(try await scene.write(other).report.says(.skipped, "client web", "not a client"))
        let roles = try await ann.roles
        #expect(Set(roles) == Set(before.roles))
        #expect(try await scene.database.realms.groups(realmID: realmID) == groups)
        let later = try await scene.database.realms.roleParts(realmID: realmID)
        #expect(later.filter { !$0.role.isMade } == parts)
        // What is taken away here meanwhile does not come back with the client.
        try await run(
            "DELETE FROM person_roles WHERE role_id IN (SELECT id FROM roles WHERE name = 'admin')"
        )
        try await run("DELETE FROM consents")
        try await scene.write(Self.file())
        #expect(try await ann.roles.map(\.name) == ["reader"])
        #expect(try await ann.consents.isEmpty)
    }

    @Test("KC-M-1: a role and a client that were made here anew are given to no one")
    func madeAnew() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let realmID = try await scene.realm.id
        let roles = try await scene.database.realms.roles(realmID: realmID)
        let reader = try #require(roles.first { $0.name == "reader" })
        #expect(try await scene.database.realms.deleteRole(id: reader.id) == .changed)
        let web = try #require(try await scene.client("web"))
        #expect(try await scene.database.realms.deleteClient(id: web.id) == .changed)
        var role = reader
        role.id = UniqueID(random: .system).text
        #expect(try await scene.database.realms.create(role) == .created)
        let ours = Client.app("web", "Ours", realmID: realmID)
        #expect(try await scene.database.realms.create(ours) == .created)
        for name in ["bob", "cid"] {
            let file = Self.file(
                users: #"""
                    , {"id": "p-\#(name)", "username": "\#(name)", "enabled": true,
                    "realmRoles": ["reader", "boss"], "clientRoles": {"web": ["admin"]},
                    "clientConsents": [{"clientId": "web", "grantedClientScopes": ["tools"]}]}
                    """#
            )
            let report = try await scene.write(file).report
            #expect(report.says(.skipped, "role reader", "another one was made here"))
            #expect(report.says(.skipped, "client web", "another one was made here"))
            let person = try #require(try await scene.person("p-\(name)"))
            #expect(person.roles.map(\.name) == ["boss"] && person.consents.isEmpty)
            let ann = try await self.ann
            #expect(ann.roles.isEmpty && ann.consents.isEmpty)
        }
        #expect(try await scene.client("web") == ours)
        let left = try await scene.database.realms.roles(realmID: realmID)
        #expect(left.allSatisfy { $0.clientID == nil || $0.roleName.isMade })
    }

    @Test("KC-M-1: no password of a file comes to someone who registered here under the same name")
    func registered() async throws {
        func file(_ salt: String) -> String {
            Self.file(
                users:
                    #", {"username": "bob", "enabled": true, "credentials": [\#(Self.hash(salt))]}"#
            )
        }
        try await scene.write(Self.file())
        try await scene.use()
        let own = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$BBBB")
        let bob = Person(
            id: "own",
            realmID: try await scene.realm.id,
            username: "bob",
            createdAt: 5
        )
        #expect(
            try await scene.database.people.create(NewPerson(person: bob, password: own))
                == .created
        )
        for salt in [Self.before, Self.after, Self.before] {
            let report = try await scene.write(file(salt)).report
            #expect(report.says(.skipped, "user bob", "someone else here has the user name"))
            let kept = try #require(try await scene.person("own"))
            #expect(kept.password == own && kept.imported == nil && kept.person == bob)
        }
        // Under his id, too.
        let named = Self.file(
            users:
                #", {"id": "own", "username": "bob", "enabled": true, "credentials": [\#(Self.hash(Self.after))]}"#
        )
        for _ in 0..<2 {
            let report = try await scene.write(named).report
            #expect(report.says(.skipped, "user bob", "was made here"))
            #expect(try await scene.person("own")?.imported == nil)
            #expect(try await scene.person("own")?.password == own)
        }
    }

    @Test("KC-M-1: who has no id in the file and was deleted or renamed here does not come back")
    func withoutID() async throws {
        func file(_ word: String) -> String {
            Self.file(
                users: #"""
                    , {"username": "bob", "enabled": true, "firstName": "\#(word)"},
                    {"username": "Cid", "enabled": true, "firstName": "\#(word)"},
                    {"id": "no id, with spaces", "username": "dan", "enabled": true, "firstName": "\#(word)"}
                    """#
            )
        }
        try await scene.write(file("one"))
        try await scene.use()
        let realmID = try await scene.realm.id
        let people = scene.database.people
        let ids = ["bob", "cid", "dan"].map { Person.madeID(of: $0, in: realmID) }
        #expect(try await people.deletePerson(id: ids[0], realmID: realmID) == .changed)
        try await scene.change(person: ids[1]) { $0.username = "cyd" }
        try await scene.change(person: ids[1]) { $0.isEnabled = false }
        for word in ["one", "two"] {
            let report = try await scene.write(file(word)).report
            #expect(report.says(.skipped, "user bob", "was deleted here"))
            let all = try await people.people(realmID: realmID, after: nil, limit: 10)
            #expect(all.map(\.username) == ["ann", "cyd", "dan"])
            #expect(try await scene.person(ids[1])?.person.isEnabled == false)
            #expect(try await scene.person(ids[2])?.person.givenName == word)
        }
    }

    private static func factor(
        _ type: String,
        id: String = "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a001",
        label: String,
        secret: String
    ) -> String {
        let data =
            type == "otp"
            ? #"{\"subType\": \"totp\", \"digits\": 6}"#
            : #"{\"totalCodes\": 1, \"algorithm\": \"SHA-512\"}"#
        return #"""
            {"id": "\#(id)", "type": "\#(type)", "userLabel": "\#(label)", "createdDate": 6,
             "secretData": "{\"value\": \"\#(secret)\"}", "credentialData": "\#(data)"}
            """#
    }

    @Test("KC-M-1: a second factor that was taken away here does not come back in other words")
    func factors() async throws {
        let secret = "abcdefghijklmnop"
        try await scene.write(
            Self.file(credentials: Self.factor("otp", label: "phone", secret: secret))
        )
        try await scene.use()
        try await run("DELETE FROM credentials")
        let other = "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a002"
        let words = [
            Self.factor("otp", label: "mobile", secret: secret),
            Self.factor("otp", id: other, label: "phone 2", secret: secret),
            Self.factor("otp", id: other, label: "phone 3", secret: secret),
        ]
        for word in words {
            let report = try await scene.write(Self.file(credentials: word)).report
            #expect(report.says(.skipped, "user ann", "credentials.totp"))
            #expect(try await ann.credentials.isEmpty)
        }
        // Another one is another one.
        let new = Self.factor(
            "otp",
            id: "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a003",
            label: "tablet",
            secret: "ponmlkjihgfedcba"
        )
        try await scene.write(Self.file(credentials: new))
        #expect(try await ann.credentials.map(\.label) == ["tablet"])
        // Where it is still there, new words are taken.
        try await scene.write(Self.file(credentials: new.replacing("tablet", with: "pad")))
        #expect(try await ann.credentials.map(\.label) == ["pad"])
    }

    @Test("KC-M-1: nor with another secret under its id")
    func factorIDs() async throws {
        try await scene.write(
            Self.file(credentials: Self.factor("otp", label: "phone", secret: "abcdefghijklmnop"))
        )
        try await scene.use()
        try await run("DELETE FROM credentials")
        let other = Self.factor("otp", label: "phone", secret: "ponmlkjihgfedcba")
        let report = try await scene.write(Self.file(credentials: other)).report
        #expect(report.says(.skipped, "user ann", "credentials.totp"))
        #expect(try await ann.credentials.isEmpty)
    }

    @Test("KC-M-1: new recovery codes do not come to who had some, whatever became of them")
    func codes() async throws {
        let first = Self.factor("recovery-authn-codes", label: "one", secret: "AAAA")
        let second = Self.factor(
            "recovery-authn-codes",
            id: "6b0c7e0e-8f4c-4f7d-9d53-5a1fd4f0a004",
            label: "two",
            secret: "BBBB"
        )
        try await scene.write(Self.file(credentials: first))
        try await scene.use()
        try await run("DELETE FROM credentials")
        // Not even after a file that had none.
        for file in [Self.file(credentials: second), Self.file(), Self.file(credentials: first)] {
            try await scene.write(file)
            #expect(try await ann.credentials.isEmpty)
        }
    }

    @Test("KC-M-1: nor do others take the place of those of which one is spent")
    func spentCodes() async throws {
        try await scene.write(
            Self.file(credentials: Self.factor("recovery-authn-codes", label: "", secret: "AAAA"))
        )
        try await scene.use()
        let other = Self.factor("recovery-authn-codes", label: "two", secret: "BBBB")
        try await run("UPDATE credentials SET used = 1")
        let kept = try await ann.credentials
        let report = try await scene.write(Self.file(credentials: other)).report
        #expect(report.says(.skipped, "user ann", "credentials.recovery-codes"))
        #expect(try await ann.credentials == kept)
    }

    @Test("KC-M-1: consent that was taken back here does not come with a longer one of the file")
    func consents() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        // As long as it is the file's, the file may add to it.
        try await scene.write(Self.file(consent: #""tools", "more""#))
        let longer = try await ann.consents.values.first ?? []
        #expect(Set(longer) == ["tools", "more"])
        try await run("DELETE FROM consents")
        let report = try await scene.write(Self.file(consent: #""tools", "more", "most""#)).report
        #expect(report.says(.skipped, "user ann", "changed here and in the file"))
        #expect(try await ann.consents.isEmpty)
    }

    @Test("KC-M-1: a client that the file disables, or protects in another way, is disabled here")
    func tightened() async throws {
        let x509 = #", "clientAuthenticatorType": "client-x509""#
        try await scene.write(Self.file())
        try await scene.use()
        let done = try await scene.write(Self.file(app: x509))
        #expect(done.report.says(.disabled, "client app", "not known here"))
        #expect(try await scene.client("app")?.isEnabled == false)
        // It is given a secret and enabled here: so it stays, and the report says nothing else.
        let made = ClientSecret.hashed(Hash256(of: "made here").bytes)
        try await scene.change(client: "app") {
            $0.secret = made
            $0.isEnabled = true
        }
        let again = try await scene.write(Self.file(app: x509 + #", "description": "new""#))
        #expect(again.report.lines(.disabled).isEmpty)
        #expect(try await scene.client("app")?.isEnabled == true)
        #expect(try await scene.client("app")?.secret == made)
        try await scene.write(Self.file(app: x509 + #", "enabled": false"#))
        #expect(try await scene.client("app")?.isEnabled == false)
    }

    @Test(
        "KC-M-1: a secret that an import made, because the file masked it, gives way to the real one"
    )
    func masks() async throws {
        func file(_ secret: String) -> String {
            Self.file(web: #""secret": "\#(secret)""#)
        }
        let registration = ClientRegistration(ring: TestRealm.ring)
        let mask = "**********"
        let scene = try OverwriteScene()
        try await scene.write(file(mask))
        try await scene.use()
        #expect(try await scene.write(file(mask)).differences == Self.nothing)
        try await scene.write(file("the real one, long"))
        var web = try #require(try await scene.client("web"))
        #expect(registration.isSecret(SecretText("the real one, long"), of: web))
        // A mask afterwards says nothing, and the next one is compared with the real one.
        try await scene.write(file(mask))
        try await scene.write(file("another real one, long"))
        web = try #require(try await scene.client("web"))
        #expect(registration.isSecret(SecretText("another real one, long"), of: web))
        // One that was made here stays.
        try await scene.write(file("**********"))
        try await scene.use()
        let made = ClientSecret.hashed(Hash256(of: "made here").bytes)
        try await scene.change(client: "web") { $0.secret = made }
        for _ in 0..<2 {
            try await scene.write(file("the real one, long"))
            #expect(try await scene.client("web")?.secret == made)
        }
    }

    private static let keys = #"""
        , "components": {"org.keycloak.keys.KeyProvider": [
            {"name": "e", "providerId": "eddsa-generated", "config": {"eddsaPrivateKey":
             ["MC4CAQAwBQYDK2VwBCIEIHW9w2/MhZMyriUA0eAburHNEgefTM44/kfgdcscoZUE"], "active": ["true"]}},
            {"name": "h", "providerId": "hmac-generated", "config": {"kid": ["k"],
             "secret": ["c2VjcmV0IG9mIHRoZSBiZWZvcmU"], "algorithm": ["HS512"]}},
            {"name": "h2", "providerId": "hmac-generated", "config": {"kid": ["k"],
             "secret": ["c2VjcmV0IG9mIHRoZSBiZWZvcmE"], "algorithm": ["HS512"]}}]}
        """#

    @Test("KC-M-1: a key that was retired here does not come back with the file that brought it")
    func retiredKey() async throws {
        let file = Self.file(realm: Self.keys)
        let first = try await scene.write(file).report
        #expect(first.says(.read, "key e", "signs"))
        #expect(first.says(.skipped, "key h2", "twice"))
        try await scene.use()
        let again = try await scene.write(file)
        #expect(again.differences == Self.nothing)
        #expect(again.report.says(.read, "key e", "stays as it is here"))
        #expect(again.report.says(.read, "key h", "stays as it is here"))
        let leaked = try #require(
            try await scene.database.realms.snapshot().keys.first { $0.algorithm == .edDSA }
        )
        var retired = leaked
        retired.retiredFrom = 5
        try await scene.database.realms.rotate(adding: [], changing: [retired])
        try await scene.database.realms.removeKeys(retiredBefore: 6)
        try await run("DELETE FROM kept_keys WHERE kind = 'hmac'")
        for _ in 0..<2 {
            let report = try await scene.write(file).report
            #expect(report.says(.skipped, "key e", "was deleted here"))
            #expect(report.says(.skipped, "key h", "was deleted here"))
            let snapshot = try await scene.database.realms.snapshot()
            #expect(!snapshot.keys.contains { $0.keyID == leaked.keyID })
            #expect(snapshot.keptKeys.isEmpty)
        }
    }

    @Test("KC-M-1: people who are written hundreds apart exchange their names and addresses, too")
    func exchangedFarApart() async throws {
        func file(first: String, last: String, lastEmail: String) -> String {
            let names = [first] + (2..<250).map { "user\($0)" } + [last]
            let users = names.enumerated().map { index, name in
                let email = index == 0 ? "first@\(first)" : index == 249 ? lastEmail : "\(index)@b"
                return """
                    {"id": "p-\(1000 + index)", "username": "\(name)", "enabled": true,
                     "email": "\(email).example"}
                    """
            }
            return #"{"realm": "a", "enabled": true, "users": [\#(users.joined(separator: ","))]}"#
        }
        try await scene.write(file(first: "ann", last: "bob", lastEmail: "first@bob"))
        let turned = file(first: "bob", last: "ann", lastEmail: "first@ann")
        let done = try await scene.write(turned)
        #expect(done.differences?.people == 2 && done.report.lines(.skipped).isEmpty)
        let (first, last) = (try await scene.person("p-1000"), try await scene.person("p-1249"))
        #expect(first?.person.username == "bob" && first?.person.email == "first@bob.example")
        #expect(last?.person.username == "ann" && last?.person.email == "first@ann.example")
        #expect(try await scene.write(turned).differences == Self.nothing)
        // A name that someone has who keeps it is said once, and nobody loses one.
        try await scene.change(person: "p-1001") { $0.username = "held" }
        let said = try await scene.write(
            file(first: "held", last: "ann", lastEmail: "first@ann")
        ).report
        #expect(said.lines.count { $0.words.contains("someone else here has the user name") } == 1)
        #expect(try await scene.person("p-1000")?.person.username == "bob")
    }

    @Test("KC-M-1: what an import wrote before it was ended is not taken for something made here")
    func ended() async throws {
        try await scene.write(Self.file())
        try await scene.use()
        let realm = try await scene.realm
        let role = Role(
            id: UniqueID(random: .system).text,
            realmID: realm.id,
            clientID: nil,
            name: "late",
            description: "",
            attributes: [:]
        )
        var changes = RealmChanges()
        changes.roles = [role]
        changes.imported = [
            RealmPart(
                realmID: realm.id,
                kind: RealmPart.imported,
                id: ImportNotes.Name.role(role.roleName),
                document: ImportedFields(of: role.fields).document
            )
        ]
        try await scene.database.realms.overwrite(
            realm.id,
            with: changes,
            from: try await scene.database.realms.state(of: try await scene.realm.id)
        )
        let file = Self.file(
            users: #", {"id": "p-2", "username": "bob", "enabled": true, "realmRoles": ["late"]}"#
        ).replacing(#"{"name": "reader"}"#, with: #"{"name": "reader"}, {"name": "late"}"#)
        try await scene.write(file)
        #expect(try await scene.person("p-2")?.roles.map(\.name) == ["late"])
    }

    @Test("KC-M-1: a credential under an id that someone else's has gets a new one")
    func takenCredentialID() async throws {
        let secret = "abcdefghijklmnop"
        try await scene.write(
            Self.file(credentials: Self.factor("otp", label: "phone", secret: secret))
        )
        try await scene.use()
        let factor = Self.factor("otp", label: "hers", secret: "ponmlkjihgfedcba")
        let users =
            #", {"id": "p-2", "username": "bea", "enabled": true, "credentials": [\#(factor)]}"#
        for _ in 0..<2 {
            try await scene.write(Self.file(users: users))
            let bea = try #require(try await scene.person("p-2")).credentials
            #expect(bea.map(\.label) == ["hers"])
            let hers = try await ann.credentials.first?.id
            #expect(bea.first?.id != hers)
            let opened = try CredentialSeal(ring: TestRealm.ring).open(
                try #require(bea.first).sealedSecret,
                of: try #require(bea.first).id
            )
            #expect(opened.reveal().contains("ponmlkjihgfedcba"))
        }
        // In a new realm, too.
        let other = Self.file(credentials: Self.factor("otp", label: "b", secret: secret))
            .replacing(#""realm": "a""#, with: #""realm": "b""#)
            .replacing("p-1", with: "p-9")
        try await scene.write(other)
        #expect(try await scene.database.realms.snapshot().realms.count == 2)
    }

    @Test("KC-M-1: a realm without notes in which someone chose a password is not written over")
    func chosenPassword() async throws {
        for isPassword in [true, false] {
            let scene = try OverwriteScene()
            let factor = Self.factor("otp", label: "phone", secret: "abcdefghijklmnop")
            try await scene.write(Self.file(credentials: factor))
            try await scene.database.database.write { transaction in
                try transaction.run("DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'", [])
            }
            // Until then the file's word counts.
            try await scene.write(Self.file(credentials: factor), isDryRun: true)
            let importer = scene.importer()
            let staged = try await importer.stage(
                try RealmSource([RealmFile(Self.file(consent: #""more""#))]).realms,
                at: RealmImportTests.noon
            )
            if isPassword {
                #expect(
                    try await scene.database.people.setPassword(
                        PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$BBBB"),
                        of: "p-1",
                        at: RealmImportTests.noon.seconds
                    ) == .changed
                )
            } else {
                try await scene.database.database.write { transaction in
                    try transaction.run("UPDATE credentials SET used = 5", [])
                }
            }
            let before = try await scene.person("p-1")
            await #expect(throws: RealmImporter.InUse.self) {
                try await importer.publish(staged, at: RealmImportTests.noon)
            }
            await #expect(throws: RealmImporter.InUse.self) {
                try await scene.write(Self.file(consent: #""more""#))
            }
            #expect(try await scene.person("p-1") == before)
        }
    }
}
