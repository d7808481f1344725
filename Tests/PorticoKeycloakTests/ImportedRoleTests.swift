import PorticoBytes
import PorticoProtocol
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

@Suite("Realm import: groups of people") struct GroupImportTests {
    private static let groups = #"""
        "clients": [{"clientId": "a", "redirectUris": ["https://a.example/cb"]}],
        "roles": {"realm": [{"name": "x"}, {"name": "y"}], "client": {"a": [{"name": "z"}]}},
        "groups": [
            {"name": "staff", "path": "/staff", "description": "All",
                "attributes": {"department": ["d", "e"]}, "realmRoles": ["x", "gone"],
                "clientRoles": {"a": ["z"], "b": ["z"]},
                "subGroups": [
                    {"name": "R&D/Berlin", "path": "/staff/R&D/Berlin", "subGroups": [
                        {"name": "ios", "path": "/staff/R&D/Berlin/ios", "realmRoles": ["y"]}
                    ]},
                    {"name": "staff"}
                ]},
            {"name": "Superuser", "path": "/Superusers"},
            {"name": "staff", "description": "again"},
            {"name": "two\nlines"}
        ],
        """#

    @Test("Groups come with their names, roles, attributes and the groups above them")
    func imported() async throws {
        let imported = try await ImportSample.realm(Self.groups + #""users": []"#)
        let groups = imported.realm.groups
        try #require(
            groups.map(\.group.name) == ["staff", "R&D/Berlin", "ios", "staff", "Superuser"]
        )
        #expect(
            groups.map(\.group.parentID)
                == [nil, groups[0].group.id, groups[1].group.id, groups[0].group.id, nil]
        )
        #expect(groups.allSatisfy { $0.group.realmID == imported.realm.realm.id })
        #expect(groups[0].group.description == "All")
        #expect(groups[0].group.attributes == ["department": ["d", "e"]])
        let (x, y) = (RoleName(clientID: nil, name: "x"), RoleName(clientID: nil, name: "y"))
        #expect(groups.map(\.roles) == [[x, RoleName(clientID: "a", name: "z")], [], [y], [], []])
        for role in ["gone", "b/z"] {
            #expect(imported.report.says(.skipped, "group /staff", "role \(role): "))
        }
        #expect(imported.report.says(.skipped, "group /staff", "twice"))
        #expect(imported.report.says(.skipped, #"group /two\u{a}lines"#, "one line"))
    }

    @Test("A person is in the groups that the file names, by path, by its path there, or by name")
    func members() async throws {
        let cases: [(String, String?)] = [
            ("/staff", "staff"), ("/staff/R&D/Berlin/ios", "ios"),
            ("/staff/R&D/Berlin", "R&D/Berlin"),
            // Files by hand.
            ("/Superusers", "Superuser"), ("/Superuser", "Superuser"), ("Superuser", "Superuser"),
            ("staff", "staff"),
            // A bare name is of a group at the top.
            ("ios", nil), ("/ios", nil), ("/STAFF", nil), ("/staff/", nil), ("", nil),
            ("/two\\nlines", nil),
        ]
        let users = cases.enumerated().map { index, one in
            #"{"username": "p\#(index)", "groups": ["\#(one.0)"]}"#
        }
        let imported = try await ImportSample.realm(
            Self.groups + #""users": [\#(users.joined(separator: ", "))]"#
        )
        let groups = imported.realm.groups.map(\.group)
        let people = imported.realm.people
        try #require(people.count == cases.count)
        for (index, (path, name)) in cases.enumerated() {
            let members = people[index].groupIDs.compactMap { id in groups.first { $0.id == id } }
            #expect(members.map(\.name) == (name.map { [$0] } ?? []), "\(path)")
            #expect(members.count == people[index].groupIDs.count, "\(path)")
            let isReported = imported.report.says(.skipped, "user p\(index)", "it is not imported")
            #expect(isReported == (name == nil), "\(path)")
        }
        // The one at the top, not the one below it of the same name.
        #expect(people[0].groupIDs == [groups[0].id] && people[6].groupIDs == [groups[0].id])
    }

    @Test("Whoever is in a group has its roles and those of the groups above, and no more")
    func roles() async throws {
        let imported = try await ImportSample.realm(
            Self.groups + #""users": [{"username": "p", "groups": ["/staff/R&D/Berlin/ios"]}]"#
        )
        let person = try #require(imported.realm.people.first)
        #expect(person.roles.isEmpty, "they are the groups'")
        let graph = RoleGraph(parts: imported.realm.roleParts, groups: imported.realm.groups)
        let all = graph.roles(
            of: PersonWithRoles(
                person: person.person,
                roles: person.roles,
                groupIDs: person.groupIDs
            )
        )
        #expect(
            all == [
                RoleName(clientID: nil, name: "x"), RoleName(clientID: nil, name: "y"),
                RoleName(clientID: "a", name: "z"),
            ]
        )
    }

    @Test("KC-M-2: of two groups of one path no one is taken to be in either")
    func ambiguousPath() async throws {
        let imported = try await ImportSample.realm(
            """
            "roles": {"realm": [{"name": "boss"}]},
            "groups": [{"name": "a", "subGroups": [{"name": "b", "realmRoles": ["boss"]}]},
                {"name": "a/b"}, {"name": "c"}],
            "users": [{"username": "u", "groups": ["/a/b", "/c"]}]
            """
        )
        #expect(imported.realm.groups.count == 4)
        let group = try #require(imported.realm.groups.first { $0.group.name == "c" })
        #expect(imported.realm.people.first?.groupIDs == [group.group.id])
        #expect(imported.report.says(.skipped, "user u", "two groups have that path"))
    }

    @Test("KC-M-2: groups and scopes whose names Unicode holds equal are two")
    func unicode() async throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let imported = try await ImportSample.realm(
            """
            "roles": {"realm": [{"name": "boss"}]},
            "clientScopes": [{"name": "\(one)"}, {"name": "\(two)"}],
            "scopeMappings": [{"clientScope": "\(two)", "roles": ["boss"]}],
            "groups": [{"name": "\(one)", "realmRoles": ["boss"]}, {"name": "\(two)"}],
            "users": [{"username": "u", "groups": ["/\(two)"]},
                {"username": "v", "groups": ["\(one)"]}]
            """
        )
        let realm = imported.realm
        try #require(realm.groups.count == 2 && realm.people.count == 2)
        #expect(sameBytes(realm.groups[0].group.name, one))
        #expect(realm.people[0].groupIDs == [realm.groups[1].group.id])
        #expect(realm.people[1].groupIDs == [realm.groups[0].group.id])
        let scope = try #require(realm.scopes.first { sameBytes($0.name, two) })
        #expect(realm.roleLimits.map(\.owner) == [.scope(scope.id)])
        let limited = realm.scopes.filter(\.isLimited)
        #expect(limited.map(\.id) == [scope.id])
    }

    @Test("KC-M-2: a path of more than 4 KiB names no group: thousands may stand below a long name")
    func longPath() {
        #expect(ImportedGroups.path("/a", "b") == "/a/b")
        let name = String(repeating: "n", count: 4093)
        #expect(ImportedGroups.path("/a", name)?.utf8.count == 4096)
        #expect(ImportedGroups.path("/a", name + "n") == nil)
    }
}

@Suite("Realm import: the ids of things") struct ImportedIDTests {
    private static let first = "00000000-0000-4000-8000-000000000001"
    private static let second = "00000000-0000-4000-8000-000000000002"

    /// Two that may stay, one of them twice, and three that are none.
    private static let given = [
        first, second, first, "a", "", "00000000-0000-4000-8000-00000000000g",
    ]

    private static func check(_ ids: [String]) throws {
        // Behind them stands what every realm has.
        try #require(ids.count >= given.count)
        #expect(Array(ids.prefix(2)) == [first, second])
        #expect(Set(ids).count == ids.count, "no two have one")
        #expect(ids.allSatisfy { UniqueID($0) != nil })
    }

    private static func list(_ members: (Int) -> String) -> String {
        let things = given.enumerated().map { index, id in
            #"{"id": "\#(id)", \#(members(index))}"#
        }
        return "[\(things.joined(separator: ", "))]"
    }

    @Test("The ids of clients, scopes, roles and groups stay, if they are UUIDs and there once")
    func kept() async throws {
        let clients = Self.list {
            #""clientId": "c\#($0)", "redirectUris": ["https://a.example/cb"]"#
        }
        let named = Self.list { #""name": "n\#($0)""# }
        let imported = try await ImportSample.realm(
            """
            "clients": \(clients), "clientScopes": \(named), "roles": {"realm": \(named)},
            "groups": \(named)
            """
        )
        try Self.check(imported.realm.clients.map(\.id))
        try Self.check(imported.realm.scopes.map(\.id))
        try Self.check(imported.realm.roles.map(\.id))
        try Self.check(imported.realm.groups.map(\.group.id))
    }

    @Test("A client of Keycloak's own keeps its id, too, and no later one gets it")
    func builtIn() async throws {
        let imported = try await ImportSample.realm(
            #"""
            "clients": [{"id": "\#(Self.first)", "clientId": "account"},
                {"id": "\#(Self.first)", "clientId": "a", "redirectUris": ["https://a.example/cb"]}]
            """#
        )
        let ids = imported.realm.clients.prefix(2).map(\.id)
        #expect(ids[0] == Self.first && ids[1] != Self.first && UniqueID(ids[1]) != nil)
    }
}
