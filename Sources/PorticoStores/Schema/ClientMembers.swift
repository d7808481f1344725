import PorticoBytes
package import PorticoProtocol

/// The settings of a client, in the order of `portico client show` and docs/clients.md. Id, realm and `client_id`
/// stand in columns of their own.
struct ClientMembers {
    let name = Member<Client>(
        "client_name",
        .text("text"),
        at: \.name,
        label: "Name",
        by: .client,
        option: "name",
        help: "Its name on the consent page.",
        isRequired: true
    )
    let enabled = Member<Client>(
        "enabled",
        .state,
        at: \.isEnabled,
        label: "State",
        by: .administrator,
        option: "client",
        help: "Whether it is served at all."
    )
    let type = Member<Client>(
        "type",
        .choice,
        at: \.type,
        label: "Type",
        by: .administrator,
        option: "type",
        help: "public: an app; confidential: a server.",
        isRequired: true
    )
    let authentication = Member<Client>(
        "token_endpoint_auth_method",
        .choice,
        at: \.authentication,
        label: "Authenticates",
        by: .client,
        option: "authentication",
        help: "How it authenticates.",
        isRequired: true
    )
    let authenticatesStrictly = Member<Client>(
        "strict_authentication",
        .flag,
        at: \.authenticatesStrictly,
        label: "Strictly",
        by: .administrator,
        option: "strict",
        help: "Whether its secret is taken by its one method only, not by Basic and in the body."
    )
    let takesTokenEndpointAudience = Member<Client>(
        "token_endpoint_audience",
        .flag,
        at: \.takesTokenEndpointAudience,
        label: "Endpoint as audience",
        by: .administrator,
        option: "token-endpoint-audience",
        help:
            "Whether its assertions may name the token endpoint as audience (private_key_jwt)."
    )
    let secret = Member<Client>(
        "secret",
        .optional(.json(read: ClientSecret.init(value:), write: { $0.value })),
        at: \.secret
    )
    let keySet = Member<Client>(
        "jwks",
        .optional(.json(read: { $0 }, write: { $0 })),
        at: \.keySet,
        label: "Keys",
        by: .client,
        option: .written("`--jwks-file`"),
        help: "Its public keys (private_key_jwt): a JWK set."
    )
    let redirectURIs = Member<Client>(
        "redirect_uris",
        .list(.uri),
        at: \.redirectURIs,
        label: "Redirects",
        by: .client,
        option: "redirect-uri",
        help: "Where a sign-in may end."
    )
    let redirectRule = Member<Client>(
        "redirect_rule",
        .choice,
        at: \.redirectRule,
        label: "Redirect rule",
        by: .operator,
        option: "redirect-rule",
        help:
            "What those permit: the same, a loopback address on any port; the same with its port; or a * at the end, where a file has one."
    )
    let postLogoutRedirectURIs = Member<Client>(
        "post_logout_redirect_uris",
        .list(.uri),
        at: \.postLogoutRedirectURIs,
        label: "After sign-out",
        by: .client,
        option: "post-logout-redirect-uri",
        help: "Where a sign-out may end."
    )
    let rootURI = Member<Client>(
        "root_uri",
        .optional(.text("url")),
        at: \.rootURI,
        label: "Root",
        by: .administrator,
        help: "What relative addresses of it are relative to."
    )
    let homeURI = Member<Client>(
        "client_uri",
        .optional(.text("url")),
        at: \.homeURI,
        label: "Home page",
        by: .client,
        help: "Where its own pages begin."
    )
    let backchannelLogoutURI = Member<Client>(
        "backchannel_logout_uri",
        .optional(.text("uri", read: { HTTPAddress($0) }, write: { $0.text })),
        at: \.backchannelLogoutURI,
        label: "Logout notices",
        by: .client,
        option: "backchannel-logout-uri",
        help: "Where logout notices go."
    )
    let backchannelLogoutSessionRequired = Member<Client>(
        "backchannel_logout_session_required",
        .flag,
        at: \.backchannelLogoutSessionRequired,
        label: "Notices with sid",
        by: .client,
        option: "backchannel-logout-session",
        help: "Whether logout notices must have a sid."
    )
    let grantTypes = Member<Client>(
        "grant_types",
        .choices([.authorizationCode, .refreshToken, .clientCredentials]),
        at: \.grantTypes,
        label: "Grant types",
        by: .client,
        option: "grant-type",
        help: "How it gets tokens."
    )
    let webOrigins = Member<Client>(
        "web_origins",
        .list(.text("origin")),
        at: \.webOrigins,
        label: "Web origins",
        by: .administrator,
        option: "web-origin",
        help: "An origin whose scripts may call."
    )
    let loginTokenTargets = Member<Client>(
        "login_token_targets",
        .list(.json(read: LoginTokenTarget.init(value:), write: { $0.value })),
        at: \.loginTokenTargets,
        label: "Hands sign-in to",
        by: .administrator,
        option: .written("`--login-token-target`, `--silent-login-token-target`"),
        help: "The clients that it may hand its sign-in on to, by login token or device secret.",
        rule: "It names at most 100 clients, each of them once."
    ) { targets in
        targets.count <= 100
            && Set(targets.map { ExactText($0.clientID) }).count == targets.count
            && targets.allSatisfy { (1...200).contains($0.clientID.utf8.count) }
    }
    let defaultScopes = Member<Client>(
        "default_scopes",
        .list(.text("scope")),
        at: \.defaultScopes,
        label: "Default scopes",
        by: .administrator,
        option: .written("`--default-scope`, `--remove-scope`"),
        help: "The scopes that it always gets.",
        rule:
            "A scope token is ASCII without space, quote and backslash (RFC 6749 3.3); openid, offline_access and device_sso must be asked for."
    ) { scopes in
        // The first changes the protocol of the request (OpenID Connect Core §3.1.2.1), the second
        // needs consent (§11).
        scopes.allSatisfy {
            isScope($0) && !["openid", "offline_access", "device_sso"].contains($0)
        }
    }
    let optionalScopes = Member<Client>(
        "optional_scopes",
        .list(.text("scope")),
        at: \.optionalScopes,
        label: "May ask for",
        by: .administrator,
        option: .written("`--optional-scope`, `--remove-scope`"),
        help: "The scopes that it may ask for.",
        rule: "A scope token is ASCII without space, quote and backslash (RFC 6749 3.3)."
    ) { $0.allSatisfy(isScope) }
    let requiresConsent = Member<Client>(
        "requires_consent",
        .flag,
        at: \.requiresConsent,
        label: "Asks consent",
        by: .administrator,
        option: "consent",
        help: "Whether people are asked before it gets anything."
    )
    let administers = Member<Client>(
        "administers",
        .flag,
        at: \.administers,
        label: "Administers",
        by: .operator,
        option: "administers",
        help: "Whether its people's tokens administer (admin.rest). No other app's do."
    )
    let codeProtection = Member<Client>(
        "code_protection",
        .choice,
        at: \.codeProtection,
        label: "PKCE",
        by: .administrator,
        option: .written("`--pkce`, `--pkce-or-nonce`, `--no-pkce`"),
        help: "Whether it must use PKCE, or may use a nonce with scope openid, or neither."
    )
    let requiresPushedRequests = Member<Client>(
        "require_pushed_authorization_requests",
        .flag,
        at: \.requiresPushedRequests,
        label: "Pushed requests",
        by: .client,
        option: "pushed-requests",
        help: "Whether it must push its requests (RFC 9126)."
    )
    let dpopBoundAccessTokens = Member<Client>(
        "dpop_bound_access_tokens",
        .flag,
        at: \.dpopBoundAccessTokens,
        label: "Proofs (DPoP)",
        by: .client,
        option: "dpop",
        help: "Whether it gets tokens only with a proof of its key (DPoP, RFC 9449)."
    )
    let isDevelopment = Member<Client>(
        "development",
        .flag,
        at: \.isDevelopment,
        label: "Development",
        by: .operator,
        option: "development",
        help: "Whether redirects of development tools are allowed."
    )
    let idTokenAlgorithm = Member<Client>(
        "id_token_signed_response_alg",
        .optional(.choice, or: "realm"),
        at: \.idTokenAlgorithm,
        label: "ID Tokens",
        by: .client,
        option: "id-token-algorithm",
        help: "Signs its ID Tokens."
    )
    let accessTokenAlgorithm = Member<Client>(
        "access_token_signed_response_alg",
        .optional(.choice, or: "realm"),
        at: \.accessTokenAlgorithm,
        label: "Access tokens",
        by: .administrator,
        option: "access-token-algorithm",
        help: "Signs its access tokens."
    )
    let userInfoAlgorithm = Member<Client>(
        "userinfo_signed_response_alg",
        .optional(.choice, or: "json"),
        at: \.userInfoAlgorithm,
        label: "UserInfo",
        by: .client,
        help: "Signs what UserInfo answers."
    )
    let accessTokenType = Member<Client>(
        "access_token_type",
        .optional(.choice, or: "realm"),
        at: \.accessTokenType,
        label: "Access token type",
        by: .administrator,
        option: "access-token-type",
        help: "The header typ of its access tokens: JWT is for APIs that require it."
    )
    let accessTokenLifetime = Member<Client>(
        "access_token_lifetime",
        .optional(.seconds(Realm.Lifetimes.longestAccessToken), or: "realm"),
        at: \.accessTokenLifetime,
        label: "Access token lives",
        by: .administrator,
        option: "access-token-lifetime",
        help: "How long its access tokens are valid.",
        rule: "An access token lives 10 seconds to one day."
    )
    let staySignedIn = Member<Client>(
        "stay_signed_in",
        .stay,
        at: \.staySignedIn,
        label: "Stays signed in",
        by: .administrator,
        option: "stay-signed-in",
        help:
            "How long people stay signed in without using it; realm: the realm's time; session: only as long as the browser session.",
        rule: "A person stays signed in for one minute to 3,650 days without use."
    )
    let tokenForm = Member<Client>(
        "token_form",
        .choice,
        at: \.tokenForm,
        label: "Token form",
        by: .operator,
        option: "token-form",
        help:
            "What its tokens contain: the standards' claims and what mappers add; what mappers write; or as little as needed."
    )
    let mappers = Member<Client>(
        "mappers",
        .mappers,
        at: \.mappers,
        by: .administrator,
        option: .written("`--claim`, `--audience`, `portico mapper`"),
        help: "What writes claims into its tokens."
    )
    let seesAllRoles = Member<Client>(
        "full_scope",
        .flag,
        at: \.seesAllRoles,
        label: "Full scope",
        by: .administrator,
        option: "full-scope",
        help:
            "Whether its tokens have every role of the person; otherwise its own and those that it is assigned to see."
    )
    let roleClients = Member<Client>(
        "role_clients",
        .optional(.list(.text("client"))),
        at: \.roleClients,
        by: .administrator,
        help: "The clients whose roles its tokens have."
    )
    let seesRealmRoles = Member<Client>(
        "sees_realm_roles",
        .flag,
        at: \.seesRealmRoles,
        by: .administrator,
        help: "Whether its tokens have roles of the realm."
    )
    let acrLevels = Member<Client>(
        "acr_levels",
        .optional(.levels),
        at: \.acrLevels,
        label: "Levels",
        by: .administrator,
        help: "The names of levels of authentication in its tokens (acr)."
    )
    let notBefore = Member<Client>(
        "not_before",
        .number,
        at: \.notBefore,
        label: "Not before",
        by: .administrator,
        help: "What the server before issued to it earlier is not taken. Seconds since 1970."
    )
    let compatibility = Member<Client>(
        "compatibility",
        .choices(),
        at: \.compatibility,
        label: "Compatibility",
        by: .operator,
        option: "compatibility",
        help: "What it relies on that no standard asks for."
    )
    let kept = Member<Client>("kept", .kept, at: \.kept)
    let isMoved = Member<Client>("moved", .flag, at: \.isMoved)
}

