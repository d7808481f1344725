import PorticoProtocol
import PorticoStores

/// What new people of a realm that comes from Keycloak get.
extension LiveRealm {
    /// The default role (Keycloak `defaultRole`), or, in files from before version 13, the default
    /// roles of the realm and of its clients.
    var defaultRoles: [RoleName] {
        guard let keycloak = realm.keycloak else { return [] }
        if let name = keycloak.object("defaultRole")?.string("name") {
            return [RoleName(clientID: nil, name: name)]
        }
        func roles(_ representation: JSONObject, of clientID: String?) -> [RoleName] {
            (representation["defaultRoles"]?.array ?? []).compactMap { name in
                name.string.map { RoleName(clientID: clientID, name: $0) }
            }
        }
        return roles(keycloak, of: nil)
            + clients.flatMap { client in
                client.keycloak.map { roles($0, of: client.clientID) } ?? []
            }
    }

    /// The ids of the default groups (Keycloak `defaultGroups`: paths) that there still are.
    var defaultGroupIDs: [String] {
        (realm.keycloak?["defaultGroups"]?.array ?? [])
            .compactMap { $0.string.flatMap(graph.group(at:)) }
    }
}
