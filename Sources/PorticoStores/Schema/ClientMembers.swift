import PorticoBytes
package import PorticoProtocol

/// The settings of a client, in the order of `portico client show` and docs/clients.md. Id, realm and `client_id`
/// stand in columns of their own, and so does where it comes from.
struct ClientMembers {
    let name = Member("client_name", .text("text"), at: \Client.name, isRequired: true)
        .set(by: .client, "name", label: "Name")
        .help("Its name on the consent page.")
    let enabled = Member("enabled", .state, at: \Client.isEnabled)
        .set(by: .administrator, "client", label: "State")
        .help("Whether it is served at all.")
    let type = Member("type", .choice, at: \Client.type, isRequired: true)
        .set(by: .administrator, "type", label: "Type")
        .help("public: an app; confidential: a server.")
    let method = Member(
        "token_endpoint_auth_method",
        .choice,
        at: \Client.authentication,
        isRequired: true
    )
    .set(by: .client, "authentication", label: "Authenticates")
    .help("How it authenticates.")
    let strict = Member("strict_authentication", .flag, at: \Client.authenticatesStrictly)
        .set(by: .administrator, "strict", label: "Strictly")
        .help("Whether its secret is taken by its one method only, not by Basic and in the body.")
    let audience = Member("token_endpoint_audience", .flag, at: \Client.takesTokenEndpointAudience)
        .set(by: .administrator, "token-endpoint-audience", label: "Endpoint as audience")
        .help("Whether its assertions may name the token endpoint as audience (private_key_jwt).")
    let secret = Member("secret", .optional(.secret), at: \Client.secret)
    let keySet = Member("jwks", .optional(.json), at: \Client.keySet)
        .set(by: .client, .written("`--jwks-file`"), label: "Keys")
        .help("Its public keys (private_key_jwt): a JWK set.")
    let assertionAlg = Member(
        "token_endpoint_auth_signing_alg",
        .optional(.choice, or: "any"),
        at: \Client.assertionAlgorithm
    )
    .set(by: .client, "assertion-algorithm", label: "Assertions")
    .help("Signs its assertions (private_key_jwt).")
    let redirectURIs = Member("redirect_uris", .list(.uri), at: \Client.redirectURIs)
        .set(by: .client, "redirect-uri", label: "Redirects")
        .help("Where a sign-in may end.")
    let redirectRule = Member("redirect_rule", .choice, at: \Client.redirectRule)
        .set(by: .operator, "redirect-rule", label: "Redirect rule")
        .help(
            "What those permit: the same, a loopback address on any port; the same with its port; or a * at the end, where a file has one."
        )
    let afterSignOut = Member(
        "post_logout_redirect_uris",
        .list(.uri),
        at: \Client.postLogoutRedirectURIs
    )
    .set(by: .client, "post-logout-redirect-uri", label: "After sign-out")
    .help("Where a sign-out may end.")
    let rootURI = Member("root_uri", .optional(.text("url")), at: \Client.rootURI)
        .set(by: .administrator, label: "Root")
        .help("What relative addresses of it are relative to.")
    let homeURI = Member("client_uri", .optional(.text("url")), at: \Client.homeURI)
        .set(by: .client, label: "Home page")
        .help("Where its own pages begin.")
    let logoutURI = Member(
        "backchannel_logout_uri",
        .optional(.address),
        at: \Client.backchannelLogoutURI
    )
    .set(by: .client, "backchannel-logout-uri", label: "Logout notices")
    .help("Where logout notices go.")
    let logoutSession = Member(
        "backchannel_logout_session_required",
        .flag,
        at: \Client.backchannelLogoutSessionRequired
    )
    .set(by: .client, "backchannel-logout-session", label: "Notices with sid")
    .help("Whether logout notices must have a sid.")
    let grantTypes = Member("grant_types", .grantTypes, at: \Client.grantTypes)
        .set(by: .client, "grant-type", label: "Grant types")
        .help("How it gets tokens.")
    let webOrigins = Member("web_origins", .list(.text("origin")), at: \Client.webOrigins)
        .set(by: .administrator, "web-origin", label: "Web origins")
        .help("An origin whose scripts may call.")
    let loginTokenTargets = Member(
        "login_token_targets",
        .list(.target),
        at: \Client.loginTokenTargets
    )
    .inTables()
    .set(
        by: .administrator,
        .written("`--login-token-target`, `--silent-login-token-target`"),
        label: "Hands sign-in to"
    )
    .help("The clients that it may hand its sign-in on to, by login token or device secret.")
    .rule("It names at most 100 clients, each of them once.") { client in
        let names = client.loginTokenTargets.map(\.clientID)
        return names.count <= 100 && Set(names.map(ExactText.init)).count == names.count
            && names.allSatisfy { (1...200).contains($0.utf8.count) }
    }
    let defaultScopes = Member("default_scopes", .list(.text("scope")), at: \Client.defaultScopes)
        .inTables()
        .set(
            by: .administrator,
            .written("`--default-scope`, `--remove-scope`"),
            label: "Default scopes"
        )
        .help("The scopes that it always gets.")
        .rule("openid, offline_access and device_sso must be asked for; a scope is one token.") {
            // The first changes the protocol of the request (OpenID Connect Core §3.1.2.1), the
            // second needs consent (§11).
            let asked: Set = ["openid", "offline_access", "device_sso"]
            return $0.defaultScopes.allSatisfy { Scope.isToken($0) && !asked.contains($0) }
        }
    let optionalScopes = Member(
        "optional_scopes",
        .list(.text("scope")),
        at: \Client.optionalScopes
    )
    .inTables()
    .set(by: .administrator, .written("`--optional-scope`, `--remove-scope`"), label: "May ask for")
    .help("The scopes that it may ask for.")
    .rule("A scope token is ASCII without space, quote and backslash (RFC 6749 3.3).") {
        $0.optionalScopes.allSatisfy(Scope.isToken)
    }
    let scopeRule = Member("scope_rule", .choice, at: \Client.scopeRule)
    let requiresConsent = Member("requires_consent", .flag, at: \Client.requiresConsent)
        .set(by: .administrator, "consent", label: "Asks consent")
        .help("Whether people are asked before it gets anything.")
    let consentMemory = Member("consent_memory", .choice, at: \Client.consentMemory)
    let consentFingerprint = Member(
        "consent_fingerprint",
        .optional(.hash),
        at: \Client.consentFingerprint
    )
    let administers = Member("administers", .flag, at: \Client.administers)
        .set(by: .operator, "administers", label: "Administers")
        .help("Whether its people's tokens administer (admin.rest). No other app's do.")
    let lends = Member("lends", .lent, at: \Client.lends)
    let codeProtection = Member("code_protection", .choice, at: \Client.codeProtection)
        .set(
            by: .administrator,
            .written("`--pkce`, `--pkce-or-nonce`, `--no-pkce`"),
            label: "PKCE"
        )
        .help("Whether it must use PKCE, or may use a nonce with scope openid, or neither.")
    let pushed = Member(
        "require_pushed_authorization_requests",
        .flag,
        at: \Client.requiresPushedRequests
    )
    .set(by: .client, "pushed-requests", label: "Pushed requests")
    .help("Whether it must push its requests (RFC 9126).")
    let dpop = Member("dpop_bound_access_tokens", .flag, at: \Client.dpopBoundAccessTokens)
        .set(by: .client, "dpop", label: "Proofs (DPoP)")
        .help("Whether it gets tokens only with a proof of its key (DPoP, RFC 9449).")
    let isDevelopment = Member("development", .flag, at: \Client.isDevelopment)
        .set(by: .operator, "development", label: "Development")
        .help("Whether redirects of development tools are allowed.")
    let idTokenAlg = Member(
        "id_token_signed_response_alg",
        .optional(.choice, or: "realm"),
        at: \Client.idTokenAlgorithm
    )
    .set(by: .client, "id-token-algorithm", label: "ID Tokens")
    .help("Signs its ID Tokens.")
    let accessTokenAlg = Member(
        "access_token_signed_response_alg",
        .optional(.choice, or: "realm"),
        at: \Client.accessTokenAlgorithm
    )
    .set(by: .administrator, "access-token-algorithm", label: "Access tokens")
    .help("Signs its access tokens.")
    let userInfoAlg = Member(
        "userinfo_signed_response_alg",
        .optional(.choice, or: "json"),
        at: \Client.userInfoAlgorithm
    )
    .set(by: .client, label: "UserInfo")
    .help("Signs what UserInfo answers.")
    let accessTokenType = Member(
        "access_token_type",
        .optional(.choice, or: "realm"),
        at: \Client.accessTokenType
    )
    .set(by: .administrator, "access-token-type", label: "Access token type")
    .help("The header typ of its access tokens: JWT is for APIs that require it.")
    let lifetime = Member(
        "access_token_lifetime",
        .optional(.seconds(Realm.Lifetimes.longestAccessToken), or: "realm"),
        at: \Client.accessTokenLifetime
    )
    .set(by: .administrator, "access-token-lifetime", label: "Access token lives")
    .help("How long its access tokens are valid.")
    .rule("An access token lives 10 seconds to one day.")
    let staySignedIn = Member("stay_signed_in", .stay, at: \Client.staySignedIn)
        .set(by: .administrator, "stay-signed-in", label: "Stays signed in")
        .help(
            "How long people stay signed in without using it; realm: the realm's time; session: only as long as the browser session."
        )
        .rule("A person stays signed in for one minute to 3,650 days without use.")
    let tokenForm = Member("token_form", .choice, at: \Client.tokenForm)
        .set(by: .operator, "token-form", label: "Token form")
        .help(
            "What its tokens contain: the standards' claims and what mappers add; what mappers write; or as little as needed."
        )
    let mappers = Member("mappers", .mappers, at: \Client.mappers)
        .set(by: .administrator, .written("`--claim`, `--audience`, `portico mapper`"))
        .help("What writes claims into its tokens.")
    let seesAllRoles = Member("full_scope", .flag, at: \Client.seesAllRoles)
        .set(by: .administrator, "full-scope", label: "Full scope")
        .help(
            "Whether its tokens have every role of the person; otherwise its own and those that it is assigned to see."
        )
    let acrLevels = Member("acr_levels", .optional(.levels), at: \Client.acrLevels)
        .set(by: .administrator, label: "Levels")
        .help("The names of levels of authentication in its tokens (acr).")
    let notBefore = Member("not_before", .number, at: \Client.notBefore)
        .set(by: .administrator, label: "Not before")
        .help("What the server before issued to it earlier is not taken. Seconds since 1970.")
    let compatibility = Member("compatibility", .choices(), at: \Client.compatibility)
        .set(by: .operator, "compatibility", label: "Compatibility")
        .help("What it relies on that no standard asks for.")
    let handOff = Member("hand_off", .choice, at: \Client.handOff.form)
        .set(by: .operator, "hand-off", label: "Hand-off")
        .help(
            "Whether it is an app of the backend, and gets its session by a code, or in the address it is opened with (session-token), which is less secure."
        )
    let isDefault = Member("default_app", .flag, at: \Client.handOff.isDefault)
        .set(by: .operator, "default", label: "Default app")
        .help("Whether requests to the backend that name no app mean this one.")
    let appleAppIDs = Member("apple_app_ids", .list(.appleApp), at: \Client.handOff.appleAppIDs)
        .set(by: .operator, "apple-app", label: "Apple")
        .help("The Apple app that opens its links: ABCDE12345.com.example.app.")
    let androidApps = Member("android_apps", .list(.androidApp), at: \Client.handOff.androidApps)
        .set(by: .operator, "android-app", label: "Android")
        .help(
            "The Android app that opens its links, with the SHA-256 of a certificate that signs it: com.example.app=AA:BB:…."
        )
    let nativeAudiences = Member(
        "native_audiences",
        .list(.nativeAudience),
        at: \Client.handOff.audiences
    )
    .set(by: .operator, "native-audience", label: "Native tokens")
    .help("A client id that native identity tokens of a provider may be for: google=ID.")
    let storeLinks = Member("store_links", .list(.secureAddress), at: \Client.handOff.storeLinks)
        .set(by: .operator, "store-link", label: "Store")
        .help("Its page in an app store, https.")
    let kept = Member("kept", .kept, at: \Client.kept)
    let isMoved = Member("moved", .flag, at: \Client.isMoved)
}

