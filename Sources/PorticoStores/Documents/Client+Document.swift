import PorticoBytes
package import PorticoProtocol

extension Client {
    /// Id, realm and `client_id` stand in columns of their own, the rest in the document.
    package init(id: String, realmID: String, clientID: String, document: JSONObject) throws {
        let document = Document(document)
        self.init(
            id: id,
            realmID: realmID,
            clientID: clientID,
            name: try document.required("name", \.string),
            type: try document.required("type") { $0.string.flatMap(ClientType.init) },
            authentication: try document.required("authentication") {
                $0.string.flatMap(ClientAuthenticationMethod.init)
            }
        )
        isEnabled = try document.required("enabled", \.bool)
        secret = try document.optional("secret", ClientSecret.init(value:))
        keySet = document.object["key_set"]
        redirectURIs = try document.list("redirect_uris") { $0.string.map(RedirectURI.init) } ?? []
        postLogoutRedirectURIs =
            try document.list("post_logout_redirect_uris") { $0.string.map(RedirectURI.init) } ?? []
        backchannelLogoutURI = try document.optional("backchannel_logout_uri") {
            $0.string.flatMap(HTTPAddress.init)
        }
        backchannelLogoutSessionRequired =
            try document.optional("backchannel_logout_session_required", \.bool) ?? false
        grantTypes = Set(
            try document.list("grant_types") { $0.string.flatMap(GrantType.init) } ?? []
        )
        codeProtection = try Self.codeProtection(document)
        requiresConsent = try document.required("requires_consent", \.bool)
        administers = try document.optional("administers", \.bool) ?? false
        requiresPushedRequests = try document.required("requires_pushed_requests", \.bool)
        dpopBoundAccessTokens =
            try document.optional("dpop_bound_access_tokens", \.bool) ?? false
        isDevelopment = try document.required("development", \.bool)
        defaultScopes = try document.required("default_scopes", \.strings)
        optionalScopes = try document.required("optional_scopes", \.strings)
        authenticatesStrictly = try document.optional("strict_authentication", \.bool) ?? false
        takesTokenEndpointAudience =
            try document.optional("token_endpoint_audience", \.bool) ?? false
        (idTokenAlgorithm, accessTokenAlgorithm) = try Self.algorithms(document)
        accessTokenType = try document.optional("access_token_type") {
            $0.string.flatMap(AccessTokenType.init)
        }
        accessTokenLifetime = try document.optional("access_token_lifetime", \.int64)
        staySignedIn =
            try document.optional("stay_signed_in", StaySignedIn.init(value:)) ?? .session
        loginTokenTargets =
            try document.list("login_token_targets", LoginTokenTarget.init(value:)) ?? []
        webOrigins = try document.required("web_origins", \.strings)
        mappers = try document.list("mappers", ClaimMapper.init(value:)) ?? []
        roleClients = try document.optional("role_clients", \.strings)
        seesRealmRoles = try document.optional("sees_realm_roles", \.bool) ?? true
        keycloak = try document.optional("keycloak", \.object)
        isMoved = try document.optional("moved", \.bool) ?? false
    }

    /// Writes what this program knows over `document`, and leaves what a newer one put there.
    package func write(to document: inout JSONObject) {
        document["name"] = .string(name)
        document["enabled"] = .bool(isEnabled)
        document["type"] = .string(type.rawValue)
        document["authentication"] = .string(authentication.rawValue)
        document["secret"] = secret?.value
        document["key_set"] = keySet
        document["redirect_uris"] = .texts(redirectURIs.map(\.text))
        document["post_logout_redirect_uris"] = .texts(postLogoutRedirectURIs.map(\.text))
        document["backchannel_logout_uri"] = backchannelLogoutURI.map { .string($0.text) }
        document["backchannel_logout_session_required"] = .bool(backchannelLogoutSessionRequired)
        document["grant_types"] = .texts(
            GrantType.allCases.filter(grantTypes.contains).map(\.rawValue)
        )
        document["requires_pkce"] = .bool(codeProtection != .none)
        document["code_protection"] = .string(codeProtection.rawValue)
        document["requires_consent"] = .bool(requiresConsent)
        document["administers"] = administers ? true : nil
        document["requires_pushed_requests"] = .bool(requiresPushedRequests)
        document["dpop_bound_access_tokens"] = dpopBoundAccessTokens ? true : nil
        document["development"] = .bool(isDevelopment)
        document["default_scopes"] = .texts(defaultScopes)
        document["optional_scopes"] = .texts(optionalScopes)
        document["strict_authentication"] = .bool(authenticatesStrictly)
        document["token_endpoint_audience"] = .bool(takesTokenEndpointAudience)
        document["signing_algorithm"] = idTokenAlgorithm.map { .string($0.rawValue) }
        var algorithms = JSONObject()
        algorithms["id_token"] = idTokenAlgorithm.map { .string($0.rawValue) }
        algorithms["access_token"] = accessTokenAlgorithm.map { .string($0.rawValue) }
        document["signing_algorithms"] = .object(algorithms)
        document["access_token_type"] = accessTokenType.map { .string($0.rawValue) }
        document["access_token_lifetime"] = accessTokenLifetime.map(JSONValue.integer)
        document["stay_signed_in"] = staySignedIn.value
        document["login_token_targets"] = .array(loginTokenTargets.map(\.value))
        document["web_origins"] = .texts(webOrigins)
        document["mappers"] = .array(mappers.map(\.value))
        document["role_clients"] = roleClients.map(JSONValue.texts)
        document["sees_realm_roles"] = .bool(seesRealmRoles)
        document["keycloak"] = keycloak.map(JSONValue.object)
        document["moved"] = .bool(isMoved)
    }

    /// Clients from before there was a choice had to use PKCE or not.
    private static func codeProtection(_ document: Document) throws -> CodeProtection {
        let requiresPKCE = try document.required("requires_pkce", \.bool)
        return try document.optional("code_protection") {
            $0.string.flatMap(CodeProtection.init)
        } ?? (requiresPKCE ? .pkce : .none)
    }

    /// Clients from before there were two algorithms had one for both tokens.
    private static func algorithms(_ document: Document) throws -> (
        idToken: SignatureAlgorithm?, accessToken: SignatureAlgorithm?
    ) {
        func algorithm(_ name: StaticString, _ document: Document) throws -> SignatureAlgorithm? {
            try document.optional(name) { $0.string.flatMap(SignatureAlgorithm.init) }
        }
        guard let both = try document.optional("signing_algorithms", \.object) else {
            let one = try algorithm("signing_algorithm", document)
            return (one, one)
        }
        return (
            try algorithm("id_token", Document(both)), try algorithm("access_token", Document(both))
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

extension StaySignedIn {
    fileprivate init?(value: JSONValue) {
        switch (value.string, value.int64) {
        case ("session", _): self = .session
        case ("realm", _): self = .realm
        case (nil, let seconds?): self = .idle(seconds)
        default: return nil
        }
    }

    package var value: JSONValue {
        switch self {
        case .session: "session"
        case .realm: "realm"
        case .idle(let seconds): .integer(seconds)
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

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map(JSONValue.string))
    }
}
