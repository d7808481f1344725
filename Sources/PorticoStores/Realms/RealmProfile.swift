package import PorticoProtocol

/// What a realm asks of its clients, and what its tokens say, beyond OpenID Connect: each rule is a
/// value of its own (docs/decisions/0064).
package struct RealmProfile: Hashable, Sendable {
    /// Whether apps are taken that are registered nowhere, from the document at their `client_id`
    /// (Client ID Metadata Document §4).
    package var takesDocuments = false
    package var subject = Subject.personID
    /// The origin that access tokens are for (RFC 8707); `nil`: the issuer.
    package var tokenResource: String?
    /// How the documents of clients name scopes.
    package var scopeRule = ScopeRule.named
    package var endpoints = Endpoints.openIDConnect
    /// Whether every client proves a key at the token endpoint (RFC 9449 §5.2), which also binds what
    /// a confidential one refreshes with.
    package var requiresProofs = false
    package var assertions = Assertions.ordinary
    /// Whether a session goes on only with the key that its client authenticated with at first.
    package var bindsClientKeys = false
    /// Whether a code challenge is good for one code a day (RFC 9700 §2.1.1: each is to be new).
    package var spendsChallenges = false

    package init() {}

    /// What `sub` names.
    package enum Subject: String, CaseIterable, Sendable {
        case personID = "id"
        /// The person's DID. Without one, no app gets anything.
        case did
    }

    /// Where the endpoints are, and how they answer.
    package enum Endpoints: String, CaseIterable, Sendable {
        case openIDConnect = "openid_connect"
        /// Those of OAuth alone, below `/oauth/` of the realm's own host, as real hosts of the AT
        /// Protocol have them: clients make the addresses up. They take JSON, too, and refuse a client
        /// with 400.
        case oauth
    }

    /// What is asked of a client's assertion besides RFC 7523 §3.
    package enum Assertions: String, CaseIterable, Sendable {
        case ordinary
        /// Made within the last minute by a clock that is not fast, and by a key that is named where
        /// there are several.
        case fresh
    }

    /// The authorization server of a host of the AT Protocol.
    ///
    /// - Parameter resource: The origin of the host, which its access tokens are for.
    package static func atProtocol(resource: String) -> RealmProfile {
        var profile = RealmProfile()
        profile.takesDocuments = true
        profile.subject = .did
        profile.tokenResource = resource
        profile.scopeRule = .atProtocol
        profile.endpoints = .oauth
        profile.requiresProofs = true
        profile.assertions = .fresh
        profile.bindsClientKeys = true
        profile.spendsChallenges = true
        return profile
    }
}
