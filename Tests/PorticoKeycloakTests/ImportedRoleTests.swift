import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: roles") struct ImportedRoleTests {
    private static let roles = """
        "clients": [{"clientId": "a", "redirectUris": ["https://a.example/cb"]}],
        "roles": {
            "realm": [
                {"name": "one", "composites": {"realm": ["two", "gone"]}},
                {"name": "two", "composites": {"realm": ["three"], "client": {"a": ["x"]}}},
                {"name": "three", "composites": {"realm": ["one"]}},
                {"name": "apart"}, {"name": "apart", "description": "again"}
            ],
            "client": {"a": [{"name": "x"}], "b": [{"name": "x"}], "broker": [{"name": "read"}]}
        },
        """

    private static func name(_ text: String) -> RoleName {
        let parts = text.split(separator: "/").map(String.init)
        return RoleName(clientID: parts.count > 1 ? parts[0] : nil, name: parts[parts.count - 1])
    }

    @Test("A person has the roles that the file gives, and what those are made of, and no other")
    func assigned() async throws {
        let cases: [(String, [String])] = [
            (#""realmRoles": ["apart"]"#, ["apart"]),
            // In a circle.
            (#""realmRoles": ["three"]"#, ["three", "one", "two", "a/x"]),
            (#""clientRoles": {"a": ["x"]}"#, ["a/x"]),
            // A role of one client is not that of another, nor the realm's.
            (#""clientRoles": {"b": ["x"]}"#, []), (#""realmRoles": ["x"]"#, []),
            (#""clientRoles": {"a": ["apart"]}"#, []), (#""realmRoles": ["gone"]"#, []),
            (#""clientRoles": {"broker": ["read"]}"#, []),
            (
                #""realmRoles": ["apart", "apart"], "clientRoles": {"a": ["x", "x"]}"#,
                ["apart", "a/x"]
            ),
        ]
        let people = try await ImportSample.people(cases.map(\.0), realm: Self.roles)
        for (imported, (members, expected)) in zip(people, cases) {
            let roles = try #require(imported.new).roles
            #expect(Set(roles) == Set(expected.map(Self.name)), "\(members)")
            #expect(roles.count == expected.count, "\(members)")
        }
        #expect(people[6].says(.skipped, "role gone"))
        #expect(!people[7].says(.skipped, "role read"), "Keycloak's own are left out in silence")
    }

    @Test("Roles are those of the realm and of its own clients, each once; the rest is told of")
    func imported() async throws {
        let imported = try await ImportSample.realm(Self.roles + #""users": []"#)
        let names = imported.realm.roles.map { RoleName(clientID: $0.clientID, name: $0.name) }
        #expect(names == ["one", "two", "three", "apart", "a/x"].map(Self.name))
        #expect(imported.realm.roles.allSatisfy { $0.realmID == imported.realm.realm.id })
        #expect(imported.report.says(.skipped, "role apart", "twice"))
        #expect(imported.report.says(.skipped, "roles of b", "not imported"))
    }
}
