import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

@Suite("decision 0054: what files of before said stays known")
struct RealmMergeRememberedTests {
    private let scene: OverwriteScene

    init() throws {
        scene = try OverwriteScene()
    }

    private static let (one, two) = (
        "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    )

    private static func file(
        roles: String,
        groups: String = "",
        clients: String = "",
        ann: String = ""
    ) -> String {
        """
        {"realm": "a", "enabled": true, "roles": {"realm": [{"name": "admin"} \(roles)]},
         "groups": [\(groups)], "clients": [{"clientId": "c", "publicClient": true} \(clients)],
         "users": [{"id": "p-1", "username": "ann", "enabled": true \(ann)}]}
        """
    }

    /// The names of roles and groups that have the rights of `admin`.
    private func strong() async throws -> [String] {
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        let groups = try await realms.groups(realmID: realmID).filter { !$0.roles.isEmpty }
        return try await realms.roleParts(realmID: realmID).map(\.role).filter { !$0.isMade }.map(
            \.name
        )
            + groups.map(\.group.name)
    }

    @Test(
        "KC-M-1: a file without ids takes back none that was said: names that are exchanged later are noticed",
        arguments: [(one, two), ("one", "two")]
    )
    func idsOfBefore(one: String, two: String) async throws {
        func things(_ plain: (String, String?), _ boss: (String, String?)) -> String {
            func thing(_ name: String, _ id: String?, _ more: String) -> String {
                let id = id.map { #""id": "\#($0)", "# } ?? ""
                return #"{\#(id)"name": "\#(name)" \#(more)}"#
            }
            let strong = thing(boss.0, boss.1, #", "composites": {"realm": ["admin"]}"#)
            let group = thing(boss.0, boss.1, #", "realmRoles": ["admin"]"#)
            return Self.file(
                roles: ", " + thing(plain.0, plain.1, "") + ", " + strong,
                groups: thing(plain.0, plain.1, "") + ", " + group
            )
        }
        // They come without ids, so that those here are others than the file's.
        try await scene.write(things(("member", nil), ("boss", nil)))
        try await scene.use()
        try await scene.write(things(("member", one), ("boss", two)))
        try await scene.write(things(("member", nil), ("boss", nil)))
        let report = try await scene.write(things(("boss", one), ("member", two))).report
        for subject in ["role boss", "role member", "group boss", "group member"] {
            #expect(report.says(.skipped, subject, "has the id of another one"))
        }
        #expect(try await strong() == ["boss", "boss"])
    }

    @Test("KC-M-1: what was made anew here before an import was ended stays ours in the next")
    func madeAnewMeanwhile() async throws {
        let provider = #"{"alias": "google", "providerId": "google", "internalId": "i1"}"#
        let file = Self.file(
            roles: #", {"id": "\#(Self.one)", "name": "staff"}"#,
            groups: #"{"id": "\#(Self.two)", "name": "staff"}"#,
            ann: #", "realmRoles": ["staff"], "groups": ["/staff"]"#
        ).replacing(#""users":"#, with: #""identityProviders": [\#(provider)], "users":"#)
        try await scene.write(file)
        let realms = scene.database.realms
        let realmID = try await scene.realm.id
        // As one that was killed leaves it.
        try await scene.database.database.write { transaction in
            try transaction.run(#"DELETE FROM realm_parts WHERE id = '["realm"]'"#, [])
            try transaction.run("DELETE FROM people WHERE id = 'p-1'", [])
            try transaction.run("DELETE FROM deleted_people WHERE id = 'p-1'", [])
            try transaction.run(
                "DELETE FROM realm_parts WHERE kind LIKE '~%' AND kind <> '~imported'",
                []
            )
            // Deleted, and made anew.
            try transaction.run(
                "UPDATE roles SET id = $1 WHERE name = 'staff'",
                [.text("33333333-3333-4333-8333-333333333333")]
            )
            try transaction.run(
                "UPDATE groups SET id = $1 WHERE name = 'staff'",
                [.text("33333333-3333-4333-8333-333333333333")]
            )
            try transaction.run(
                "UPDATE realm_parts SET document = '{}' WHERE kind = 'identityProviders'",
                []
            )
        }
        let start = ImportNotes(ring: TestRealm.ring, moment: RealmImportTests.noon)
            .start(try await scene.realm)
        try await realms.put(start)
        let report = try await scene.write(file).report
        for subject in ["role staff", "group staff", "identityProviders google"] {
            #expect(report.says(.skipped, subject, "another one was made here"), "\(subject)")
        }
        let ann = try #require(try await scene.person("p-1"))
        #expect(ann.roles.isEmpty && ann.groupIDs.isEmpty)
        #expect(try await realms.groups(realmID: realmID).count == 1)
    }

    private func rename(_ from: String, _ to: String) async throws {
        try await scene.database.database.write { transaction in
            try transaction.run(
                "UPDATE roles SET name = $1 WHERE name = $2",
                [.text(to), .text(from)]
            )
            try transaction.run("UPDATE realm_version SET version = version + 1", [])
        }
    }

    @Test("KC-M-1: what was taken away from a role while it had another name does not come back")
    func renamedAndBack() async throws {
        let file = Self.file(
            roles: #"""
                , {"id": "\#(Self.one)", "name": "b\u00F6ss \"x\\x41\""},
                  {"name": "all", "composites": {"realm": ["b\u00F6ss \"x\\x41\""]}}
                """#,
            groups: #"{"name": "staff", "realmRoles": ["b\u00F6ss \"x\\x41\""]}"#,
            ann: #", "realmRoles": ["b\u00F6ss \"x\\x41\""]"#
        )
        let name = "b\u{F6}ss \"x\\x41\""
        try await scene.write(file)
        try await scene.use()
        #expect(try await scene.person("p-1")?.roles.map(\.name) == [name])
        try await rename(name, "chief")
        let report = try await scene.write(file).report
        #expect(report.says(.skipped, "role \(name)", "was deleted here or renamed"))
        try await scene.database.database.write { transaction in
            for sql: SQLText in [
                "DELETE FROM person_roles", "DELETE FROM role_parts", "DELETE FROM group_roles",
            ] {
                try transaction.run(sql, [])
            }
        }
        try await scene.write(file)
        try await rename("chief", name)
        #expect(try await scene.write(file).differences == RealmImporter.Differences())
        #expect(try await scene.person("p-1")?.roles == [])
        #expect(try await strong().isEmpty)
    }

    @Test("KC-M-1: a second factor that was taken away does not come back in another encoding")
    func otherEncoding() async throws {
        func file(_ id: String, _ value: String, _ encoding: String) -> String {
            let credential = #"""
                {"id": "\#(id)", "type": "otp", "createdDate": 6,
                 "secretData": "{\"value\": \"\#(value)\"}",
                 "credentialData": "{\"subType\": \"totp\", \"digits\": 6 \#(encoding)}"}
                """#
            return Self.file(roles: "", ann: #", "credentials": [\#(credential)]"#)
        }
        let base32 = #", \"secretEncoding\": \"BASE32\""#
        let first = file(Self.one, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", base32)
        try await scene.write(first)
        try await scene.use()
        #expect(try await scene.person("p-1")?.credentials.count == 1)
        try await scene.database.database.write { transaction in
            try transaction.run("DELETE FROM credentials", [])
        }
        for (value, encoding) in [
            ("gezdgnbvgy3tqojqgezdgnbvgy3tqojq", base32), ("12345678901234567890", ""),
        ] {
            let report = try await scene.write(file(Self.two, value, encoding)).report
            #expect(report.says(.skipped, "user ann", "credentials.totp"))
            #expect(try await scene.person("p-1")?.credentials == [])
        }
        // Another key is another one.
        let three = "33333333-3333-4333-8333-333333333333"
        try await scene.write(file(three, "22345678901234567890", ""))
        #expect(try await scene.person("p-1")?.credentials.count == 1)
    }
}
