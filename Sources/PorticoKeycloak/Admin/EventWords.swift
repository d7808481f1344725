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
        switch kind.rawValue.split(separator: ".").last {
        case "created"?: "CREATE"
        case "updated"?: "UPDATE"
        case "deleted"?: "DELETE"
        default: "ACTION"
        }
    }

    static func kinds(ofOperations operations: some Sequence<String>) -> Set<Event.Kind> {
        let operations = Set(operations)
        return Set(Event.Kind.allCases.filter { operations.contains(operation($0)) })
    }
}
