import PorticoProtocol
import PorticoStores

/// Keycloak's words for what happens in a realm (`EventType`, `Errors`).
enum EventWords {
    struct Word: Sendable {
        let type: String
        var error: String?
    }

    static func word(_ kind: Event.Kind) -> Word? {
        switch kind {
        case .signedIn: Word(type: "LOGIN")
        case .signInFailed, .secondStepFailed:
            Word(type: "LOGIN_ERROR", error: "invalid_user_credentials")
        case .signedOut: Word(type: "LOGOUT")
        case .registrationDone: Word(type: "REGISTER")
        case .passwordResetAsked: Word(type: "SEND_RESET_PASSWORD")
        case .passwordReset: Word(type: "RESET_PASSWORD")
        case .passwordChanged: Word(type: "UPDATE_PASSWORD")
        case .emailConfirmed: Word(type: "VERIFY_EMAIL")
        case .secondFactorAdded: Word(type: "UPDATE_TOTP")
        case .secondFactorRemoved: Word(type: "REMOVE_TOTP")
        case .consented: Word(type: "GRANT_CONSENT")
        case .consentRemoved, .tokenRevoked: Word(type: "REVOKE_GRANT")
        case .clientRefused:
            Word(type: "CLIENT_LOGIN_ERROR", error: "invalid_client_credentials")
        case .codeReplayed: Word(type: "CODE_TO_TOKEN_ERROR", error: "invalid_code")
        case .refreshReplayed, .swapReplayed:
            Word(type: "REFRESH_TOKEN_ERROR", error: "invalid_token")
        default: nil
        }
    }

    /// All that have a word.
    static let allKinds = Set(Event.Kind.allCases.filter { word($0) != nil })

    /// The words, for those who choose among them.
    static let allTypes = types(of: allKinds)

    static func types(of kinds: Set<Event.Kind>) -> [String] {
        Set(kinds.compactMap { word($0)?.type }).sorted()
    }

    static func kinds(of types: some Sequence<String>) -> Set<Event.Kind> {
        let types = Set(types)
        return allKinds.filter { kind in word(kind).map { types.contains($0.type) } ?? false }
    }

    /// What an administrator did, as Keycloak says it (`OperationType`).
    static func operation(_ kind: Event.Kind) -> String {
        if kind == .credentialUpdated { return "ACTION" }
        return switch kind.rawValue.split(separator: ".").last {
        case "created"?: "CREATE"
        case "updated"?: "UPDATE"
        case "deleted"?: "DELETE"
        default: "ACTION"
        }
    }

    /// Where what an administrator did is found: the address, below the realm, with what was made there.
    static func path(of event: Event) -> String {
        let path = event.details.string("path") ?? event.subjectID ?? ""
        let parts = path.split(separator: "/")
        let name = event.kind == .roleCreated ? event.details.string("name") : event.subjectID
        guard operation(event.kind) == "CREATE", let name,
            ["users", "clients", "roles", "groups", "children", "client-scopes", "instances"]
                .contains(parts.last ?? "")
        else { return path }
        // A client's role has the client's name in front.
        return path + "/" + (parts.count == 3 ? name.split(separator: "/").last ?? "" : name[...])
    }

    /// What such an address leads to (`ResourceType`).
    static func resource(_ path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        guard let first = parts.first else { return "REALM" }
        let isOfClient = parts.dropFirst(3).first == "clients"
        switch (first, parts.dropFirst(2).first ?? "") {
        case (_, "role-mappings"):
            return isOfClient ? "CLIENT_ROLE_MAPPING" : "REALM_ROLE_MAPPING"
        case (_, "scope-mappings"):
            return isOfClient ? "CLIENT_SCOPE_MAPPING" : "REALM_SCOPE_MAPPING"
        case (_, "protocol-mappers"): return "PROTOCOL_MAPPER"
        case ("users", "groups"): return "GROUP_MEMBERSHIP"
        case ("users", "") where parts.last == "profile": return "USER_PROFILE"
        case ("clients", "roles"): return "CLIENT_ROLE"
        case ("clients", "default-client-scopes"), ("clients", "optional-client-scopes"):
            return "CLIENT_SCOPE_CLIENT_MAPPING"
        case ("identity-provider", _) where parts.contains("mappers"):
            return "IDENTITY_PROVIDER_MAPPER"
        case ("authentication", _) where parts.contains("required-actions"):
            return "REQUIRED_ACTION"
        default: return resources[first] ?? "REALM"
        }
    }

    private static let resources = [
        "users": "USER", "clients": "CLIENT", "roles": "REALM_ROLE", "roles-by-id": "REALM_ROLE",
        "groups": "GROUP", "client-scopes": "CLIENT_SCOPE", "sessions": "USER_SESSION",
        "identity-provider": "IDENTITY_PROVIDER", "attack-detection": "USER_LOGIN_FAILURE",
        "components": "COMPONENT", "authentication": "AUTH_FLOW",
    ]

    static func kinds(ofOperations operations: some Sequence<String>) -> Set<Event.Kind> {
        let operations = Set(operations)
        return Set(Event.Kind.allCases.filter { operations.contains(operation($0)) })
    }
}
