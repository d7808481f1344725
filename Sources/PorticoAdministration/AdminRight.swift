package import PorticoStores

/// What the holder of a role of `realm-management` may do: any of these roles gives the right.
package struct AdminRight: Hashable, Sendable {
    /// Names of roles.
    let roles: [String]

    package init(_ roles: String...) {
        self.roles = roles
    }

    package static let viewRealm = AdminRight("view-realm", "manage-realm")
    package static let manageRealm = AdminRight("manage-realm")
    package static let viewUsers = AdminRight("view-users", "manage-users")
    /// May look for people, and sees those that another right shows.
    package static let queryUsers = AdminRight("query-users", "view-users", "manage-users")
    package static let manageUsers = AdminRight("manage-users")
    package static let queryGroups = AdminRight("query-groups", "view-users", "manage-users")
    package static let viewClients = AdminRight("view-clients", "manage-clients")
    package static let queryClients = AdminRight("query-clients", "view-clients", "manage-clients")
    package static let manageClients = AdminRight("manage-clients")
    package static let createClients = AdminRight("manage-clients", "create-client")
    package static let manageEvents = AdminRight("manage-events")
    package static let manageIdentityProviders = AdminRight("manage-identity-providers")
    /// Names of roles are shown to everyone who may look for anything.
    package static let listRoles = AdminRight(
        "view-realm",
        "manage-realm",
        "query-realms",
        "query-users",
        "query-groups",
        "query-clients",
        "view-users",
        "manage-users",
        "view-clients",
        "manage-clients"
    )
    /// Client scopes belong to clients.
    package static let viewScopes = AdminRight("view-clients", "manage-clients", "view-realm")

    /// Roles of the realm are the realm's, those of a client the client's.
    package static func manageRoles(of role: RoleName) -> AdminRight {
        role.clientID == nil ? manageRealm : manageClients
    }
}
