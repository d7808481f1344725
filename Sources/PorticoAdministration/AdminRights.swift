import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The rules of who may administer what, and that no one raises their own rights: a caller who is
/// not the realm's administrator gives no administrative right that they do not have, neither
/// directly nor by a composite role, a group, a scope, a mapper, a client, or another person's
/// credentials.
///
/// A role is administrative if this API reads it: the roles of `realm-management`, and in the realm
/// `master` those that reach into other realms.
struct AdminRights: Sendable {
    /// The realm that is administered.
    let realm: LiveRealm
    /// The administrative roles of the caller, as roles of that realm.
    let held: Set<RoleName>
    /// The realm's administrator, or the server's.
    let isUnlimited: Bool

    static let management = "realm-management"
    static let master = "master"
    private static let realmAdmin = "realm-admin"
    private static let serverRoles = ["admin", "create-realm"]

    /// The rights of a token's holder in a realm: their own one, or any where the token is of
    /// `master`.
    ///
    /// - Parameter hasMaster: Whether tokens of `master` reach into other realms.
    /// - Returns: `nil` where the token is of another realm.
    init?(_ bearer: Bearer, in realm: LiveRealm, hasMaster: Bool) {
        self.realm = realm
        let roles = Self.lent(bearer)
        if bearer.realm.name == realm.name {
            held = roles.filter { Self.isAdministrative($0, in: realm.name) }
            let owner = realm.name == Self.master ? nil : Self.management
            let name = realm.name == Self.master ? Self.serverRoles[0] : Self.realmAdmin
            isUnlimited = held.contains(RoleName(clientID: owner, name: name))
        } else if hasMaster, bearer.realm.name == Self.master {
            isUnlimited = roles.contains(RoleName(clientID: nil, name: Self.serverRoles[0]))
            let client = realm.name + "-realm"
            held = Set(
                roles.filter { $0.clientID.map { sameBytes($0, client) } ?? false }
                    .map { RoleName(clientID: Self.management, name: $0.name) }
            )
        } else {
            return nil
        }
    }

    /// Whether the holder of a token of `master` may make and see all realms.
    static func isServerAdministrator(_ bearer: Bearer) -> Bool {
        bearer.realm.name == master
            && lent(bearer).contains(RoleName(clientID: nil, name: serverRoles[0]))
    }

    func allows(_ right: AdminRight) -> Bool {
        let owner = realm.name == Self.master ? "master-realm" : Self.management
        return isUnlimited
            || right.roles.contains { name in
                held.contains(RoleName(clientID: Self.management, name: name))
                    || held.contains(RoleName(clientID: owner, name: name))
            }
    }

    /// Whether they may give these roles to anyone, or make another role, a group or a scope bring
    /// them.
    func mayGive(_ roles: some Sequence<RoleName>) -> Bool {
        isUnlimited
            || realm.graph.expanded(roles).allSatisfy {
                !Self.isAdministrative($0, in: realm.name) || held.contains($0)
            }
    }

    /// Whether they may make, change or delete a role of that name.
    func mayChange(_ role: RoleName) -> Bool {
        isUnlimited || !Self.isAdministrative(role, in: realm.name)
    }

    /// Whether they may make someone a member of a group.
    func mayJoin(_ groupID: String) -> Bool {
        mayGive(realm.graph.roles(ofGroup: groupID))
    }

    /// The groups that they may not change: those that give more than they have, and those above these.
    var closedGroups: Set<String> {
        let groups = isUnlimited ? [] : realm.graph.allGroups.map(\.group.id)
        return Set(
            groups.filter { !mayJoin($0) }
                .flatMap { realm.graph.lineage(of: $0).map(\.group.id) }
        )
    }

    /// Whether they may give everyone what new people get.
    var mayGiveDefaults: Bool {
        mayGive(realm.defaultRoles) && realm.defaultGroupIDs.allSatisfy(mayJoin)
    }

