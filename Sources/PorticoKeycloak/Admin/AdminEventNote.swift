import HTTPTypes
import PorticoAdministration
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
        if case .noted = answer {} else if method == .get { return nil }
        // These note themselves.
        guard method != .delete || (parts != ["events"] && parts != ["admin-events"]) else {
            return nil
        }
        event = call.event(Self.kind(method, parts), path: path)
    }

    /// - Parameter parts: Of the path below the realm.
    static func kind(_ method: HTTPRequest.Method, _ parts: [String]) -> Event.Kind {
        let isAction = method == .get || parts.last.map(actions.contains) ?? false
        let deed =
            switch method {
            case .delete: "deleted"
            case _ where isAction: "action"
            case .post: "created"
            default: "updated"
            }
        let noun = target(parts.joined(separator: "/")).noun
        return Event.Kind(rawValue: "\(noun).\(deed)") ?? .settingUpdated
    }

    /// What changes nothing that has a representation.
    private static let actions: Set<String> = [
        "logout", "logout-all", "push-revocation", "partialImport", "execute-actions-email",
        "reset-password-email", "send-verify-email", "reset-password", "client-secret",
        "disable-credential-types", "clear-realm-cache", "clear-user-cache", "clear-keys-cache",
        "clear-crl-cache", "partial-export",
    ]

    /// What a path below the realm leads to: in the trail's words, and in Keycloak's (`ResourceType`).
    static func target(_ path: String) -> (noun: String, resource: String) {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first else { return ("realm", "REALM") }
        let isOfClient = parts.dropFirst(3).first == "clients"
        let ofFirst = targets[first] ?? ("realm", "REALM")
        switch (first, parts.dropFirst(2).first ?? "") {
        case (_, "role-mappings"):
            return ("role_mapping", isOfClient ? "CLIENT_ROLE_MAPPING" : "REALM_ROLE_MAPPING")
        case (_, "scope-mappings"):
            return ("role_mapping", isOfClient ? "CLIENT_SCOPE_MAPPING" : "REALM_SCOPE_MAPPING")
        case (_, "protocol-mappers"): return ("mapper", "PROTOCOL_MAPPER")
        case ("users", "credentials"): return ("credential", "USER")
        case ("users", "consents"): return ("consent", "USER")
        case ("users", "federated-identity"): return ("identity", "USER")
        case ("users", "groups"): return ("membership", "GROUP_MEMBERSHIP")
        case ("users", "") where parts.last == "profile": return ("setting", "USER_PROFILE")
        case ("clients", "roles"):
            return (parts.last == "composites" ? "role_part" : "role", "CLIENT_ROLE")
        case ("clients", "default-client-scopes"), ("clients", "optional-client-scopes"):
            return ("client_scope", "CLIENT_SCOPE_CLIENT_MAPPING")
        case ("identity-provider", _) where parts.contains("mappers"):
            return ("mapper", "IDENTITY_PROVIDER_MAPPER")
        case ("authentication", _) where parts.contains("required-actions"):
            return ("setting", "REQUIRED_ACTION")
        case (_, "composites"): return ("role_part", ofFirst.resource)
        default: return ofFirst
        }
    }

    private static let targets: [String: (noun: String, resource: String)] = [
        "users": ("person", "USER"), "clients": ("client", "CLIENT"),
        "roles": ("role", "REALM_ROLE"), "roles-by-id": ("role", "REALM_ROLE"),
        "groups": ("group", "GROUP"), "default-groups": ("default_group", "REALM"),
        "client-scopes": ("scope", "CLIENT_SCOPE"),
        "default-default-client-scopes": ("client_scope", "REALM"),
        "default-optional-client-scopes": ("client_scope", "REALM"),
        "sessions": ("session", "USER_SESSION"),
        "identity-provider": ("identity_provider", "IDENTITY_PROVIDER"),
        "attack-detection": ("lockout", "USER_LOGIN_FAILURE"),
        "components": ("setting", "COMPONENT"), "authentication": ("setting", "AUTH_FLOW"),
        "client-policies": ("setting", "REALM"),
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
