import HTTPTypes

/// Every address that a realm answers at, below `/realms/{realm}/` (Keycloak's paths).
enum ProviderRoute: String, CaseIterable, Sendable {
    case openIDConfiguration = ".well-known/openid-configuration"
    case authorizationServerMetadata = ".well-known/oauth-authorization-server"
    case keySet = "protocol/openid-connect/certs"
    case authorization = "protocol/openid-connect/auth"
    case token = "protocol/openid-connect/token"
    case introspection = "protocol/openid-connect/token/introspect"
    case userInfo = "protocol/openid-connect/userinfo"
    case revocation = "protocol/openid-connect/revoke"
    case endSession = "protocol/openid-connect/logout"
    case confirmSignOut = "protocol/openid-connect/logout/logout-confirm"
    case pushedAuthorization = "protocol/openid-connect/ext/par/request"
    case authenticate = "login-actions/authenticate"
    case consent = "login-actions/consent"
    case selectAccount = "login-actions/select-account"
    case restart = "login-actions/restart"
    case verifyEmail = "login-actions/verify-email"
    case resetCredentials = "login-actions/reset-credentials"
    case newPassword = "login-actions/new-password"
    case account = "account"
    case apps = "account/apps"
    case devices = "account/devices"
    case accountSignIn = "account/sign-in"

    var path: String { rawValue }

    /// The route and the realm's name of a canonical path, or `nil` where nothing is there.
    ///
    /// The metadata stands at two places: below the issuer (OpenID Connect Discovery §4), and with
    /// the well-known part between host and path (RFC 8414 §3). Both names work in both forms.
    static func find(_ path: String) -> (realm: Substring, route: ProviderRoute)? {
        if let rest = path.dropping("/realms/"),
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")),
            let route = byPath[rest[rest.utf8.index(after: slash)...]]
        {
            return (rest[..<slash], route)
        }
        for route in [openIDConfiguration, authorizationServerMetadata] {
            guard let realm = path.dropping("/" + route.path + "/realms/") else { continue }
            return realm.utf8.contains(UInt8(ascii: "/")) ? nil : (realm, route)
        }
        return nil
    }

    /// Whether a path is below those that programs ask, as metadata and the protocol's endpoints are;
    /// those of them that answer people do so for their own methods only.
    static func isOfProtocol(_ path: String) -> Bool {
        if let rest = path.dropping("/realms/"),
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/"))
        {
            let below = rest[rest.utf8.index(after: slash)...].utf8
            return below.starts(with: "protocol/openid-connect/".utf8)
                || below.starts(with: ".well-known/".utf8)
        }
        return path.utf8.starts(with: "/.well-known/".utf8)
    }

    private static let byPath = Dictionary(
        uniqueKeysWithValues: allCases.map { (Substring($0.path), $0) }
    )

    var methods: [HTTPRequest.Method] {
        switch self {
        case .openIDConfiguration, .authorizationServerMetadata, .keySet, .restart, .account: [.get]
        case .authorization, .userInfo, .endSession, .resetCredentials, .newPassword, .apps,
            .devices:
            [.get, .post]
        case .token, .introspection, .revocation, .pushedAuthorization, .authenticate, .consent,
            .selectAccount, .confirmSignOut, .verifyEmail, .accountSignIn:
            [.post]
        }
    }

    /// Whether an app may show what is here in a window that it has opened, and waits for: signing in
    /// and signing out, but nobody's account.
    var isShownByApps: Bool {
        switch self {
        case .account, .apps, .devices, .accountSignIn: false
        default: isForPeople
        }
    }

    /// Whether a person sees the answer: then an error is a page, else it is JSON.
    var isForPeople: Bool {
        switch self {
        case .authorization, .endSession, .confirmSignOut, .authenticate, .consent, .selectAccount,
            .restart, .verifyEmail, .resetCredentials, .newPassword, .account, .apps,
            .devices, .accountSignIn:
            true
        case .openIDConfiguration, .authorizationServerMetadata, .keySet, .token, .introspection,
            .userInfo, .revocation, .pushedAuthorization:
            false
        }
    }
}

extension String {
    /// What follows `prefix`, or `nil` where the text does not begin with it.
    fileprivate func dropping(_ prefix: String) -> Substring? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return self[utf8.index(utf8.startIndex, offsetBy: prefix.utf8.count)...]
    }
}
