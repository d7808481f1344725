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
        codeProtection = try document.required("code_protection") {
            $0.string.flatMap(CodeProtection.init)
        }
        requiresConsent = try document.required("requires_consent", \.bool)
        administers = try document.optional("administers", \.bool) ?? false
        // What cannot be read lends nothing.
        lends = document.object["lends"].map { value in
            Set((value.array ?? []).compactMap(RoleName.init(value:)))
        }
        requiresPushedRequests = try document.required("requires_pushed_requests", \.bool)
        dpopBoundAccessTokens =
            try document.optional("dpop_bound_access_tokens", \.bool) ?? false
        isDevelopment = try document.required("development", \.bool)
        defaultScopes = try document.required("default_scopes", \.strings)
        optionalScopes = try document.required("optional_scopes", \.strings)
        authenticatesStrictly = try document.optional("strict_authentication", \.bool) ?? false
        takesTokenEndpointAudience =
            try document.optional("token_endpoint_audience", \.bool) ?? false
        idTokenAlgorithm = try document.algorithm("id_token_algorithm")
        accessTokenAlgorithm = try document.algorithm("access_token_algorithm")
        userInfoAlgorithm = try document.algorithm("userinfo_algorithm")
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
        seesAllRoles = try document.optional("sees_all_roles", \.bool) ?? true
        tokenForm =
            try document.optional("token_form") { $0.string.flatMap(TokenForm.init) } ?? .standard
        acrLevels = try document.optional("acr_levels", \.levels)
        redirectRule =
            try document.optional("redirect_rule") { $0.string.flatMap(RedirectRule.init) }
            ?? .exact
        rootURI = try document.optional("root_uri", \.string)
        homeURI = try document.optional("home_uri", \.string)
        notBefore = try document.optional("not_before", \.int64) ?? 0
        compatibility = Set(
            try document.list("compatibility") { $0.string.flatMap(Compatibility.init) } ?? []
        )
        kept = try document.optional("kept") { $0.string.map(KeptRepresentation.init(json:)) }
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
        document["code_protection"] = .string(codeProtection.rawValue)
        document["requires_consent"] = .bool(requiresConsent)
        document["administers"] = administers ? true : nil
        document["lends"] = lends.map { roles in
            .array(roles.sorted { $0.order < $1.order }.map(\.value))
        }
        document["requires_pushed_requests"] = .bool(requiresPushedRequests)
        document["dpop_bound_access_tokens"] = dpopBoundAccessTokens ? true : nil
        document["development"] = .bool(isDevelopment)
        document["default_scopes"] = .texts(defaultScopes)
        document["optional_scopes"] = .texts(optionalScopes)
        document["strict_authentication"] = .bool(authenticatesStrictly)
        document["token_endpoint_audience"] = .bool(takesTokenEndpointAudience)
        document["id_token_algorithm"] = idTokenAlgorithm.map { .string($0.rawValue) }
        document["access_token_algorithm"] = accessTokenAlgorithm.map { .string($0.rawValue) }
        document["userinfo_algorithm"] = userInfoAlgorithm.map { .string($0.rawValue) }
        document["access_token_type"] = accessTokenType.map { .string($0.rawValue) }
        document["access_token_lifetime"] = accessTokenLifetime.map(JSONValue.integer)
        document["stay_signed_in"] = staySignedIn.value
        document["login_token_targets"] = .array(loginTokenTargets.map(\.value))
        document["web_origins"] = .texts(webOrigins)
        document["mappers"] = .array(mappers.map(\.value))
        document["role_clients"] = roleClients.map(JSONValue.texts)
        document["sees_realm_roles"] = .bool(seesRealmRoles)
        document["sees_all_roles"] = seesAllRoles ? nil : false
        document["token_form"] = tokenForm == .standard ? nil : .string(tokenForm.rawValue)
        document["acr_levels"] = acrLevels.map(JSONValue.init(levels:))
        document["redirect_rule"] =
            redirectRule == .exact ? nil : .string(redirectRule.rawValue)
        document["root_uri"] = rootURI.map(JSONValue.string)
        document["home_uri"] = homeURI.map(JSONValue.string)
        document["not_before"] = notBefore == 0 ? nil : .integer(notBefore)
        document["compatibility"] =
            compatibility.isEmpty
            ? nil : .texts(Compatibility.allCases.filter(compatibility.contains).map(\.rawValue))
        document["kept"] = kept.map { .string($0.json) }
        document["moved"] = .bool(isMoved)
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

extension RoleName {
    /// One order, so that what is the same is written the same.
    fileprivate var order: String { "\(clientID ?? "")/\(name)" }
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

extension Document {
    fileprivate func algorithm(_ name: StaticString) throws -> SignatureAlgorithm? {
        try optional(name) { $0.string.flatMap(SignatureAlgorithm.init) }
    }
}

extension JSONValue {
    /// The names of levels of authentication.
    var levels: [String: Int64]? {
        guard let object else { return nil }
        return Dictionary(
            object.compactMap { member in member.value.int64.map { (member.name, $0) } }
        ) { first, _ in first }
    }

    init(levels: [String: Int64]) {
        var object = JSONObject()
        for (name, level) in levels.sorted(by: { $0.key < $1.key }) {
            object[name] = .integer(level)
        }
        self = .object(object)
    }

    static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map(JSONValue.string))
    }
}
