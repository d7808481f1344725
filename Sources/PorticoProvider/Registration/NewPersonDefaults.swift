import PorticoProtocol
package import PorticoStores

/// What new people of a realm that comes from Keycloak get.
package struct NewPersonDefaults: Sendable {
    /// The default role (Keycloak `defaultRole`), or, in files from before version 13, the default
    /// roles of the realm and of its clients.
    package let roles: [RoleName]
    /// The ids of the default groups (Keycloak `defaultGroups`: paths) that there still are.
    package let groupIDs: [String]

    /// - Parameter clients: All of the realm.
    package init(_ realm: Realm, clients: [Client], graph: RoleGraph) {
        guard let keycloak = realm.keycloak else {
            (roles, groupIDs) = ([], [])
            return
        }
        if let name = keycloak.object("defaultRole")?.string("name") {
            roles = [RoleName(clientID: nil, name: name)]
        } else {
            roles = keycloak.defaultRoles(of: nil) + clients.flatMap(\.defaultRoles)
        }
        groupIDs = (keycloak["defaultGroups"]?.array ?? [])
            .compactMap { $0.string.flatMap(graph.group(atPath:))?.id }
    }
}

extension LiveRealm {
    package var newPersonDefaults: NewPersonDefaults {
        NewPersonDefaults(realm, clients: clients, graph: graph)
    }

    package var defaultRoles: [RoleName] { newPersonDefaults.roles }

    package var defaultGroupIDs: [String] { newPersonDefaults.groupIDs }
}

extension Client {
    /// Those of its roles that files from before version 13 give every new person.
    package var defaultRoles: [RoleName] { keycloak?.defaultRoles(of: clientID) ?? [] }
}

extension JSONObject {
    fileprivate func defaultRoles(of clientID: String?) -> [RoleName] {
        (self["defaultRoles"]?.array ?? []).compactMap { name in
            name.string.map { RoleName(clientID: clientID, name: $0) }
        }
    }
}
