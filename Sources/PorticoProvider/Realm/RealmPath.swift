import PorticoAdministration
package import PorticoStores
import PorticoWeb

/// The addresses of a realm in its metadata, pages and mail, below `/realms/{realm}/`, or at the root of its host.
enum RealmPath: String, CaseIterable, Sendable {
    case openIDConfiguration = ".well-known/openid-configuration"
    case authorizationServerMetadata = ".well-known/oauth-authorization-server"
    case keySet = "protocol/openid-connect/certs"
    case authorization = "protocol/openid-connect/auth"
    case registrations = "protocol/openid-connect/registrations"
    case forgotCredentials = "protocol/openid-connect/forgot-credentials"
    case token = "protocol/openid-connect/token"
    case introspection = "protocol/openid-connect/token/introspect"
    case userInfo = "protocol/openid-connect/userinfo"
    case revocation = "protocol/openid-connect/revoke"
    case endSession = "protocol/openid-connect/logout"
    case confirmSignOut = "protocol/openid-connect/logout/logout-confirm"
    case pushedAuthorization = "protocol/openid-connect/ext/par/request"
    case loginStatus = "protocol/openid-connect/login-status-iframe.html"
    case authenticate = "login-actions/authenticate"
    case consent = "login-actions/consent"
    case requiredAction = "login-actions/required-action"
    case selectAccount = "login-actions/select-account"
    case continueAs = "login-actions/continue-as"
    case restart = "login-actions/restart"
    case signedIn = "login-actions/signed-in"
    case verifyEmail = "login-actions/verify-email"
    case resetCredentials = "login-actions/reset-credentials"
    case newPassword = "login-actions/new-password"
    case actionToken = "login-actions/action-token"
    case account = "account"
    case apps = "account/apps"
    case secondFactors = "account/second-factor"
    case password = "account/password"
    case accountSignIn = "account/sign-in"

    /// Its name at the root of the realm's host, where that has the endpoints of OAuth
    /// (``RealmProfile/Endpoints/oauth``). `nil` of what is at the same place in every realm.
    var nameOfOAuth: String? {
        switch self {
        case .authorization: "oauth/authorize"
        case .pushedAuthorization: "oauth/par"
        case .token: "oauth/token"
        case .introspection: "oauth/introspect"
        case .revocation: "oauth/revoke"
        case .keySet: "oauth/jwks"
        default: nil
        }
    }

    private static let moved = allCases.filter { $0.nameOfOAuth != nil }

    /// The route for any realm.
    var route: RoutePath { RoutePath("/realms/{realm}/" + rawValue) }

    /// With the well-known part between host and path (RFC 8414 §3).
    var routeBeforeRealm: RoutePath { RoutePath("/" + rawValue + "/realms/{realm}") }

    /// On a host of the realm's own (RFC 8414 §3, OpenID Connect Discovery §4; docs/decisions/0064).
    var routeAtRoot: RoutePath { RoutePath("/" + (nameOfOAuth ?? rawValue)) }

    /// Whether a path that has a route is that of an endpoint which a realm with these has at another
    /// one.
    static func isElsewhere(_ path: String, _ endpoints: RealmProfile.Endpoints) -> Bool {
        switch endpoints {
        case .oauth: moved.contains { $0.isEnd(of: path) }
        case .openIDConnect: moved.contains { $0.isOfOAuth(path) }
        }
    }

    static func isPushedAuthorization(_ path: String) -> Bool {
        pushedAuthorization.isEnd(of: path)
    }

    /// Whether a path is that of an endpoint where proofs of possession are taken (RFC 9449 §5, §7,
    /// §10).
    static func takesProofs(_ path: String) -> Bool {
        [token, pushedAuthorization, userInfo, revocation, introspection].contains {
            $0.isEnd(of: path) || $0.isOfOAuth(path)
        }
    }

    private func isEnd(of path: String) -> Bool {
        path.utf8.suffix(rawValue.utf8.count).elementsEqual(rawValue.utf8)
    }

    private func isOfOAuth(_ path: String) -> Bool {
        nameOfOAuth.map { path.utf8.elementsEqual("/\($0)".utf8) } ?? false
    }

    /// Whether a path is below the protocol's endpoints or the metadata. Programs ask there: if an
    /// address does not exist, or does not take the method, they get JSON, even at
    /// `authorization` and `endSession`, whose own answers are pages.
    static func isOfProtocol(_ path: String) -> Bool {
        guard path.utf8.starts(with: "/realms/".utf8) else {
            return path.utf8.starts(with: "/.well-known/".utf8)
                || path.utf8.starts(with: "/oauth/".utf8)
        }
        let below = path.utf8.dropFirst("/realms/".utf8.count).drop { $0 != UInt8(ascii: "/") }
        return below.starts(with: "/protocol/openid-connect/".utf8)
            || below.starts(with: "/.well-known/".utf8)
    }
}

/// The addresses of a realm: the paths under its issuer, or below the realm's path on a host of its own,
/// whose root may have the endpoints of OAuth (``RealmProfile/Endpoints/oauth``). All are built from the
/// issuer, never from a request (docs/decisions/0036).
package struct RealmURLs: Hashable, Sendable {
    package let issuer: String
    /// What those of every realm begin with.
    package let base: String
    /// Where the endpoints are: those of OAuth need a host of the realm's own.
    let endpoints: RealmProfile.Endpoints

    package init(of realm: Realm) {
        issuer = realm.issuer
        base = realm.base
        endpoints = realm.host == nil ? .openIDConnect : realm.profile.endpoints
    }

    /// Of a realm without a host of its own.
    package init(issuer: String) {
        self.issuer = issuer
        base = issuer
        endpoints = .openIDConnect
    }

    package var authorization: String { endpoint(.authorization) }
    package var token: String { endpoint(.token) }
    package var introspection: String { endpoint(.introspection) }
    package var userInfo: String { endpoint(.userInfo) }
    package var revocation: String { endpoint(.revocation) }
    package var endSession: String { endpoint(.endSession) }
    package var keySet: String { endpoint(.keySet) }
    var loginStatus: String { endpoint(.loginStatus) }
    package var pushedAuthorizationRequest: String { endpoint(.pushedAuthorization) }

    /// The address of an email's link (RFC 3986: the key is base64url).
    func newPassword(link: String) -> String {
        endpoint(.newPassword) + "?key=" + link
    }

    /// The address of a link that an administrator has mailed.
    func actionToken(_ key: String) -> String {
        endpoint(.actionToken) + "?key=" + key
    }

    /// Path and query of the same page, in the browser that is to choose a new password now.
    static func newPassword(_ link: String, realmName: String) -> String {
        path(realmName: realmName, .newPassword) + "?key=" + link
    }

    /// Path and query that restart a sealed request.
    static func restart(_ sealed: String, realmName: String) -> String {
        path(realmName: realmName, .restart) + "?request=" + sealed
    }

    /// Path and query where a sealed request goes on after a sign-in elsewhere.
    static func signedIn(_ sealed: String, realmName: String) -> String {
        path(realmName: realmName, .signedIn) + "?request=" + sealed
    }

    private func endpoint(_ path: RealmPath) -> String {
        if endpoints == .oauth, let name = path.nameOfOAuth { return "\(issuer)/\(name)" }
        return base + "/" + path.rawValue
    }

    /// The path of the pages and forms of a realm, for `action` and `href`.
    static func path(realmName: String, _ route: RealmPath) -> String {
        "/realms/\(realmName)/" + route.rawValue
    }
}
