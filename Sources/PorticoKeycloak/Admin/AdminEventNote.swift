import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

/// What an administrator did, from the request that did it. What was sent is not noted: it may be a
/// password.
struct AdminEventNote {
    let event: Event

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
        let deed: String
        switch method {
        case .get:
            guard case .noted = answer else { return nil }
            deed = "action"
        case .delete:
            // These note themselves.
            guard parts != ["events"], parts != ["admin-events"] else { return nil }
            deed = "deleted"
        default:
            let isAction = parts.last.map(Self.actions.contains) ?? false
            deed = isAction ? "action" : method == .post ? "created" : "updated"
        }
        event = call.event(Self.kind(Self.noun(parts), deed), path: path)
    }

    /// - Parameter noun: Of the trail's words.
    private static func kind(_ noun: String, _ deed: String) -> Event.Kind {
        Event.Kind(rawValue: "\(noun).\(deed)") ?? .settingUpdated
    }

    private static func noun(_ parts: [String]) -> String {
        let third = parts.dropFirst(2).first ?? ""
        if parts.contains("role-mappings") || parts.contains("scope-mappings") {
            return "role_mapping"
        }
        if parts.contains("protocol-mappers") || parts.contains("mappers") { return "mapper" }
        if parts.last == "composites" { return "role_part" }
        switch (parts.first, third) {
        case ("users", "credentials"): return "credential"
        case ("users", "consents"): return "consent"
        case ("users", "groups"): return "membership"
        case ("users", "federated-identity"): return "identity"
        case ("users", _) where parts == ["users", "profile"]: return "setting"
        case ("clients", "roles"): return "role"
        case ("clients", "default-client-scopes"), ("clients", "optional-client-scopes"):
            return "client_scope"
        default: return parts.first.map { nouns[$0] ?? "realm" } ?? "realm"
        }
    }

    private static let nouns = [
        "users": "person", "clients": "client", "roles": "role", "roles-by-id": "role",
        "groups": "group", "default-groups": "default_group", "client-scopes": "scope",
        "default-default-client-scopes": "client_scope",
        "default-optional-client-scopes": "client_scope", "sessions": "session",
        "identity-provider": "identity_provider", "attack-detection": "lockout",
        "components": "setting", "authentication": "setting", "client-policies": "setting",
    ]

    /// What changes nothing that has a representation.
    private static let actions: Set<String> = [
        "logout", "logout-all", "push-revocation", "partialImport", "execute-actions-email",
        "reset-password-email", "send-verify-email", "reset-password", "client-secret",
        "disable-credential-types", "clear-realm-cache", "clear-user-cache", "clear-keys-cache",
        "clear-crl-cache", "partial-export",
    ]

    /// Keycloak's `ResourceType`.
    ///
    /// - Parameter path: Below the realm.
    static func resource(_ path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
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

extension AdminCall {
    /// - Parameter path: What was done it to, below the realm.
    func event(_ kind: Event.Kind, path: String) -> Event {
        var event = Event(
            kind,
            by: .person(bearer.person.id),
            to: nil,
            in: realmID,
            at: moment.milliseconds
        )
        event.clientID = bearer.client.id
        event.address = context.address
        event.details = [
            "realm": .string(RealmRepresentation(bearer.realm.realm).id),
            "path": .string(PlainText.shown(path)),
        ]
        return event
    }
}
