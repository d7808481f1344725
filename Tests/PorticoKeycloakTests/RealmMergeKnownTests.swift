import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: who in a realm is whom of a file, and whose is what nobody shares")
struct RealmMergeKnownTests {
    private static let nothing = RealmImporter.Differences()
    private static let (before, after) = ("c2FsdHNhbHRzYWx0MQ==", "c2FsdHNhbHRzYWx0Mg==")
    private static let (low, high, last) = (
        "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222",
        "99999999-9999-4999-8999-999999999999"
    )
    private static let (one, two) = (
        "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "did:plc:aaaa7nxzyoun6zhxrhs64oiz"
    )

    private static func hash(_ salt: String) -> String {
        """
        {"type": "password",
         "secretData": "{\\"value\\": \\"ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=\\", \\"salt\\": \\"\(salt)\\"}",
         "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\"}"}
        """
    }

    private static func user(_ id: String?, _ username: String, _ more: String = "") -> String {
        let id = id.map { #""id": "\#($0)", "# } ?? ""
        return #"{\#(id)"username": "\#(username)", "enabled": true \#(more)}"#
    }

    private static func did(_ did: String) -> String {
        #", "attributes": {"did": ["\#(did)"]}"#
    }

    private static func link(_ subject: String) -> String {
        #", "federatedIdentities": [{"identityProvider": "google", "userId": "\#(subject)"}]"#
    }

    private static let admin = #", "realmRoles": ["admin"]"#

    private static func file(_ users: [String] = []) -> String {
        #"""
        {"realm": "a", "enabled": true, "roles": {"realm": [{"name": "admin"}]},
         "clients": [{"clientId": "jobs", "secret": "a secret that is long", "serviceAccountsEnabled": true},
            {"clientId": "more", "secret": "a secret that is long", "serviceAccountsEnabled": true}],
         "users": [\#(users.joined(separator: ","))]}
        """#
    }

    private static let crowd = (0..<150).map { user("5555-\(1000 + $0)", "user\($0)") }

    private func run(_ scene: OverwriteScene, _ sql: SQLText) async throws {
        try await scene.database.database.write { try $0.run(sql, []) }
    }

    private func forgetNotes(_ scene: OverwriteScene) async throws {
        try await run(scene, "DELETE FROM realm_parts WHERE substr(kind, 1, 1) = '~'")
    }

    private func create(
        _ scene: OverwriteScene,
        _ id: String,
        _ username: String,
        password: PasswordHash? = nil,
        did: String? = nil
    ) async throws -> Person {
        var person = Person(
            id: id,
            realmID: try await scene.realm.id,
            username: username,
            createdAt: 5
        )
        person.attributes[Person.didAttribute] = did.map { [$0] }
        let new = NewPerson(person: person, password: password)
        #expect(try await scene.database.people.create(new) == .created)
        return person
    }

    private func people(_ scene: OverwriteScene) async throws -> [Person] {
        try await scene.database.people.people(
            realmID: try await scene.realm.id,
            after: nil,
            limit: 9
        )
    }

    private func delete(_ id: String, _ scene: OverwriteScene) async throws {
        let realmID = try await scene.realm.id
        #expect(
            try await scene.database.people.deletePerson(id: id, realmID: realmID) == .changed
        )
    }

    @Test("KC-M-1: who has the user name and came with no import gets nothing, and is named")
    func madeHere() async throws {
        let own = PasswordHash(encoded: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$BBBB")
        let clear = #"{"type": "password", "value": "twelve monkeys ride"}"#
        for credential in ["", clear, Self.hash(Self.before)] {
            for isBegun in [true, false] {
                for password in [own, nil] {
                    let scene = try OverwriteScene()
                    try await scene.write(Self.file())
                    try await forgetNotes(scene)
                    // Long before the import, and again after it is done.
                    let bob = try await create(scene, "own", "bob", password: password)
                    if isBegun {
                        try await scene.write(Self.file())
                        try await run(
                            scene,
                            #"DELETE FROM realm_parts WHERE id = '["realm"]'"#
                        )
                    }
                    let file = Self.file([
                        Self.user(nil, "bob", #", "credentials": [\#(credential)]"# + Self.admin)
                    ])
                    for _ in 0..<2 {
                        let report = try await scene.write(file).report
                        let words = "someone else here has the user name: made here, stays"
                        #expect(report.says(.skipped, "user bob", words))
                        let kept = try #require(try await scene.person("own"))
                        #expect(kept.person == bob && kept.password == password)
                        #expect(kept.roles.isEmpty && kept.imported == nil)
                        #expect(try await people(scene).count == 1)
                    }
                }
            }
        }
        // With the id that they have here, the file means them.
        let scene = try OverwriteScene()
        try await scene.write(Self.file())
        try await forgetNotes(scene)
        _ = try await create(scene, "own", "bob", password: own)
        try await scene.write(Self.file([Self.user("own", "bob", Self.admin)]))
        #expect(try await scene.person("own")?.roles.count == 1)
    }

    @Test("KC-M-1: who was deleted here does not come back with an id in the file, or without one")
    func idsComeAndGo() async throws {
        let pairs: [(String?, String?)] = [
            (Self.low, nil), (nil, Self.low), (Self.low, Self.high),
        ]
        for (before, later) in pairs {
            for isTold in [true, false] {
                let scene = try OverwriteScene()
                func file(_ id: String?, _ more: String = "") -> String {
                    Self.file([Self.user(id, "bob", Self.admin + more), Self.user("z", "zed")])
                }
                try await scene.write(file(before))
                try await scene.use()
                if isTold {
                    try await scene.write(file(before, #", "firstName": "Bob""#))
                    // While he is here, he is someone else.
                    let report = try await scene.write(file(later)).report
                    #expect(report.lines(.skipped).contains { $0.subject == "user bob" })
                    #expect(try await people(scene).count == 2)
                }
                let bob = try await people(scene).first { $0.username == "bob" }
                try await delete(try #require(bob).id, scene)
                for id in [later, before, later] {
                    let report = try await scene.write(file(id)).report
                    #expect(report.lines(.skipped).contains { $0.subject == "user bob" })
                    #expect(try await people(scene).map(\.username) == ["zed"])
                }
            }
        }
        // Nor who was renamed here, and had no id in the file.
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(nil, "bob", Self.admin)]))
        try await scene.use()
        let bob = try #require(try await people(scene).first)
        try await scene.change(person: bob.id) { $0.username = "rob" }
        let file = Self.file([Self.user(Self.low, "bob", Self.admin)])
        let report = try await scene.write(file).report
        let words = "someone else has the user name here, or had it"
        #expect(report.says(.skipped, "user bob", words))
        #expect(try await people(scene).map(\.username) == ["rob"])
        // Others of the file are made.
        try await scene.write(Self.file([Self.user(Self.high, "ann"), Self.user(nil, "cid")]))
        #expect(try await people(scene).map(\.username) == ["ann", "cid", "rob"])
    }

    /// - Parameter isChecked: As an administrator does who may change some people only.
    private func rename(
        _ id: String,
        _ username: String,
        _ scene: OverwriteScene,
        isChecked: Bool = false
    ) async throws {
        guard isChecked else {
            try await scene.change(person: id) { $0.username = username }
            return
        }
        let former = try #require(try await scene.person(id)).person
        var person = former
        person.username = username
        let change = try await scene.database.people.update(person, replacing: former) { _ in true }
        #expect(change == .changed)
    }

    @Test("KC-M-1: who was renamed here is not made anew, under any user name that they had")
    func renamedHere() async throws {
        let words = "someone else has the user name here, or had it"
        for later in [nil, Self.high] {
            for name in ["bob", "rob", "Bob"] {
                for isChecked in [true, false] {
                    let scene = try OverwriteScene()
                    let first = Self.user(
                        Self.low,
                        "bob",
                        #", "credentials": [\#(Self.hash(Self.before))]"# + Self.admin
                    )
                    try await scene.write(Self.file([first, Self.user("z", "zed")]))
                    try await scene.use()
                    try await rename(Self.low, "rob", scene, isChecked: isChecked)
                    try await rename(Self.low, "ann", scene, isChecked: isChecked)
                    try await scene.change(person: Self.low) { $0.isEnabled = false }
                    let before = try #require(try await scene.person(Self.low))
                    let other = Self.user(
                        later,
                        name,
                        #", "firstName": "Bob", "credentials": [\#(Self.hash(Self.after))]"#
                            + Self.admin
                    )
                    let file = Self.file([other, Self.user("z", "zed")])
                    for _ in 0..<2 {
                        let report = try await scene.write(file).report
                        #expect(report.says(.skipped, "user \(name.lowercased())", words))
                        #expect(try await people(scene).map(\.username) == ["ann", "zed"])
                        #expect(try await scene.person(Self.low) == before)
                    }
                    // Nor when they are deleted then.
                    try await delete(Self.low, scene)
                    for again in [other, Self.user(later, "ann")] {
                        let report = try await scene.write(Self.file([again])).report
                        #expect(report.lines(.skipped).contains { $0.words.contains(words) })
                        #expect(try await people(scene).map(\.username) == ["zed"])
                    }
                }
            }
        }
    }

    @Test("KC-M-1: who stands in the file beside who was renamed here is someone else, and is made")
    func besideTheRenamed() async throws {
        let words = "someone else has the user name here, or had it"
        // Before and behind in the file, with many between whose ids begin alike, and in capitals.
        let many = (0..<150).map { Self.user("\(Self.high.dropLast(3))\(100 + $0)", "user\($0)") }
        for (id, said) in [
            (Self.low, Self.low), (Self.last, Self.last),
            ("ABCDEFAB-1111-4111-8111-111111111111", "abcdefab-1111-4111-8111-111111111111"),
        ] {
            for isDeleted in [false, true] {
                let scene = try OverwriteScene()
                try await scene.write(Self.file([Self.user(id, "alice", Self.admin)] + many))
                try await scene.use()
                try await rename(id, "alicia", scene)
                if isDeleted { try await delete(id, scene) }
                // Not where the file gives both one user name.
                let twice = Self.file([
                    Self.user(said, "alice"), Self.user("5555-new-0", "Alice", Self.admin),
                ])
                #expect(try await scene.write(twice).report.says(.skipped, "user alice", words))
                #expect(try await scene.person("5555-new-0") == nil)
                let new = Self.user("5555-new-1", "alice", Self.admin)
                let renamed = Self.file([Self.user(said, "alicia"), new] + many)
                #expect(try await !scene.write(renamed).report.says(.skipped, "user alice", words))
                let kept = try #require(try await scene.person("5555-new-1"))
                #expect(kept.person.username == "alice" && kept.roles.count == 1)
                let first = try await scene.person(id)
                #expect(first?.person.username == (isDeleted ? nil : "alicia"))
                // They are known again, and who is not in the file might be who was renamed.
                #expect(try await scene.write(renamed).differences == Self.nothing)
                try await delete("5555-new-1", scene)
                let alike = Self.user("5555-new-2", "other")
                let report = try await scene.write(Self.file([Self.user("6", "alice"), alike]))
                    .report
                #expect(report.says(.skipped, "user alice", words))
                #expect(try await scene.person("6") == nil)
            }
        }
    }

    @Test("KC-M-1: each of those who had the user name is someone else in the file")
    func besideOneOfTwo() async throws {
        let words = "someone else has the user name here, or had it"
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(Self.low, "alice"), Self.user("z", "zed")]))
        try await scene.use()
        try await rename(Self.low, "alicia", scene)
        let first = Self.user(Self.low, "alicia")
        try await scene.write(Self.file([first, Self.user(nil, "alice"), Self.user("z", "zed")]))
        let second = Person.madeID(of: "alice", in: try await scene.realm.id)
        #expect(try await scene.person(second) != nil)
        try await delete(second, scene)
        let file = Self.file([first, Self.user(Self.high, "alice"), Self.user("z", "zed")])
        for _ in 0..<2 {
            #expect(try await scene.write(file).report.says(.skipped, "user alice", words))
            #expect(try await people(scene).map(\.username) == ["alicia", "zed"])
        }
    }

    @Test("KC-M-1: nor under a user name that the file gave them, and that they did not get here")
    func renamedOtherwise() async throws {
        let words = "someone else has the user name here, or had it"
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(Self.low, "bob")]))
        try await scene.use()
        try await rename(Self.low, "ann", scene)
        let refused = try await scene.write(Self.file([Self.user(Self.low, "rob")])).report
        #expect(refused.says(.skipped, "user ann", "username: changed here and in the file"))
        try await scene.change(person: Self.low) { $0.isEnabled = false }
        for name in ["bob", "rob"] {
            let report = try await scene.write(Self.file([Self.user(nil, name)])).report
            #expect(report.says(.skipped, "user \(name)", words))
            #expect(try await people(scene).map(\.username) == ["ann"])
        }
    }

    @Test("KC-M-1: nor does who was deleted here come back under one that a file took from them")
    func renamedThenDeleted() async throws {
        let words = "someone else has the user name here, or had it"
        for isRefused in [true, false] {
            let scene = try OverwriteScene()
            func file(_ id: String?, _ name: String) -> String {
                let hash = #", "credentials": [\#(Self.hash(Self.before))]"#
                return Self.file([Self.user(id, name, hash + Self.admin), Self.user("z", "zed")])
            }
            try await scene.write(file(Self.low, "alice"))
            try await scene.use()
            if isRefused { _ = try await create(scene, "own", "alicia") }
            let report = try await scene.write(file(Self.low, "alicia")).report
            let taken = "someone else here has the user name"
            #expect(report.says(.skipped, "user alicia", taken) == isRefused)
            let here = try #require(try await scene.person(Self.low)).person
            #expect(here.username == (isRefused ? "alice" : "alicia"))
            // A second name of before does not push out the first.
            if !isRefused { try await scene.write(file(Self.low, "ali")) }
            try await delete(Self.low, scene)
            for name in ["alice", "alicia", "ali"] where name != "ali" || !isRefused {
                for id in [nil, Self.high] {
                    let report = try await scene.write(file(id, name)).report
                    #expect(report.says(.skipped, "user \(name)", words), "\(name)")
                    let left = isRefused ? ["alicia", "zed"] : ["zed"]
                    #expect(try await people(scene).map(\.username) == left)
                }
            }
        }
    }

    @Test("KC-M-1: nor as someone of the file who did not get the user name that they had here")
    func refusedThenDeleted() async throws {
        let scene = try OverwriteScene()
        let zed = Self.user("z", "zed")
        try await scene.write(Self.file([Self.user(nil, "alice", Self.admin), zed]))
        try await scene.use()
        let alice = try #require(try await people(scene).first { $0.username == "alice" })
        try await rename(alice.id, "al", scene)
        let file = Self.file([Self.user(Self.low, "al", Self.admin), zed])
        let first = try await scene.write(file).report
        #expect(first.says(.skipped, "user al", "someone else here has the user name"))
        try await delete(alice.id, scene)
        for _ in 0..<2 {
            let report = try await scene.write(file).report
            #expect(report.says(.skipped, "user al", "someone else has the user name here, or"))
            #expect(try await people(scene).map(\.username) == ["zed"])
        }
    }

    @Test("KC-M-1: nor who is deleted while an import runs, as one who waits for the user name")
    func deletedMeanwhile() async throws {
        let scene = try OverwriteScene()
        let zed = Self.user("z", "zed")
        try await scene.write(Self.file([Self.user(Self.low, "alice", Self.admin), zed]))
        try await scene.use()
        let realmID = try await scene.realm.id
        let made = Person.madeID(of: "alice", in: realmID)
        // Deleted once the people between are written, with what `PersonStore.deletePerson` keeps.
        try await scene.database.realms.put(
            RealmPart(realmID: realmID, kind: "~made", id: made, document: JSONObject())
        )
        try await run(
            scene,
            """
            CREATE TRIGGER meanwhile AFTER INSERT ON people WHEN NEW.username = 'user149'
            BEGIN
                INSERT INTO realm_parts (realm_id, kind, id, document)
                SELECT realm_id, '~known-person', id,
                    '{"id": "11111111-1111-4111-8111-111111111111"}'
                FROM realm_parts WHERE kind = '~made';
                DELETE FROM people WHERE id = '11111111-1111-4111-8111-111111111111';
            END
            """
        )
        let file = Self.file([Self.user(nil, "alice", Self.admin)] + Self.crowd + [zed])
        for _ in 0..<2 {
            try await scene.write(file)
            #expect(try await scene.person(Self.low) == nil)
            #expect(try await scene.person(made) == nil)
            #expect(try await scene.person("5555-1149") != nil)
        }
    }

    @Test("KC-M-1: a user name that the file takes from someone is free for someone new")
    func renamedByFile() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(Self.low, "bob")]))
        try await scene.use()
        let file = Self.file([Self.user(Self.low, "rob"), Self.user(Self.high, "bob")])
        let report = try await scene.write(file).report
        #expect(!report.lines(.skipped).contains { $0.subject == "user bob" })
        #expect(try await people(scene).map(\.id) == [Self.high, Self.low])
        #expect(try await scene.write(file).differences == Self.nothing)
    }

    private static func account(_ id: String, _ name: String, of client: String) -> String {
        user(id, name, #", "serviceAccountClientId": "\#(client)""#)
    }

    @Test("KC-M-1: the account of a client stays who it is here, and the import comes to its end")
    func serviceAccounts() async throws {
        let scene = try OverwriteScene()
        let first = Self.account(Self.low, "service-account-jobs", of: "jobs")
        try await scene.write(Self.file([first, Self.user("z", "zed")]))
        try await scene.use()
        let former = try #require(try await scene.person(Self.low)).person.serviceClientID
        #expect(former != nil)
        let file = Self.file([
            Self.account(Self.low, "service-account-more", of: "more"),
            Self.account(Self.high, "service-account-new", of: "jobs"), Self.user("z", "zed"),
        ])
        for _ in 0..<2 {
            let report = try await scene.write(file).report
            #expect(
                report.says(
                    .skipped,
                    "user service-account-new",
                    "someone else here is the account of the client"
                )
            )
            #expect(
                report.says(
                    .skipped,
                    "user service-account-more",
                    "is not the account of the same client here"
                )
            )
            let kept = try #require(try await scene.person(Self.low)).person
            #expect(kept.serviceClientID == former && kept.username == "service-account-jobs")
            #expect(try await scene.person(Self.high) == nil)
            #expect(try await scene.person("z") != nil)
        }
    }

    private func dids(_ scene: OverwriteScene, _ ids: String...) async throws -> [String?] {
        var dids: [String?] = []
        for id in ids { dids.append(try await scene.person(id)?.person.did) }
        return dids
    }

    @Test("KC-M-1: a DID moves to another person, near or far in the file, and two exchange theirs")
    func movedDID() async throws {
        for between in [[], Self.crowd] {
            let scene = try OverwriteScene()
            func file(_ first: String, _ last: String) -> String {
                Self.file(
                    [Self.user(Self.low, "bob", first)] + between
                        + [Self.user(Self.last, "ann", last)]
                )
            }
            try await scene.write(file("", Self.did(Self.one)))
            try await scene.use()
            let moved = file(Self.did(Self.one), "")
            let report = try await scene.write(moved).report
            // Far from each other, the first look does not see yet that it becomes free.
            #expect(!between.isEmpty || !report.lines.contains { $0.words.contains("DID") })
            #expect(try await dids(scene, Self.low, Self.last) == [Self.one, nil])
            #expect(try await scene.write(moved).differences == Self.nothing)
            for (first, last) in [(Self.one, Self.two), (Self.two, Self.one)] {
                try await scene.write(file(Self.did(first), Self.did(last)))
                #expect(try await dids(scene, Self.low, Self.last) == [first, last])
            }
        }
    }

    @Test("KC-M-1: a DID that someone else has here stays theirs, and is named")
    func keptDID() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(Self.low, "bob", Self.did(Self.two))]))
        try await scene.use()
        _ = try await create(scene, "own", "ours", did: Self.one)
        let file = Self.file([
            Self.user(Self.low, "bob", Self.did(Self.one)),
            Self.user(Self.high, "cid", Self.did(Self.two)),
        ])
        for _ in 0..<2 {
            let report = try await scene.write(file).report
            #expect(report.says(.changed, "user bob", "another person has the DID: it stays"))
            let now = try await dids(scene, "own", Self.low, Self.high)
            #expect(now == [Self.one, Self.two, nil])
            #expect(report.says(.changed, "user cid", "another person has the DID"))
        }
        // Once it is free, the same file again does the rest.
        try await delete("own", scene)
        try await scene.write(file)
        #expect(try await dids(scene, Self.low, Self.high) == [Self.one, Self.two])
    }

    @Test("KC-M-1: of two people of one file with the same DID, one has it")
    func sameDID() async throws {
        let scene = try OverwriteScene()
        let report = try await scene.write(
            Self.file([
                Self.user(Self.low, "bob", Self.did(Self.one)),
                Self.user(Self.high, "cid", Self.did(Self.one)),
            ])
        ).report
        #expect(report.says(.changed, "user cid", "another person has the DID: left out"))
        #expect(try await dids(scene, Self.low, Self.high) == [Self.one, nil])
    }

    @Test("KC-M-1: a file that does not know of DIDs takes no one's, in a realm without notes too")
    func unsaidDID() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file())
        try await forgetNotes(scene)
        _ = try await create(scene, "own", "ann", did: Self.one)
        let file = Self.file([Self.user("own", "ann", #", "attributes": {"locale": ["de"]}"#)])
        for _ in 0..<2 {
            try await scene.write(file)
            let ann = try #require(try await scene.person("own")).person
            #expect(ann.did == Self.one && ann.attributes["locale"] == ["de"])
        }
        // One that has another has the word.
        let other = try OverwriteScene()
        try await other.write(Self.file())
        try await forgetNotes(other)
        _ = try await create(other, "own", "ann", did: Self.one)
        try await other.write(Self.file([Self.user("own", "ann", Self.did(Self.two))]))
        #expect(try await dids(other, "own") == [Self.two])
    }

    private func subjects(_ id: String, _ scene: OverwriteScene) async throws -> [String]? {
        try await scene.person(id)?.identities.map(\.subject)
    }

    @Test("KC-M-1: who cannot have an account at a provider keeps their own, until it is free")
    func accountOfBefore() async throws {
        let scene = try OverwriteScene()
        try await scene.write(
            Self.file([Self.user(Self.low, "bob"), Self.user(Self.high, "ann", Self.link("1"))])
        )
        try await scene.use()
        let own = try await create(scene, "own", "ours")
        let made = FederatedIdentity(provider: "google", subject: "2", username: nil)
        #expect(try await scene.database.people.link(made, to: own) == .created)
        // Both wait, so that he is looked at before it is known that she keeps what he would get.
        let other = FederatedIdentity(provider: "github", subject: "3", username: nil)
        #expect(try await scene.database.people.link(other, to: own) == .created)
        let links = """
            , "federatedIdentities": [{"identityProvider": "github", "userId": "3"},
              {"identityProvider": "google", "userId": "1"}]
            """
        let file = Self.file([
            Self.user(Self.low, "bob", links), Self.user(Self.high, "ann", Self.link("2")),
        ])
        for _ in 0..<2 {
            let report = try await scene.write(file).report
            for subject in ["user ann", "user bob"] {
                #expect(report.says(.skipped, subject, "someone else here has the account"))
            }
            #expect(report.lines(.skipped).allSatisfy { !$0.words.contains("changed here and") })
            #expect(try await subjects(Self.low, scene) == [])
            #expect(try await subjects(Self.high, scene) == ["1"])
        }
        let realmID = try await scene.realm.id
        _ = try await scene.database.people.unlink("google", from: "own", realmID: realmID)
        try await scene.write(file)
        #expect(try await subjects(Self.low, scene) == ["1"])
        #expect(try await subjects(Self.high, scene) == ["2"])
    }

    @Test("KC-M-1: a name that reads like a mark of notes is a name")
    func readsLikeMark() async throws {
        let scene = try OverwriteScene()
        for name in ["ever", "1"] {
            let file = Self.file([Self.user(Self.low, "ann", #", "firstName": "\#(name)""#)])
            try await scene.write(file)
            try await scene.write(Self.file([Self.user(Self.low, "ann")]))
            #expect(try await scene.person(Self.low)?.person.givenName == nil)
            try await scene.write(file)
            #expect(try await scene.person(Self.low)?.person.givenName == name)
        }
    }

    @Test("KC-M-1: a UUID in capital letters is the same person's")
    func spelledOtherwise() async throws {
        let small = "aabbccdd-0000-4000-8000-00000000000a"
        let large = small.uppercased()
        for (first, second) in [(large, small), (small, large)] {
            let scene = try OverwriteScene()
            let file = Self.file([Self.user(second, "ann", #", "firstName": "Ann""#)])
            try await scene.write(Self.file([Self.user(first, "ann")]))
            try await scene.use()
            #expect(try await scene.write(file).differences == .init(things: 0, people: 1))
            #expect(try await scene.write(file).differences == Self.nothing)
            let people = try await people(scene)
            #expect(people.map(\.id) == [first] && people.map(\.givenName) == ["Ann"])
            try await delete(first, scene)
            for _ in 0..<2 {
                let report = try await scene.write(file).report
                #expect(report.says(.skipped, "user ann", "was deleted here"))
                #expect(try await self.people(scene).isEmpty)
            }
        }
        let twice = try await OverwriteScene().write(
            Self.file([Self.user(small, "ann"), Self.user(large, "bob")])
        ).report
        let words = "this user name or id twice"
        #expect(twice.lines(.skipped).count { $0.words.contains(words) } == 1)
    }
}
