import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The roles of a person as claims, in the form that most clients read: `realm_access.roles`
/// and `resource_access.{client_id}.roles`.
struct RoleClaims: Sendable {
    /// The scope token that requests them.
    static let scope = "roles"

    /// The scope token that requests them as a flat list, and the claim for it: software that reads
    /// no other form knows both by this name.
    static let flat = "groups"

    /// The roles that the client sees.
    let roles: [RoleName]

    /// - Parameter client: It sees the roles that its registration names, whichever client requests
    ///   them.
    init(_ roles: Set<RoleName>, seenBy client: Client) {
        self.roles = roles.filter { client.sees($0) }
    }

    func add(to claims: inout JSONObject) {
        let realmRoles = names(of: nil)
        if !realmRoles.isEmpty {
            claims["realm_access"] = .object(["roles": .array(realmRoles)])
        }
        var access = JSONObject()
        for clientID in clientIDs {
            access[clientID] = .object(["roles": .array(names(of: clientID))])
        }
        if !access.isEmpty { claims["resource_access"] = .object(access) }
    }

    /// All of them in one list: the realm's by their names, a client's as `CLIENT:ROLE`. A role of
    /// one client is never mistaken for the realm's or another client's: so the list leaves out a
    /// realm's role with a colon in its name, and the roles of a client with one in its
    /// `client_id`.
    var flatNames: [JSONValue] {
        roles.filter { !($0.clientID ?? $0.name).utf8.contains(UInt8(ascii: ":")) }
            .map { role in role.clientID.map { "\($0):\(role.name)" } ?? role.name }
            .sorted().map(JSONValue.string)
    }

    /// The names of the realm's roles (`nil`) or of one client's, in alphabetical order.
    func names(of clientID: String?) -> [JSONValue] {
        roles.filter { $0.clientID == clientID }.map(\.name).sorted().map(JSONValue.string)
    }

    private var clientIDs: [String] {
        Set(roles.compactMap(\.clientID)).sorted()
    }
}

extension Client {
    fileprivate func sees(_ role: RoleName) -> Bool {
        guard let owner = role.clientID else { return seesRealmRoles }
        return roleClients?.contains { sameBytes($0, owner) } ?? true
    }
}
