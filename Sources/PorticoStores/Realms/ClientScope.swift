package import PorticoProtocol

/// A scope of a realm with mappers of its own, which clients have by default or on request: of
/// realms that come from Keycloak.
package struct ClientScope: Hashable, Sendable {
    /// A UUID.
    package var id: String
    package var realmID: String
    /// The scope token (RFC 6749 §3.3).
    package var name: String
    /// Keycloak's `ClientScopeRepresentation` without `id` and `name`.
    package var representation: JSONObject

    /// A member of ours in it: whether the scope is only for people with a role that it shows, even
    /// where no such role is left.
    package static let limited = "portico.limited"

    package init(id: String, realmID: String, name: String, representation: JSONObject) {
        self.id = id
        self.realmID = realmID
        self.name = name
        self.representation = representation
    }
}

/// A role that a client without full scope sees, by itself or by a scope that it is granted.
package struct RoleLimit: Hashable, Sendable {
    package enum Owner: Hashable, Sendable {
        /// Their ids.
        case client(String)
        case scope(String)
    }

    package var owner: Owner
    package var role: RoleName

    package init(owner: Owner, role: RoleName) {
        self.owner = owner
        self.role = role
    }
}
