import PorticoBytes
import PorticoProtocol

/// What Keycloak puts into every realm that it makes: the clients that stand for its own pages and
/// APIs, their roles, and the role that every person gets.
struct BuiltInRealm {
    private let name: String

    /// - Parameter name: The realm's.
    init(_ name: String) {
        self.name = name
    }

    /// The representation of a realm with what it lacks of all this.
    func completing(_ realm: JSONObject) -> JSONObject {
        var realm = realm
        var clients = realm.array("clients") ?? []
        let known = Set(clients.compactMap { $0.object?.string("clientId") }.map(ExactText.init))
        for clientID in ClientImport.builtIn.sorted() where !known.contains(ExactText(clientID)) {
            clients.append(
                [
                    "clientId": .string(clientID), "name": .string("${client_\(clientID)}"),
                    "protocol": "openid-connect", "fullScopeAllowed": false,
                    "publicClient": .bool(clientID != "realm-management" && clientID != "broker"),
                    "bearerOnly": .bool(clientID == "realm-management" || clientID == "broker"),
                ]
            )
        }
        realm["clients"] = .array(clients)
        var roles = realm.object("roles") ?? JSONObject()
        roles["realm"] = Self.merged(roles.array("realm"), ownRoles)
        var byClient = roles.object("client") ?? JSONObject()
        for (clientID, table) in [
            ("realm-management", Self.management), ("account", Self.account),
            ("broker", [("read-token", [])]),
        ] {
            byClient[clientID] = Self.merged(
                byClient.array(clientID),
                table.map { role, parts in
                    var json = Self.role(role)
                    if !parts.isEmpty {
                        json["composites"] = ["client": .object([clientID: .texts(parts)])]
                    }
                    return json
                }
            )
        }
        roles["client"] = .object(byClient)
        realm["roles"] = .object(roles)
        if realm["defaultRole"] == nil, realm["defaultRoles"] == nil {
            realm["defaultRole"] = ["name": .string(defaultRole)]
        }
        return realm
    }

    private var defaultRole: String { "default-roles-\(name.lowercased())" }

    private var ownRoles: [JSONObject] {
        var everyone = Self.role(defaultRole)
        everyone["description"] = "${role_default-roles}"
        everyone["composites"] = [
            "realm": ["offline_access", "uma_authorization"],
            "client": ["account": ["view-profile", "manage-account"]],
        ]
        return [everyone, Self.role("offline_access"), Self.role("uma_authorization")]
    }

    private static func role(_ name: String) -> JSONObject {
        ["name": .string(name), "description": .string("${role_\(name)}")]
    }

    private static func merged(_ roles: [JSONValue]?, _ own: [JSONObject]) -> JSONValue {
        let known = Set((roles ?? []).compactMap { $0.object?.string("name") })
        return .array(
            (roles ?? [])
                + own.filter { !known.contains($0.string("name") ?? "") }.map(JSONValue.object)
        )
    }

    private static let account: [(String, [String])] = [
        ("view-profile", []), ("manage-account", ["manage-account-links"]),
        ("manage-account-links", []), ("view-applications", []), ("view-consent", []),
        ("manage-consent", ["view-consent"]), ("delete-account", []), ("view-groups", []),
    ]

    private static let rights: [(String, [String])] = [
        ("create-client", []), ("impersonation", []), ("manage-authorization", []),
        ("manage-clients", []), ("manage-events", []), ("manage-identity-providers", []),
        ("manage-organizations", []), ("manage-realm", []), ("manage-users", []),
        ("query-clients", []), ("query-groups", []), ("query-organizations", []),
        ("query-realms", []), ("query-users", []), ("view-authorization", []),
        ("view-clients", ["query-clients"]), ("view-events", []),
        ("view-identity-providers", []), ("view-organizations", ["query-organizations"]),
        ("view-realm", []), ("view-users", ["query-users", "query-groups"]),
    ]

    private static let management = rights + [("realm-admin", rights.map(\.0))]
}
