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

    @Test("A person has the roles that the file gives, and no other: parts are no roles of theirs")
    func assigned() async throws {
        let cases: [(String, [String])] = [
            (#""realmRoles": ["apart"]"#, ["apart"]), (#""realmRoles": ["three"]"#, ["three"]),
            (#""clientRoles": {"a": ["x"]}"#, ["a/x"]),
            // A role of one client is not that of another, nor the realm's.
            (#""clientRoles": {"b": ["x"]}"#, []), (#""realmRoles": ["x"]"#, []),
            (#""clientRoles": {"a": ["apart"]}"#, []), (#""realmRoles": ["gone"]"#, []),
            // The client is made, as it is there.
            (#""clientRoles": {"broker": ["read"]}"#, ["broker/read"]),
            (
                #""realmRoles": ["apart", "apart"], "clientRoles": {"a": ["x", "x"]}"#,
                ["apart", "a/x"]
            ),
        ]
        let people = try await ImportSample.people(cases.map(\.0), realm: Self.roles)
        for (imported, (members, expected)) in zip(people, cases) {
            let roles = try #require(imported.new).roles
            #expect(Set(roles) == Set(expected.map(Self.name)), "\(members)")
        }
        let missing = ["b/x", "x", "a/apart", "gone"]
        for (imported, name) in zip(people[3...6], missing) {
            #expect(imported.says(.skipped, "role \(name): it is not imported"))
        }
    }

    @Test("A role that contains others says which; what is not there is no part of it")
    func composites() async throws {
        let imported = try await ImportSample.realm(Self.roles + #""users": []"#)
        let parts = [("one", "two"), ("two", "three"), ("two", "a/x"), ("three", "one")]
        #expect(
            Set(imported.realm.roleParts.filter { !$0.role.isMade })
                == Set(parts.map { RolePart(role: Self.name($0.0), part: Self.name($0.1)) })
        )
        #expect(imported.realm.roleParts.count { !$0.role.isMade } == parts.count)
        #expect(imported.report.says(.skipped, "role one", "role gone: it is not imported"))
        // In a circle.
        let graph = RoleGraph(parts: imported.realm.roleParts, groups: [])
        #expect(
            graph.expanded([Self.name("three")])
                == Set(["three", "one", "two", "a/x"].map(Self.name))
        )
        #expect(graph.expanded([Self.name("apart")]) == [Self.name("apart")])
    }

    @Test("Roles keep their descriptions and attributes")
    func attributes() async throws {
        let imported = try await ImportSample.realm(
            #"""
            "roles": {"realm": [{"name": "a", "description": "An \"a\"",
                "attributes": {"colour": ["red", "blue"], "quote\"key": ["x"]}}]}
            """#
        )
        let role = try #require(imported.realm.roles.first)
        #expect(role.description == "An \"a\"")
        #expect(role.attributes == ["colour": ["red", "blue"], "quote\"key": ["x"]])
    }

    @Test("Roles are those of the realm and of its own clients, each once; the rest is told of")
    func imported() async throws {
        let imported = try await ImportSample.realm(Self.roles + #""users": []"#)
        let names = imported.realm.roles.map(\.roleName).filter { !$0.isMade }
        #expect(names == ["one", "two", "three", "apart", "a/x"].map(Self.name))
        #expect(imported.realm.roles.allSatisfy { $0.realmID == imported.realm.realm.id })
        #expect(imported.report.says(.skipped, "role apart", "twice"))
        #expect(imported.report.says(.skipped, "roles of b", "not imported"))
    }
}
