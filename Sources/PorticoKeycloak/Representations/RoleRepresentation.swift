package import PorticoProtocol
package import PorticoStores

/// A role as Keycloak writes it (Keycloak `RoleRepresentation`).
package struct RoleRepresentation: Sendable {
    let role: Role
    /// The roles that it contains itself.
    let parts: [RoleName]
    /// The realm's id in representations, or that of the client.
    let containerID: String

    package init(_ role: Role, parts: [RoleName], containerID: String) {
        self.role = role
        self.parts = parts
        self.containerID = containerID
    }

    package var json: JSONObject {
        var json: JSONObject = ["id": .string(role.id), "name": .string(role.name)]
        if !role.description.isEmpty { json["description"] = .string(role.description) }
        json["composite"] = .bool(!parts.isEmpty)
        if !parts.isEmpty {
            var composites = JSONObject()
            let (own, byClient) = (parts.ofRealm, parts.byClient)
            if !own.isEmpty { composites["realm"] = .texts(own) }
            if !byClient.isEmpty { composites["client"] = .object(byClient) }
            json["composites"] = .object(composites)
        }
        json["clientRole"] = .bool(role.clientID != nil)
        json["containerId"] = .string(containerID)
        json["attributes"] = .lists(role.attributes)
        return json
    }
}