extension Client: MemberOwner {
    package static let members: [Member<Client>] = members(of: ClientMembers())

    package static var blank: Client {
        Client(id: "", realmID: "", clientID: "", name: "", type: .public, authentication: .none)
    }

    package init(
        id: String,
        realmID: String,
        clientID: String,
        source: ClientSource = .registered,
        document: JSONObject
    ) throws {
        self = .blank
        (self.id, self.realmID, self.clientID) = (id, realmID, clientID)
        self.source = source
        // The scopes that a document names are not the realm's.
        try read(document, whole: source == .document)
    }
}

extension Scope {
    /// Whether it is the name of one scope, of 1 to 200 bytes (RFC 6749 §3.3); a space would make it two.
    package static func isToken(_ text: String) -> Bool {
        // `try?`: only whether it parses matters.
        (1...200).contains(text.utf8.count) && !text.utf8.contains(0x20)
            && (try? Scope(text)) != nil
    }
}

extension MemberForm where Value == RedirectURI {
    fileprivate static var uri: Self {
        text("uri", read: { RedirectURI($0) }, write: { $0.text })
    }
}

extension MemberForm where Value == HTTPAddress {
    fileprivate static var address: Self {
        text("uri", read: { HTTPAddress($0) }, write: { $0.text })
    }
}

