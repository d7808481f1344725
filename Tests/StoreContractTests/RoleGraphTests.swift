import PorticoStores
import Testing

@Suite("Role graphs") struct RoleGraphTests {
    private func role(_ number: Int) -> RoleName { role("r\(number)") }
    private func role(_ name: String) -> RoleName { RoleName(clientID: nil, name: name) }

    @Test("ten thousand roles in a chain and a circle are expanded once each")
    func long() {
        let count = 10_000
        let parts = (0..<count).map { RolePart(role: role($0), part: role(($0 + 1) % count)) }
        let graph = RoleGraph(parts: parts, groups: [])
        #expect(graph.expanded([role(7)]).count == count)
        #expect(graph.expanded([RoleName(clientID: "x", name: "r7")]).count == 1)
    }

    @Test("roles whose names Unicode holds equal are two, and so are paths of groups")
    func twins() {
        let (strong, twin) = (role("Kings"), role("\u{212A}ings"))
        #expect(strong != twin && Set([strong, twin]).count == 2)
        #expect(RoleName(clientID: "K", name: "r") != RoleName(clientID: "\u{212A}", name: "r"))
        #expect(RoleName(clientID: nil, name: "r") != RoleName(clientID: "", name: "r"))
        let graph = RoleGraph(
            parts: [RolePart(role: strong, part: role(1))],
            groups: ["K", "\u{212A}"].map { name in
                GroupWithRoles(
                    group: Group(id: "\(name.utf8.count)", realmID: "r", parentID: nil, name: name)
                )
            }
        )
        #expect(graph.expanded([twin]) == [twin])
        #expect(graph.group(atPath: "/\u{212A}")?.name.utf8.count == 3)
        #expect(graph.group(atPath: "/K")?.name.utf8.count == 1)
    }

    @Test("a path that two groups have names neither; children stand in the order of their names")
    func paths() {
        let groups = [("1", nil, "a"), ("2", "1", "b"), ("3", nil, "a/b")].map { id, parent, name in
            GroupWithRoles(group: Group(id: id, realmID: "r", parentID: parent, name: name))
        }
        let graph = RoleGraph(parts: [], groups: groups)
        #expect(graph.path(of: "2") == graph.path(of: "3"))
        #expect(graph.group(atPath: "/a/b") == nil)
        #expect(graph.groups(in: nil).map(\.group.id) == ["1", "3"])
        #expect(graph.groups(in: "1").map(\.group.id) == ["2"] && graph.groups(in: "2").isEmpty)
        #expect(graph.group(atPath: "/a")?.id == "1" && graph.group(atPath: "a")?.id == "1")
    }

    @Test("groups that lie in each other end somewhere")
    func circle() {
        let groups = [("a", "b"), ("b", "a")].map { id, parent in
            GroupWithRoles(
                group: Group(id: id, realmID: "r", parentID: parent, name: id),
                roles: [RoleName(clientID: nil, name: id)]
            )
        }
        let graph = RoleGraph(parts: [], groups: groups)
        #expect(graph.lineage(of: "a").count == RoleGraph.deepest)
        var person = PersonWithRoles(person: Example.ann, roles: [], groupIDs: ["a"])
        #expect(graph.roles(of: person).count == 2)
        person.groupIDs = ["nowhere"]
        #expect(graph.roles(of: person) == [] && graph.path(of: "nowhere") == "")
    }
}
