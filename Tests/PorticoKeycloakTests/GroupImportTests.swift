import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

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
