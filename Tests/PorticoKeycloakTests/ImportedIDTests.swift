import PorticoBytes
import PorticoStores
import Testing

@testable import PorticoKeycloak

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
            "clients": [
                {"id": "\#(Self.first)", "clientId": "account"},
                {"id": "\#(Self.first)", "clientId": "a", "redirectUris": ["https://a.example/cb"]}
            ]
            """#
        )
        let ids = imported.realm.clients.map(\.id)
        try #require(ids.count == 7)
        #expect(ids[0] == Self.first && ids[1] != Self.first && UniqueID(ids[1]) != nil)
    }
}
