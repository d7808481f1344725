import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what two people of a file have stays with who has it here")
struct RealmMergeOwnersTests {
    private static let (low, high) = (
        "11111111-1111-4111-8111-111111111111", "99999999-9999-4999-8999-999999999999"
    )
    /// A file's words for what nobody shares.
    private static let all = """
        , "email": "x@example.com", "attributes": {"did": ["did:plc:ewvi7nxzyoun6zhxrhs64oiz"]},
        "federatedIdentities": [{"identityProvider": "google", "userId": "1"}]
        """

    private static func user(_ id: String?, _ username: String, _ more: String = "") -> String {
        let id = id.map { #""id": "\#($0)", "# } ?? ""
        return #"{\#(id)"username": "\#(username)", "enabled": true \#(more)}"#
    }

    private static func file(_ users: [String]) -> String {
        """
        {"realm": "a", "enabled": true, "users": [\(users.joined(separator: ","))],
         "clients": [{"clientId": "jobs", "secret": "a secret that is long",
            "serviceAccountsEnabled": true}]}
        """
    }

    /// More than are looked at together.
    private static let crowd = (0..<150).map { user("5555-\(1000 + $0)", "user\($0)") }

    /// The user names of those who have the address, the DID and the account.
    private func owners(_ scene: OverwriteScene) async throws -> Set<[String]> {
        let realmID = try await scene.realm.id
        let people = try await scene.database.people.people(
            realmID: realmID,
            after: nil,
            limit: 400
        )
        var (emails, dids, accounts): ([String], [String], [String]) = ([], [], [])
        for person in people {
            let kept = try #require(try await scene.person(person.id))
            if kept.person.email != nil { emails.append(person.username) }
            if kept.person.did != nil { dids.append(person.username) }
            if !kept.identities.isEmpty { accounts.append(person.username) }
        }
        return [emails, dids, accounts]
    }

    @Test("KC-M-1: an address, a DID and an account at a provider stay with who has them here")
    func stays() async throws {
        let bob = Self.user(Self.high, "bob", Self.all)
        let (eve, poor) = (Self.user(Self.low, "eve", Self.all), Self.user(Self.low, "eve"))
        let (bobByName, eveByName) = (
            Self.user(nil, "bob", Self.all), Self.user(nil, "eve", Self.all)
        )
        let cases: [(before: [String], after: [String])] = [
            ([bob], [eve, bob]), ([bob], [bob, eve]), ([poor, bob], [eve, bob]),
            ([bob], [eve] + Self.crowd + [bob]), ([bob], [bob] + Self.crowd + [eve]),
            ([bobByName], [eveByName, bobByName]),
        ]
        for (before, after) in cases {
            let scene = try OverwriteScene()
            try await scene.write(Self.file(before))
            try await scene.use()
            for _ in 0..<2 {
                let report = try await scene.write(Self.file(after)).report
                #expect(report.says(.changed, "user eve", "another person has the email address"))
                #expect(report.says(.changed, "user eve", "another person has the DID"))
                #expect(report.says(.skipped, "user eve", "someone else here has the account"))
                let others = report.lines.filter { $0.subject == "user bob" }.map(\.words)
                #expect(!others.contains { $0.contains("another") || $0.contains("else") })
                #expect(try await owners(scene) == [["bob"]])
            }
        }
    }

    @Test("KC-M-1: who gives up an address, a DID and an account leaves them to the other")
    func givenUp() async throws {
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(Self.high, "bob", Self.all)]))
        try await scene.use()
        let after = Self.file([
            Self.user(Self.low, "eve", Self.all), Self.user(Self.high, "bob"),
        ])
        try await scene.write(after)
        #expect(try await owners(scene) == [["eve"]])
        #expect(try await scene.write(after).differences == RealmImporter.Differences())
    }

    @Test("KC-M-1: of two new people of a file with the same things the first has them")
    func bothNew() async throws {
        for crowd in [[], Self.crowd] {
            let scene = try OverwriteScene()
            try await scene.write(Self.file([Self.user(Self.low, "ann")]))
            try await scene.use()
            let new = [
                Self.user("2222", "bob", Self.all), Self.user("3333", "eve", Self.all),
                Self.user("4444", "bob"),
            ]
            let file = Self.file([Self.user(Self.low, "ann"), new[0]] + crowd + new[1...])
            for isWritten in [false, true] {
                let report = try await scene.write(file).report
                #expect(try await owners(scene) == [["bob"]])
                #expect(try await scene.person("4444") == nil)
                guard isWritten else { continue }
                #expect(report.says(.skipped, "user eve", "someone else here has the account"))
                #expect(report.says(.skipped, "user bob", "someone else"))
            }
        }
    }

    @Test("KC-M-1: of two new people with the same account at a provider alone, the first has it")
    func sameAccount() async throws {
        let link = #", "federatedIdentities": [{"identityProvider": "google", "userId": "1"}]"#
        let scene = try OverwriteScene()
        try await scene.write(Self.file([Self.user(Self.low, "ann")]))
        try await scene.use()
        let file = Self.file([
            Self.user(Self.low, "ann"), Self.user("2222", "bob", link),
            Self.user("3333", "eve", link),
        ])
        for _ in 0..<2 {
            try await scene.write(file)
            #expect(try await scene.person("2222")?.identities.count == 1)
            #expect(try await scene.person("3333")?.identities == [])
        }
    }

    @Test("KC-M-1: of two accounts of one client the one that is here stays, or the first comes")
    func accounts() async throws {
        let account = #", "serviceAccountClientId": "jobs""#
        let (low, high) = (
            Self.user(Self.low, "other", account), Self.user(Self.high, "jobs", account)
        )
        for isHere in [true, false] {
            let scene = try OverwriteScene()
            try await scene.write(
                Self.file([Self.user("4444", "ann")] + (isHere ? [high] : []))
            )
            try await scene.use()
            let changed = Self.user(Self.high, "jobs", account + #", "firstName": "Jo""#)
            for _ in 0..<2 {
                let report = try await scene.write(Self.file([low, changed])).report
                let left = isHere ? "user other" : "user jobs"
                #expect(report.lines(.skipped).contains { $0.subject == left })
                let there = (try await scene.person(Self.low), try await scene.person(Self.high))
                // Where the file had none, the import has made one.
                #expect(there.0 == nil && (there.1 == nil) == !isHere)
                #expect(!isHere || there.1?.person.givenName == "Jo")
            }
        }
    }
}
