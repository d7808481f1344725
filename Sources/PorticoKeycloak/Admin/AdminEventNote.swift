import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

/// What an administrator did, from the request that did it (Keycloak `AdminEventRepresentation`). What
/// was sent is not noted: it may be a password.
struct AdminEventNote {
    let event: RealmEvent

    /// - Returns: `nil` for a request that only reads.
    init?(_ method: HTTPRequest.Method, _ call: AdminCall, _ answer: AdminAnswer) {
        let base = "/admin/realms/".utf8.count
        let below = call.context.path.utf8.dropFirst(base)
            .drop { $0 != UInt8(ascii: "/") }.dropFirst()
        var path = String(Substring(below.prefix(1000)))
        let parts = path.split(separator: "/").map(String.init)
        if case .created(let made, _) = answer, let last = made.split(separator: "/").last {
            path += (path.isEmpty ? "" : "/") + last
        }
        let kind: String
        switch method {
        case .get:
            guard case .noted = answer else { return nil }
            kind = "ACTION"
        case .delete: kind = "DELETE"
        default:
            let isAction = parts.last.map(Self.actions.contains) ?? false
            kind = isAction ? "ACTION" : method == .post ? "CREATE" : "UPDATE"
        }
        event = RealmEvent(
            realmID: call.realmID,
            isAdmin: true,
            at: RealmEvents.milliseconds(call.moment),
            kind: kind,
            clientID: call.bearer.client.id,
            personID: call.bearer.person.id,
            address: call.context.address,
            details: [
                "realmId": .string(RealmRepresentation(call.bearer.realm.realm).id),
                "resourceType": .string(Self.resource(parts)),
                "resourcePath": .string(PlainText.shown(path)),
            ]
        )
    }

    /// What changes nothing that has a representation.
    private static let actions: Set<String> = [
        "logout", "logout-all", "push-revocation", "partialImport", "execute-actions-email",
        "reset-password-email", "send-verify-email", "reset-password", "client-secret",
        "disable-credential-types", "clear-realm-cache", "clear-user-cache", "clear-keys-cache",
        "clear-crl-cache", "partial-export",
    ]

    /// Keycloak's `ResourceType`.
    private static func resource(_ parts: [String]) -> String {
        guard let first = parts.first else { return "REALM" }
        if let place = parts.firstIndex(of: "role-mappings") {
            return parts.dropFirst(place + 1).first == "clients"
                ? "CLIENT_ROLE_MAPPING" : "REALM_ROLE_MAPPING"
        }
        if let place = parts.firstIndex(of: "scope-mappings") {
            return parts.dropFirst(place + 1).first == "clients"
                ? "CLIENT_SCOPE_MAPPING" : "REALM_SCOPE_MAPPING"
        }
        if parts.contains("protocol-mappers") { return "PROTOCOL_MAPPER" }
        if parts.starts(with: ["users", "profile"]) { return "USER_PROFILE" }
        if parts.first == "authentication" {
            return parts.contains("required-actions") ? "REQUIRED_ACTION" : "AUTH_FLOW"
        }
        let third = parts.dropFirst(2).first
        switch (first, third) {
        case ("users", "groups"?): return "GROUP_MEMBERSHIP"
        case ("clients", "roles"?): return "CLIENT_ROLE"
        case ("identity-provider", _) where parts.contains("mappers"):
            return "IDENTITY_PROVIDER_MAPPER"
        case ("clients", "default-client-scopes"?), ("clients", "optional-client-scopes"?):
            return "CLIENT_SCOPE_CLIENT_MAPPING"
        default: return resources[first] ?? "REALM"
        }
    }

    private static let resources = [
        "users": "USER", "clients": "CLIENT", "roles": "REALM_ROLE", "roles-by-id": "REALM_ROLE",
        "groups": "GROUP", "client-scopes": "CLIENT_SCOPE", "sessions": "USER_SESSION",
        "identity-provider": "IDENTITY_PROVIDER", "attack-detection": "USER_LOGIN_FAILURE",
        "components": "COMPONENT",
    ]
}