extension MemberForm where Value == String {
    /// Team and bundle id of an Apple app.
    fileprivate static var appleApp: Self {
        text(
            "team.bundle-id",
            read: { $0.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9.-]{3,155}/) == nil ? nil : $0 },
            write: { $0 }
        )
    }

    fileprivate static var secureAddress: Self {
        text("secure-url", read: { HTTPAddress($0)?.isSecure == true ? $0 : nil }, write: { $0 })
    }
}

extension MemberForm where Value == HandOffRules.AndroidApp {
    fileprivate static var androidApp: Self {
        text(
            "package=sha256",
            read: { text in
                guard let (name, digits) = text.parts(around: text.utf8.firstIndex(of: 0x3D)),
                    name.utf8.count <= 255,
                    name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/) != nil,
                    case let hex = digits.replacing(":", with: "").uppercased(),
                    hex.wholeMatch(of: /[0-9A-F]{64}/) != nil
                else { return nil }
                // As Google's file has them, however they were typed.
                let pairs = stride(from: 0, to: 64, by: 2).map { hex.dropFirst($0).prefix(2) }
                return Value(packageName: name, fingerprint: pairs.joined(separator: ":"))
            },
            write: { "\($0.packageName)=\($0.fingerprint)" }
        )
    }
}

extension MemberForm where Value == HandOffRules.NativeAudience {
    fileprivate static var nativeAudience: Self {
        text(
            "provider=id",
            read: { text in
                guard let (provider, id) = text.parts(around: text.utf8.firstIndex(of: 0x3D)),
                    (1...100).contains(provider.utf8.count), (1...1000).contains(id.utf8.count)
                else { return nil }
                return Value(provider: provider, clientID: id)
            },
            write: { "\($0.provider)=\($0.clientID)" }
        )
    }
}

