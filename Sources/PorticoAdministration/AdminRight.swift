/// What the holder of a role of `realm-management` may do: any of these roles gives the right.
struct AdminRight: Hashable, Sendable {
    /// Names of roles.
    let roles: [String]

    init(_ roles: String...) {
        self.roles = roles
    }

    static let viewRealm = AdminRight("view-realm", "manage-realm")
    static let manageRealm = AdminRight("manage-realm")
    static let viewUsers = AdminRight("view-users", "manage-users")
    /// May look for people, and sees those that another right shows.
    static let queryUsers = AdminRight("query-users", "view-users", "manage-users")
    static let manageUsers = AdminRight("manage-users")
    static let queryGroups = AdminRight("query-groups", "view-users", "manage-users")
    static let viewClients = AdminRight("view-clients", "manage-clients")
    static let queryClients = AdminRight("query-clients", "view-clients", "manage-clients")
    static let manageClients = AdminRight("manage-clients")
    static let createClients = AdminRight("manage-clients", "create-client")
    /// Names of roles are shown to everyone who may look for anything.
    static let listRoles = AdminRight(
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
    static let viewScopes = AdminRight("view-clients", "manage-clients", "view-realm")
}
