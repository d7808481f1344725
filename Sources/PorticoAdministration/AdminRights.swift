import PorticoBytes
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

/// The rules of who may administer what in a realm, and that no one raises their own rights: an
/// administrator who is not the realm's gives no administrative right that they do not have, neither
/// directly nor by a composite role, a group, a scope, a mapper, a client, or another person's
/// credentials (docs/decisions/0053).
///
/// A role is administrative if the administration over HTTP reads it: the roles of
/// `realm-management`, and in the realm `master` those that reach into other realms.
package struct AdminRights: Sendable {
    package let administrator: Administrator
    /// The realm that is administered, with its roles and groups.
    let realm: Realm
    let graph: RoleGraph

    /// - Parameter graph: Of the realm. Nothing is asked of it for an administrator without limits.
    package init(_ administrator: Administrator, in realm: Realm, graph: RoleGraph) {
        self.administrator = administrator
        self.realm = realm
        self.graph = graph
    }

    package static let management = "realm-management"
    package static let master = "master"
    private static let realmAdmin = "realm-admin"
    private static let serverRoles = ["admin", "create-realm"]
    static let serverAdministrator = RoleName(clientID: nil, name: serverRoles[0])

    /// The role that has no limits in a realm.
    package static func whole(in realm: String) -> RoleName {
        realm == master
            ? serverAdministrator : RoleName(clientID: management, name: realmAdmin)
    }

    private var held: Set<RoleName> { administrator.held }
    package var isUnlimited: Bool { administrator.isUnlimited }

    package func allows(_ right: AdminRight) -> Bool {
        let owner = realm.name == Self.master ? "master-realm" : Self.management
        return isUnlimited
            || right.roles.contains { name in
                held.contains(RoleName(clientID: Self.management, name: name))
                    || held.contains(RoleName(clientID: owner, name: name))
            }
    }

    /// Whether they may give these roles to anyone, or make another role, a group or a scope bring
    /// them.
    package func mayGive(_ roles: some Sequence<RoleName>) -> Bool {
        isUnlimited
            || graph.expanded(roles).allSatisfy {
                !Self.isAdministrative($0, in: realm.name) || held.contains($0)
            }
    }

    /// Whether they may make, change or delete a role of that name.
    func mayChange(_ role: RoleName) -> Bool {
        isUnlimited || !Self.isAdministrative(role, in: realm.name)
    }

    /// Whether they may make someone a member of a group.
    func mayJoin(_ groupID: String) -> Bool {
        mayGive(graph.roles(ofGroup: groupID))
    }

    /// The groups that they may not change: those that give more than they have, and those above these.
    package var closedGroups: Set<String> {
        let groups = isUnlimited ? [] : graph.allGroups.map(\.group.id)
        return Set(
            groups.filter { !mayJoin($0) }
                .flatMap { graph.lineage(of: $0).map(\.group.id) }
        )
    }

    /// Whether they may give everyone what new people get.
    var mayGiveDefaults: Bool {
        guard !isUnlimited else { return true }
        return mayGive(realm.defaultRoles) && realm.defaultGroupIDs.allSatisfy(mayJoin)
    }

    /// Whether they may change how someone signs in, and what they have. Who holds more rights than
    /// oneself could be signed in as.
    package func mayChange(_ person: PersonWithRoles) -> Bool {
        mayGive(graph.roles(of: person))
    }

    /// Whether they may have a client that is an app of the backend: it gets sessions of people whom no realm's
    /// administrator administers (docs/decisions/0164).
    func mayHandOff(_ client: Client) -> Bool {
        client.handOff.form == .none || administrator.isServerAdministrator
    }

    /// Whether they may change a client, and see its secret.
    ///
    /// - Parameter account: The account that it has for itself.
    func mayChange(_ client: Client, account: PersonWithRoles?) -> Bool {
        mayName(client.clientID) && (account.map(mayChange) ?? true)
    }

    /// Whether a client may get that `client_id`: the roles of some are administrative.
    func mayName(_ clientID: String) -> Bool {
        isUnlimited
            || !Self.isAdministrative(RoleName(clientID: clientID, name: ""), in: realm.name)
    }

    /// Whether they may change a client scope, or give it to a client: it shows no roles, and puts none
    /// into tokens, that they could not give.
    ///
    /// - Parameter limits: The roles that it shows.
    func mayAssign(_ scope: ClientScope, showing limits: Set<RoleName>) -> Bool {
        isUnlimited || mayGive(limits) && scope.mappers.allSatisfy(mayAdd)
    }

    /// Whether they may add a mapper: none that puts roles into tokens that they could not give.
    func mayAdd(_ mapper: ClaimMapper) -> Bool {
        if isUnlimited { return true }
        switch mapper.kind {
        case .fixedRole(let role): return Self.readings(of: role).allSatisfy { mayGive([$0]) }
        case .renamedRole(_, let name): return Self.readings(of: name).allSatisfy(mayChange)
        default:
            guard mapper.kind.traits.place != .roles else { return false }
            return Self.writesRolesAsTheyAre(mapper) || !Self.writesRoles(mapper)
        }
    }

    /// `client.role` or `role`. A client's id may have periods, so that all readings count.
    private static func readings(of role: RoleName) -> [RoleName] {
        let text = role.clientID.map { "\($0).\(role.name)" } ?? role.name
        let bytes = text.utf8
        let split = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }.map { index in
            RoleName(
                clientID: String(text[..<index]),
                name: String(text[bytes.index(after: index)...])
            )
        }
        return split + [RoleName(clientID: nil, name: text)]
    }

    /// Whether a claim, the mapper's or one that its kind names itself, is where applications look for roles.
    private static func writesRoles(_ mapper: ClaimMapper) -> Bool {
        var roots = mapper.claim.map { [$0.root] } ?? []
        if case .own(let names) = mapper.kind.traits.place { roots += names }
        return roots.contains { root in
            sameBytes(root, "realm_access") || sameBytes(root, "resource_access")
                || root.utf8.contains(UInt8(ascii: "$"))
        }
    }

    /// Whether it writes roles where they belong: those of the realm or of a client there, under
    /// their own names. A prefix would make one role's name of another's.
    private static func writesRolesAsTheyAre(_ mapper: ClaimMapper) -> Bool {
        let places: [ClaimPath]
        switch mapper.kind {
        case .realmRoles(prefix: ""): places = [ClaimPath(names: ["realm_access", "roles"])]
        case .clientRoles(of: let owner, prefix: ""):
            places = ["${client_id}", owner].compactMap(\.self)
                .map { ClaimPath(names: ["resource_access", $0, "roles"]) }
        default: return false
        }
        return mapper.claim.map(places.contains) ?? false
    }

    // MARK: Clients that lend rights

    /// What a client lends once they have changed it, or know its secret: it shrinks to what they have,
    /// and never grows.
    ///
    /// - Parameter former: What it lent before; `nil`: everything that its people have.
    func lent(_ former: Set<RoleName>?) -> Set<RoleName>? {
        guard !isUnlimited else { return former }
        return former?.intersection(held) ?? held
    }

    /// Whether a client's tokens carry no more than they have.
    package func isBounded(_ client: Client) -> Bool {
        isUnlimited || client.lends?.isSubset(of: held) ?? false
    }

    package static func isAdministrative(_ role: RoleName, in realm: String) -> Bool {
        guard let clientID = role.clientID else {
            return realm == master && serverRoles.contains(role.name)
        }
        return sameBytes(clientID, management) || realm == master && clientID.hasSuffix("-realm")
    }
}