extension MemberForm where Value == JSONValue {
    fileprivate static var json: Self { json(read: { $0 }, write: { $0 }) }
}

extension MemberForm where Value == Set<GrantType> {
    fileprivate static var grantTypes: Self {
        choices([.authorizationCode, .refreshToken, .clientCredentials])
    }
}

extension MemberForm where Value == ClientSecret {
    fileprivate static var secret: Self {
        json(read: ClientSecret.init(value:), write: { $0.value })
    }
}

extension MemberForm where Value == Set<RoleName>? {
    /// What cannot be read lends nothing: without the member, everything is lent.
    fileprivate static var lent: Self {
        json(
            read: { .some(Set(($0.array ?? []).compactMap(RoleName.init(value:)))) },
            write: { roles in
                guard let roles else { return .null }
                // One order, so that what is the same is written the same.
                let sorted = roles.sorted {
                    ($0.clientID ?? "", $0.name) < ($1.clientID ?? "", $1.name)
                }
                return .array(sorted.map(\.value))
            }
        )
    }
}

extension MemberForm where Value == LoginTokenTarget {
    fileprivate static var target: Self {
        json(read: LoginTokenTarget.init(value:), write: { $0.value })
    }
}

extension MemberForm where Value == Hash256 {
    fileprivate static var hash: Self {
        json(
            read: {
                $0.string.flatMap(Base64URL.decode)
                    .flatMap { $0.count == 32 ? Hash256(kept: $0) : nil }
            },
            write: { .string(Base64URL.encode($0.bytes)) }
        )
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
                case (nil, nil):
                    json.object.flatMap { object in
                        guard let idle = object.int64("idle"), let most = object.int64("most")
                        else { return nil }
                        return .apart(idle: idle, most: most)
                    }
                default: nil
                }
            },
            write: { stay in
                switch stay {
                case .session: "session"
                case .realm: "realm"
                case .idle(let seconds): .integer(seconds)
                case .apart(let idle, let most):
                    ["idle": .integer(idle), "most": .integer(most)]
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
