package import PorticoBytes
package import PorticoProtocol

/// A client of a realm (RFC 6749 §2, RFC 7591 §2).
package struct Client: Hashable, Sendable {
    /// A UUID; never changes, never sent.
    package var id: String
    package var realmID: String
    /// `client_id` (RFC 6749 §2.2).
    package var clientID: String
    /// What people read on the consent page.
    package var name: String
    package var isEnabled = true
    /// Only administration and the page that asks for consent look at it: whatever else follows from it
    /// is a setting of its own.
    package var source = ClientSource.registered
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
    /// What it signs assertions with (`token_endpoint_auth_signing_alg`, OpenID Connect Registration
    /// §2); `nil`: any algorithm.
    package var assertionAlgorithm: SignatureAlgorithm?

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
    package var consentMemory = ConsentMemory.kept
    /// Differs from the one that a person agreed to once the client is no longer what they agreed to:
    /// then their consent counts no more (Client ID Metadata Document §6.3). `nil`: only the scope counts.
    package var consentFingerprint: Hash256?
    /// Whether people administer by way of it: the realm's administrator has said that its tokens
    /// may carry their administrative roles (docs/decisions/0071).
    package var administers = false
    /// The administrative roles that its people's tokens may carry here: those of the administrators who
    /// changed it, or know its secret (docs/decisions/0053). `nil`: all that the people have.
    package var lends: Set<RoleName>?
    /// RFC 9126 §6.
    package var requiresPushedRequests = false
    /// Whether it gets no token without a proof of possession (RFC 9449 §5.2).
    package var dpopBoundAccessTokens = false
    /// Admits the redirect URIs of development tools (docs/decisions/0031).
    package var isDevelopment = false

    /// The scopes of its realm that are granted without being asked for.
    package var defaultScopes: [String] = []
    /// The scopes of its realm that it may ask for.
    package var optionalScopes: [String] = []
    package var scopeRule = ScopeRule.named
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
    /// Whether it sees every role of a person; otherwise it sees its own and those of its
    /// ``RoleLimit``s.
    package var seesAllRoles = true
    package var tokenForm = TokenForm.standard
    /// Signs what UserInfo answers (`userinfo_signed_response_alg`); `nil`: it is plain JSON.
    package var userInfoAlgorithm: SignatureAlgorithm?
    /// The names of levels of authentication in its tokens (`acr`); `nil`: the realm's.
    package var acrLevels: [String: Int64]?
    package var redirectRule = RedirectRule.exact
    /// What relative redirect URIs and ``homeURI`` are relative to.
    package var rootURI: String?
    /// Where its own pages begin (`client_uri`, RFC 7591 §2); it may be relative.
    package var homeURI: String?
    /// What the server before issued to it earlier is not taken. Seconds since 1970.
    package var notBefore: Int64 = 0
    package var compatibility: Set<Compatibility> = []
    /// Whether it is an app of the backend, and how. Only the people who run the server set it.
    package var handOff = HandOffRules()
    /// What the file that it came from says besides.
    package var kept: KeptRepresentation?
    /// Whether it came with its realm, and was not made here since: what the server before issued to
    /// it stands for something here (docs/decisions/0051).
    package var isMoved = false

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

extension Client {
    /// Whether it may change while its realm does not, because its own site says what it is: what is made
    /// from it is not kept, and it is known only where its document can be fetched.
    package var changesAlone: Bool { source == .document }

    /// Whether no one here has vouched for it: anyone can make such a client, and its key.
    package var isOfStranger: Bool { source != .registered }

    /// What lists of a person's apps call it. A stranger's name for itself proves nothing: it is known by
    /// its address (Client ID Metadata Document §6.4).
    package var listedName: String {
        guard isOfStranger else { return name }
        return clientID.dropping("https://").map(String.init) ?? name
    }
}

/// Where a client comes from.
package enum ClientSource: String, CaseIterable, Hashable, Sendable {
    /// An administrator registered it.
    case registered
    /// It registered itself (RFC 7591 §3).
    case dynamic
    /// The document at its `client_id` describes it (Client ID Metadata Document §4).
    case document
}

/// How long what a person allowed a client counts.
package enum ConsentMemory: String, CaseIterable, Hashable, Sendable {
    /// Until it is taken back: tokens give no more than that.
    case kept
    /// For a request that names the account, in a session that was there before; what was issued stands
    /// for itself (AT Protocol, OAuth, Authorization Interface).
    case namedAccount = "named_account"
    /// For one request: nothing is kept.
    case none
}

/// RFC 6749 §2.1. Registered, never guessed.
package enum ClientType: String, CaseIterable, Hashable, Sendable {
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
    /// Apart from any browser session: so many seconds without use, and so many in all.
    case apart(idle: Int64, most: Int64)
}

/// What the tokens of a client contain.
package enum TokenForm: String, CaseIterable, Hashable, Sendable {
    /// The claims of RFC 9068 and OpenID Connect, and what mappers add.
    case standard
    /// What mappers write, and little else.
    case mapped
    /// As `mapped`; access tokens have only what they need.
    case lightweight
}

/// Which redirect URIs a client's registered ones permit.
package enum RedirectRule: String, CaseIterable, Hashable, Sendable {
    /// The same; a loopback address on any port (RFC 8252 §7.3).
    case exact
    /// The same, ports included.
    case exactPort = "exact_port"
    /// A `*` at the end permits what begins so, and `+` after a sign-out what a sign-in permits.
    case patterns
}

/// What a client relies on that no standard asks for, because it was written for another server.
package enum Compatibility: String, CaseIterable, Hashable, Sendable {
    /// A secret that it sends without having one counts for nothing.
    case needlessSecret = "needless_secret"
    /// It may send one secret in the header and in the body.
    case repeatedSecret = "repeated_secret"
    /// Unknown values of `prompt` are ignored.
    case unknownPrompts = "unknown_prompts"
    /// A scope token that it may not have is refused, and not ignored.
    case strictScope = "strict_scope"
    /// An app in the browser gets its code in the fragment, without a registered origin.
    case fragments
    /// Its scripts send cookies along (Fetch §3.2), and its pages show the hidden frames of a realm.
    case credentials
    /// It asks people to do something (`kc_action`).
    case requestedActions = "requested_actions"
    /// After a sign-out without a session, it is redirected to at once.
    case signOutRedirect = "sign_out_redirect"
    /// Its responses have no `iss` (RFC 9207),
    case noIssuer = "no_issuer"
    /// and no `session_state`.
    case noSessionState = "no_session_state"
    /// Its refresh tokens look like JWTs.
    case refreshTokenClaims = "refresh_token_claims"
    /// `token_type` is `bearer`.
    case lowercaseBearer = "lowercase_bearer"
    /// Its assertions may list their only audience, although it pushes its requests and proves a key
    /// (FAPI 2.0 Security Profile §5.3.2.1 forbids that): clients of the AT Protocol do.
    case listedAudience = "listed_audience"
    /// Names of 255 characters, with spaces, and 1,000 redirect URIs (docs/decisions/0121).
    case longNames = "long_names"
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