extension Client: MemberOwner {
    package static let members: [Member<Client>] = members(of: ClientMembers())

    package static var blank: Client {
        Client(id: "", realmID: "", clientID: "", name: "", type: .public, authentication: .none)
    }

    package init(id: String, realmID: String, clientID: String, document: JSONObject) throws {
        self = .blank
        (self.id, self.realmID, self.clientID) = (id, realmID, clientID)
        try read(document)
    }
}

/// RFC 6749 §3.3; a space would make it two tokens.
private func isScope(_ token: String) -> Bool {
    // `try?`: only whether it parses matters.
    (1...200).contains(token.utf8.count) && !token.utf8.contains(0x20) && (try? Scope(token)) != nil
}

extension MemberForm where Value == RedirectURI {
    fileprivate static var uri: Self {
        text("uri", read: { RedirectURI($0) }, write: { $0.text })
    }
}

extension MemberForm where Value == StaySignedIn {
    fileprivate static var stay: Self {
        Self(
            shape: .seconds(Realm.Lifetimes.longestUnused, words: ["session", "realm"]),
            read: { json in
                switch (json.string, json.int64) {
                case ("session", _): .session
                case ("realm", _): .realm
                case (nil, let seconds?): .idle(seconds)
                default: nil
                }
            },
            write: { stay in
                switch stay {
                case .session: "session"
                case .realm: "realm"
                case .idle(let seconds): .integer(seconds)
                }
            }
        )
    }
}

extension ClientSecret {
    fileprivate init?(value: JSONValue) {
        guard let object = value.object else { return nil }
        if let hash = object.string("sha256") {
            guard let bytes = Base64URL.decode(hash), bytes.count == 32 else { return nil }
            self = .hashed(bytes)
        } else if let sealed = object.string("sealed") {
            self = .sealed(sealed)
        } else {
            return nil
        }
    }

    fileprivate var value: JSONValue {
        switch self {
        case .hashed(let bytes): ["sha256": .string(Base64URL.encode(bytes))]
        case .sealed(let sealed): ["sealed": .string(sealed)]
        }
    }
}

extension LoginTokenTarget {
    fileprivate init?(value: JSONValue) {
        guard let object = value.object, let clientID = object.string("client_id") else {
            return nil
        }
        self.init(clientID: clientID, isSilent: object.bool("silent_login_token") ?? false)
    }

    fileprivate var value: JSONValue {
        ["client_id": .string(clientID), "silent_login_token": .bool(isSilent)]
    }
}
