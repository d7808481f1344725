import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The rules of who may administer what, and that nobody raises their own rights: who is not the
/// realm's administrator gives no administrative right that they do not have, neither directly nor
/// by a composite role, a group, a scope, a mapper, a client, or another person's credentials.
///
/// A role is administrative if this API reads it: the roles of `realm-management`, and in the realm
/// `master` those that reach into other realms.
struct AdminRights: Sendable {
    /// The realm that is administered.
    let realm: LiveRealm
    /// The administrative roles of whoever asks, as roles of that realm.
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

    /// Whether they may add a mapper: none that puts roles into tokens that they could not give.
    func mayAdd(_ mapper: ProtocolMapperRecord) -> Bool {
        if isUnlimited { return true }
        switch mapper.kind {
        case "oidc-hardcoded-role-mapper":
            return Self.roles(named: mapper.config["role"]).allSatisfy { mayGive([$0]) }
        case "oidc-role-name-mapper":
            return Self.roles(named: mapper.config["new.role.name"]).allSatisfy { mayChange($0) }
        case "oidc-usermodel-realm-role-mapper", "oidc-usermodel-client-role-mapper":
            return Self.writesRolesAsTheyAre(mapper) || !Self.writesRoles(mapper)
        default: return !Self.writesRoles(mapper)
        }
    }

    /// `client.role` or `role`. A client's id may have periods, so that all readings count.
    private static func roles(named text: String?) -> [RoleName] {
        guard let text else { return [] }
        let bytes = text.utf8
        let split = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }.map { index in
            RoleName(
                clientID: String(text[..<index]),
                name: String(text[bytes.index(after: index)...])
            )
        }
        return split + [RoleName(clientID: nil, name: text)]
    }

    /// Whether the claim is where applications look for roles, as the mapper reads it.
    private static func writesRoles(_ mapper: ProtocolMapperRecord) -> Bool {
        var root: [UInt8] = []
        var isEscaped = false
        for byte in (mapper.config["claim.name"] ?? "").utf8 {
            if !isEscaped, byte == UInt8(ascii: ".") { break }
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                root.append(byte)
                isEscaped = false
            }
        }
        return root == Array("realm_access".utf8) || root == Array("resource_access".utf8)
            || root.contains(UInt8(ascii: "$"))
    }

    /// Whether it writes roles where they belong: those of the realm or of a client there, under
    /// their own names. A prefix would make one role's name of another's.
    private static func writesRolesAsTheyAre(_ mapper: ProtocolMapperRecord) -> Bool {
        let prefix = mapper.config.first { $0.key.hasSuffix("rolePrefix") && !$0.value.isEmpty }
        guard prefix == nil else { return false }
        let claim = mapper.config["claim.name"] ?? ""
        if mapper.kind == "oidc-usermodel-realm-role-mapper" {
            return sameBytes(claim, "realm_access.roles")
        }
        if sameBytes(claim, "resource_access.${client_id}.roles") { return true }
        let owner = mapper.config["usermodel.clientRoleMapping.clientId"] ?? ""
        return !owner.isEmpty && !owner.utf8.contains(UInt8(ascii: "."))
            && sameBytes(claim, "resource_access.\(owner).roles")
    }

    // MARK: Clients that lend rights

    /// A member of ours in a client's representation: the administrative roles that tokens of it may
    /// carry here, by name. Whoever changes a client, and so where its people's tokens go, gets no
    /// more by their tokens than they have.
    static let lending = "portico.lends"

    /// A client's representation after a change: what it lends shrinks to what its changer has.
    func bounded(_ representation: JSONObject, former: JSONObject?) -> JSONObject {
        var bounded = representation
        bounded[Self.lending] = former?[Self.lending]
        guard !isUnlimited else { return bounded }
        let own = held.map(\.name)
        let names = former?.strings(Self.lending).map { $0.filter(own.contains) } ?? own
        bounded[Self.lending] = .array(names.sorted().map(JSONValue.string))
        return bounded
    }

    private static func lent(_ bearer: Bearer) -> Set<RoleName> {
        guard let names = bearer.client.keycloak?.strings(lending),
            // A client's own account is looked at whenever its roles, or the client, change.
            bearer.person.serviceClientID == nil
        else { return bearer.roles }
        return bearer.roles.filter {
            !isAdministrative($0, in: bearer.realm.name) || names.contains($0.name)
        }
    }

    private static func isAdministrative(_ role: RoleName, in realm: String) -> Bool {
        guard let clientID = role.clientID else {
            return realm == master && serverRoles.contains(role.name)
        }
        return sameBytes(clientID, management) || realm == master && clientID.hasSuffix("-realm")
    }
}
