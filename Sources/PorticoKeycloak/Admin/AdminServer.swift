import HTTPTypes
import PorticoAdministration
import PorticoProtocol
import PorticoProvider

/// What neighbours ask of the server as a whole: `/admin/serverinfo`, which Terraform's provider and
/// others read before anything else, and `/admin/REALM/console/whoami`.
struct AdminServer: Sendable {
    var rows: [AdminRow] {
        [
            .server(.get, "serverinfo", information),
            // Only Keycloak's console is told, and there is none here.
            .server(.get, "{realm}/console/whoami") { _ in throw AdminRefusal.noConsole },
        ]
    }

    /// The version whose requests and answers these are: programs choose by it what they send.
    static let version = "26.7.3"

    /// For anyone who may administer something, of their own realm or of another.
    private func information(_ call: AdminCall) async throws -> AdminAnswer {
        try call.expect(
            call.administrator.isServerAdministrator
                || call.access.realms.kept.contains { call.rights(in: $0) != nil }
        )
        return .object([
            "systemInfo": ["version": .string(Self.version)],
            "profileInfo": ["name": "default", "disabledFeatures": []],
            "themes": .object(Self.themes), "providers": .object(Self.providers),
            "componentTypes": [:], "passwordPolicies": .array(Self.passwordPolicies),
        ])
    }

    /// Terraform's provider refuses the name of a theme, and of a password's rule, that the server does
    /// not have. Both are kept as data here.
    private static let themes: JSONObject = {
        let names = [
            ("login", ["base", "keycloak", "keycloak.v2"]), ("email", ["base", "keycloak"]),
            ("account", ["base", "keycloak.v3"]), ("admin", ["base", "keycloak.v2"]),
            ("welcome", ["keycloak"]),
        ]
        var themes = JSONObject()
        for (kind, names) in names {
            themes[kind] = .array(names.map { ["name": .string($0)] })
        }
        return themes
    }()

    private static let rules = [
        "digits", "forceExpiredPasswordChange", "hashAlgorithm", "hashIterations", "length",
        "lowerCase", "maxAuthAge", "maxLength", "notContainsUsername", "notEmail", "notUsername",
        "passwordAge", "passwordBlacklist", "passwordHistory", "recoveryCodesWarningThreshold",
        "regexPattern", "specialChars", "upperCase",
    ]

    private static var passwordPolicies: [JSONValue] {
        rules.map { ["id": .string($0), "displayName": .string($0)] }
    }

    private static let providers: JSONObject = [
        "password-policy": named(rules), "login-protocol": named(["openid-connect"]),
        "keys": named(["ecdsa-generated", "eddsa-generated", "rsa-generated"]),
    ]

    private static func named(_ names: [String]) -> JSONValue {
        var providers = JSONObject()
        for name in names { providers[name] = ["order": 0] }
        return ["internal": false, "providers": .object(providers)]
    }
}

extension AdminRefusal {
    /// What Keycloak says to everyone but its console.
    fileprivate static let noConsole = error(.unauthorized, "HTTP 401 Unauthorized")
}
