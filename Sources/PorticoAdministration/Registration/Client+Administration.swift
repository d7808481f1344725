import PorticoBytes
package import PorticoStores

/// Which clients people administer by (docs/decisions/0071).
extension Client {
    /// The clients that a realm has itself.
    package static let builtIn: Set<String> = [
        "account", "account-console", "admin-cli", "broker", "realm-management",
        "security-admin-console",
    ]

    /// The realm `master` has one more for each realm.
    package static func isBuiltIn(_ clientID: String, in realm: String) -> Bool {
        builtIn.contains(clientID) || realm == "master" && clientID.hasSuffix("-realm")
    }

    /// Whether it is one of the realm's own for administration: by these a person does what they may,
    /// whatever the token says.
    package var isConsole: Bool {
        source == .registered
            && ["admin-cli", "security-admin-console"].contains { sameBytes($0, clientID) }
    }

    /// Whether its people's tokens carry administrative roles at this server. A client that asks
    /// people for consent never does: no page asks for that.
    package var lendsAdministration: Bool {
        !requiresConsent && source == .registered && (administers || isConsole)
    }
}
