import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The roles of a person as claims, in the shape that Keycloak's clients read:
/// `realm_access.roles` and `resource_access.{client_id}.roles`.
struct RoleClaims: Sendable {
    /// The scope token that asks for them.
    static let scope = "roles"

    /// The scope token that asks for them flat, and the claim they stand in then: what reads no other
    /// shape knows both by this name.
    static let flat = "groups"

    /// Those that the client sees.
    let roles: [RoleName]

    /// - Parameter client: It sees the roles that its registration names, whoever asks for them.
    init(_ roles: [RoleName], seenBy client: Client) {
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
    /// one client is never taken for the realm's, or another client's: so a realm's role with a colon in
    /// its name is not among them, nor what belongs to a client with one in its `client_id`.
    var flatNames: [JSONValue] {
        roles.filter { !($0.clientID ?? $0.name).utf8.contains(UInt8(ascii: ":")) }
            .map { role in role.clientID.map { "\($0):\(role.name)" } ?? role.name }
            .sorted().map(JSONValue.string)
    }

    /// The names of the realm's roles (`nil`) or of one client's, in the order of the alphabet.
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