    /// Whether they may change how someone signs in, and what they have. Who holds more rights than
    /// oneself could be signed in as.
    func mayChange(_ person: PersonWithRoles) -> Bool {
        mayGive(realm.graph.roles(of: person))
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

    /// Whether they may change a client scope of that name, or give it to a client: it shows no roles,
    /// and puts none into tokens, that they could not give.
    func mayAssign(_ scope: String) -> Bool {
        guard !isUnlimited else { return true }
        guard let scope = realm.scope(named: scope) else { return false }
        return mayGive(scope.limits) && scope.mappers.allSatisfy(mayAdd)
    }

    /// Whether they may add a mapper: none that puts roles into tokens that they could not give.
    func mayAdd(_ mapper: ClaimMapper) -> Bool {
        if isUnlimited { return true }
        switch mapper.kind {
        case .fixedRole(let role): return Self.readings(of: role).allSatisfy { mayGive([$0]) }
        case .renamedRole(_, let name): return Self.readings(of: name).allSatisfy(mayChange)
        default: return Self.writesRolesAsTheyAre(mapper) || !Self.writesRoles(mapper)
        }
    }

    /// `client.role` or `role`. A client's id may have periods, so that all readings count.
    private static func readings(of role: RoleName) -> [RoleName] {
        let text = role.mapped
        let bytes = text.utf8
        let split = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }.map { index in
            RoleName(
                clientID: String(text[..<index]),
                name: String(text[bytes.index(after: index)...])
            )
        }
        return split + [RoleName(clientID: nil, name: text)]
    }

    /// Whether the claim is where applications look for roles.
    private static func writesRoles(_ mapper: ClaimMapper) -> Bool {
        guard let root = mapper.claim?.root else { return false }
        return sameBytes(root, "realm_access") || sameBytes(root, "resource_access")
            || root.utf8.contains(UInt8(ascii: "$"))
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

    /// The attribute of a client's representation that says whether people administer by way of it
    /// (``Client/administers``). Only the realm's administrator sets it.
    static let mark = "portico.administers"

    /// A member of ours in a client's representation: the administrative roles that tokens of it may
    /// carry here, each as `[client, name]`, or `[name]` of the realm. No one who changes a client,
    /// or knows its secret, gets more by its people's tokens than they have.
    static let lending = "portico.lends"

    /// A client's representation after a change: what it lends shrinks to what its changer has.
    func bounded(_ representation: JSONObject, former: JSONObject?) -> JSONObject {
        var bounded = representation
        bounded[Self.lending] = former?[Self.lending]
        guard !isUnlimited else { return bounded }
        let lent = Self.lent(by: former ?? [:])?.intersection(held) ?? held
        let names = lent.map { [$0.clientID, $0.name].compactMap(\.self) }
        bounded[Self.lending] = .array(
            names.sorted { $0.lexicographicallyPrecedes($1) }.map(JSONValue.texts)
        )
        return bounded
    }

    /// A client that they are about to change, or are told the secret of.
    func noted(_ client: Client) -> Client {
        guard !isUnlimited else { return client }
        var client = client
        let kept = client.kept.object
        client.kept = KeptRepresentation(bounded(kept, former: kept))
        return client
    }

    /// Whether a client's tokens carry no more than they have.
    func isBounded(_ client: Client) -> Bool {
        isUnlimited || Self.lent(by: client.kept.object)?.isSubset(of: held) ?? false
    }

    /// - Returns: `nil` where nothing is noted.
    private static func lent(by representation: JSONObject) -> Set<RoleName>? {
        guard let note = representation[lending] else { return nil }
        return Set(
            (note.array ?? []).compactMap { role in
                guard let parts = role.strings, let name = parts.last, parts.count <= 2 else {
                    return nil
                }
                return RoleName(clientID: parts.dropLast().first, name: name)
            }
        )
    }

    /// What a token is good for here: what its client lends, and those that handed the sign-in on. No
    /// client lends anything of itself (docs/decisions/0071).
    private static func lent(_ bearer: Bearer) -> Set<RoleName> {
        // A client's own account is looked at whenever its roles, or the client, change.
        guard bearer.person.serviceClientID == nil else { return bearer.roles }
        return ([bearer.client] + bearer.sources).reduce(bearer.roles) { roles, client in
            let lent = lent(by: client.kept.object)
            return roles.filter { role in
                !isAdministrative(role, in: bearer.realm.name)
                    || client.lendsAdministration && lent?.contains(role) ?? true
            }
        }
    }

    static func isAdministrative(_ role: RoleName, in realm: String) -> Bool {
        guard let clientID = role.clientID else {
            return realm == master && serverRoles.contains(role.name)
        }
        return sameBytes(clientID, management) || realm == master && clientID.hasSuffix("-realm")
    }
}
