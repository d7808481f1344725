import PorticoAdministration
package import PorticoStores

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

    private func endpoint(_ path: RealmPath) -> String {
        if endpoints == .oauth, let name = path.nameOfOAuth { return "\(issuer)/\(name)" }
        return base + "/" + path.rawValue
    }

    /// The path of the pages and forms of a realm, for `action` and `href`.
    static func path(realmName: String, _ route: RealmPath) -> String {
        "/realms/\(realmName)/" + route.rawValue
    }
}
