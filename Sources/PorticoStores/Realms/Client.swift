package import PorticoProtocol

/// A registered client of a realm (RFC 6749 §2, RFC 7591 §2).
package struct Client: Hashable, Sendable {
    /// A UUID; never changes, never sent.
    package var id: String
    package var realmID: String
    /// `client_id` (RFC 6749 §2.2).
    package var clientID: String
    /// What people read on the consent page.
    package var name: String
    package var isEnabled = true
    package var type: ClientType
    package var authentication: ClientAuthenticationMethod
    /// Whether a secret is taken by that method only, and not by the other one that sends it.
    package var authenticatesStrictly = false
    /// Whether the URL of the token endpoint is an audience of its assertions besides the issuer
    /// (OpenID Connect Core §9). What is good there could be played on by another server that was
    /// given the same URL, so it is off unless it is needed.
    package var takesTokenEndpointAudience = false
    package var secret: ClientSecret?
    /// The public keys of a `private_key_jwt` client: a JWK set as it was registered.
    package var keySet: JSONValue?

    package var redirectURIs: [RedirectURI] = []
    package var postLogoutRedirectURIs: [RedirectURI] = []
    /// Where it is told that a session is over (OpenID Connect Back-Channel Logout §2.2).
    package var backchannelLogoutURI: HTTPAddress?
    /// Whether it needs `sid` there. Every logout token has it.
    package var backchannelLogoutSessionRequired = false
    /// Grant types it may use.
    package var grantTypes: Set<GrantType> = [.authorizationCode, .refreshToken]
    package var codeProtection = CodeProtection.pkce
    /// Third-party clients ask the person (docs/decisions/0039).
    package var requiresConsent = false
    /// Whether people administer by way of it: the realm's administrator has said that its tokens
    /// may carry their administrative roles (docs/decisions/0071).
    package var administers = false
    /// RFC 9126 §6.
    package var requiresPushedRequests = false
    /// Whether it gets no token without a proof of possession (RFC 9449 §5.2).
    package var dpopBoundAccessTokens = false
    /// Admits the redirect URIs of development tools (docs/decisions/0031).
    package var isDevelopment = false

    /// Scope tokens granted without being asked for.
    package var defaultScopes: [String] = ["roles"]
    /// Scope tokens it may ask for.
    package var optionalScopes: [String] = [
        "profile", "email", "address", "phone", "offline_access",
    ]
    /// `id_token_signed_response_alg` (OpenID Connect Registration §2); `nil`: the realm's.
    package var idTokenAlgorithm: SignatureAlgorithm?
    /// Signs its access tokens; `nil`: the realm's.
    package var accessTokenAlgorithm: SignatureAlgorithm?
    /// `nil`: the realm's.
    package var accessTokenType: AccessTokenType?
    /// Seconds; `nil`: the realm's.
    package var accessTokenLifetime: Int64?
    /// How long a person stays signed in to it.
    package var staySignedIn = StaySignedIn.session
    /// The clients that it may hand its sign-in on to.
    package var loginTokenTargets: [LoginTokenTarget] = []
    /// Origins whose scripts may call the token endpoint and UserInfo.
    package var webOrigins: [String] = []
    package var mappers: [ClaimMapper] = []
    /// The roles of the clients named here appear in its tokens; `nil`: of all clients.
    package var roleClients: [String]?
    /// Whether the realm's own roles appear in its tokens.
    package var seesRealmRoles = true
    /// Keycloak's `ClientRepresentation`, where the client comes from there: what has no place of
    /// its own, redirect patterns and mappers among it.
    package var keycloak: JSONObject?
    /// Whether it came with its realm, and was not made here since: what the server before issued to
    /// it stands for something here (docs/decisions/0051).
    package var isMoved = false
    /// What its document says, where it is no registered client. Not part of what is kept of one.
    package var documented: DocumentedClient?

    package init(
        id: String,
        realmID: String,
        clientID: String,
        name: String,
        type: ClientType,
        authentication: ClientAuthenticationMethod
    ) {
        self.id = id
        self.realmID = realmID
        self.clientID = clientID
        self.name = name
        self.type = type
        self.authentication = authentication
    }
}

/// RFC 6749 §2.1. Registered, never guessed.
package enum ClientType: String, Hashable, Sendable {
    case `public`
    case confidential
}

/// `token_endpoint_auth_method` (RFC 7591 §2).
package enum ClientAuthenticationMethod: String, CaseIterable, Hashable, Sendable {
    case none
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
}

/// What a client must send so that a stolen code cannot be redeemed or played into another session
/// (RFC 9700 §2.1.1). The rule itself stands in `CodeProtectionRule`.
package enum CodeProtection: String, CaseIterable, Hashable, Sendable {
    /// PKCE, always.
    case pkce
    /// PKCE, or the `nonce` of an OpenID Connect request: for confidential clients.
    case pkceOrNonce = "pkce_or_nonce"
    /// Nothing: for what cannot, and was said so.
    case none
}

/// How long a person stays signed in to a client that did not get `offline_access`
/// (docs/decisions/0111). Signing out ends it, whichever it is.
package enum StaySignedIn: Hashable, Sendable {
    /// As long as the browser session lives: a page of the web.
    case session
    /// The realm's time without use (``Realm/Lifetimes/appIdle``): an app on a device.
    case realm
    /// So many seconds without use.
    case idle(Int64)
}

/// `typ` of access tokens (RFC 9068 §2.1).
package enum AccessTokenType: String, CaseIterable, Hashable, Sendable {
    case atJWT = "at+jwt"
    /// For resource servers that know nothing of RFC 9068.
    case jwt = "JWT"
}

/// What is kept of a client's secret (docs/decisions/0038).
package enum ClientSecret: Hashable, Sendable {
    /// The SHA-256 of a secret that was made here, with 256 random bits.
    case hashed([UInt8])
    /// A secret that a person chose, sealed: it is compared in constant time.
    case sealed(String)
}
