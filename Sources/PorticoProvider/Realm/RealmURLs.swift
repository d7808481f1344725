/// The addresses of a realm: Keycloak's paths under its issuer (Keycloak `RealmsResource`,
/// `OIDCLoginProtocolService`). All are built from the issuer, never from a request (decision 24).
package struct RealmURLs: Hashable, Sendable {
    package let issuer: String

    init(issuer: String) {
        self.issuer = issuer
    }

    package var authorization: String { endpoint("auth") }
    package var token: String { endpoint("token") }
    package var introspection: String { endpoint("token/introspect") }
    package var userInfo: String { endpoint("userinfo") }
    package var revocation: String { endpoint("revoke") }
    package var endSession: String { endpoint("logout") }
    package var keySet: String { endpoint("certs") }
    package var pushedAuthorizationRequest: String { endpoint("ext/par/request") }

    /// Where the sign-in form is sent.
    package var authenticate: String { issuer + "/login-actions/authenticate" }
    package var consent: String { issuer + "/login-actions/consent" }
    package var selectAccount: String { issuer + "/login-actions/select-account" }
    package var confirmSignOut: String { endpoint("logout/logout-confirm") }

    private func endpoint(_ name: String) -> String {
        issuer + "/protocol/openid-connect/" + name
    }
}
