import PorticoStores
import Testing

@Suite("Role graphs") struct RoleGraphTests {
    private func role(_ number: Int) -> RoleName { RoleName(clientID: nil, name: "r\(number)") }

    @Test("ten thousand roles in a chain and a circle are expanded once each")
    func long() {
        let count = 10_000
        let parts = (0..<count).map { RolePart(role: role($0), part: role(($0 + 1) % count)) }
        let graph = RoleGraph(parts: parts, groups: [])
        #expect(graph.expanded([role(7)]).count == count)
        #expect(graph.expanded([RoleName(clientID: "x", name: "r7")]).count == 1)
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
