package import PorticoProtocol

extension Realm {
    /// Id, name and issuer stand in columns of their own, the rest in the document.
    package init(id: String, name: String, issuer: String, document: JSONObject) throws {
        let document = Document(document)
        self.init(
            id: id,
            name: name,
            displayName: try document.required("display_name", \.string),
            issuer: issuer
        )
        isEnabled = try document.required("enabled", \.bool)
        signingAlgorithm = try document.required("signing_algorithm") {
            $0.string.flatMap(SignatureAlgorithm.init)
        }
        accessTokenType = try document.required("access_token_type") {
            $0.string.flatMap(AccessTokenType.init)
        }
        notBefore = try document.required("not_before", \.int64)
        signsInWithEmail = try document.required("sign_in_with_email", \.bool)
        allowsPasswordReset = try document.required("password_reset", \.bool)
        confirmsEmail = try document.required("confirm_email", \.bool)
        registration = try document.optional("registration") {
            $0.string.flatMap(Registration.init)
        }
        signsOutByHintAlone = try document.required("sign_out_by_hint", \.bool)
        errorStyle = try document.required("error_style") { $0.string.flatMap(ErrorStyle.init) }
        lifetimes = try Lifetimes(document: document.required("lifetimes", \.object))
        mappers = try document.list("mappers", ClaimMapper.init(value:)) ?? []
        acrLevels = try document.optional("acr_levels", \.levels) ?? [:]
        defaultLanguage = try document.optional("default_language", \.string)
        codeDrift = try document.optional("code_drift", \.int64) ?? 0
        events =
            try document.optional("events", \.object).map(EventPolicy.init(document:)) ?? events
        defaultRoles = try document.list("default_roles", RoleName.init(value:)) ?? []
        defaultGroupIDs = try document.optional("default_groups", \.strings) ?? []
        kept = try document.optional("kept") { $0.string.map(KeptRepresentation.init(json:)) }
        tokenSwap = try document.optional("token_swap", \.object).map(TokenSwap.init(document:))
        profile =
            try document.optional("profile", \.object).map(RealmProfile.init(document:)) ?? profile
    }

    /// Writes what this program knows over `document`, and leaves what a newer one put there.
    package func write(to document: inout JSONObject) {
        document["display_name"] = .string(displayName)
        document["enabled"] = .bool(isEnabled)
        document["signing_algorithm"] = .string(signingAlgorithm.rawValue)
        document["access_token_type"] = .string(accessTokenType.rawValue)
        document["not_before"] = .integer(notBefore)
        document["sign_in_with_email"] = .bool(signsInWithEmail)
        document["password_reset"] = .bool(allowsPasswordReset)
        document["confirm_email"] = .bool(confirmsEmail)
        document["registration"] = registration.map { .string($0.rawValue) }
        document["sign_out_by_hint"] = .bool(signsOutByHintAlone)
        document["error_style"] = .string(errorStyle.rawValue)
        var kept = document.object("lifetimes") ?? JSONObject()
        lifetimes.write(to: &kept)
        document["lifetimes"] = .object(kept)
        document["mappers"] = .array(mappers.map(\.value))
        document["acr_levels"] = acrLevels.isEmpty ? nil : JSONValue(levels: acrLevels)
        document["default_language"] = defaultLanguage.map(JSONValue.string)
        document["code_drift"] = codeDrift == 0 ? nil : .integer(codeDrift)
        document["events"] = .object(events.document)
        document["default_roles"] = .array(defaultRoles.map(\.value))
        document["default_groups"] = .texts(defaultGroupIDs)
        document["kept"] = self.kept.map { .string($0.json) }
        document["token_swap"] = tokenSwap.map { .object($0.document) }
        document["profile"] = .object(profile.document)
    }
}

extension RealmProfile {
    fileprivate init(document: JSONObject) throws {
        let document = Document(document)
        self.init()
        takesDocuments = try document.required("takes_documents", \.bool)
        subject = try document.required("subject") { $0.string.flatMap(Subject.init) }
        tokenResource = try document.optional("token_resource", \.string)
        scopeRule = try document.required("scope_rule") { $0.string.flatMap(ScopeRule.init) }
        endpoints = try document.required("endpoints") { $0.string.flatMap(Endpoints.init) }
        requiresProofs = try document.required("requires_proofs", \.bool)
        assertions = try document.required("assertions") { $0.string.flatMap(Assertions.init) }
        bindsClientKeys = try document.required("binds_client_keys", \.bool)
        spendsChallenges = try document.required("spends_challenges", \.bool)
    }

    fileprivate var document: JSONObject {
        var document: JSONObject = [
            "takes_documents": .bool(takesDocuments), "subject": .string(subject.rawValue),
            "scope_rule": .string(scopeRule.rawValue), "endpoints": .string(endpoints.rawValue),
            "requires_proofs": .bool(requiresProofs), "assertions": .string(assertions.rawValue),
            "binds_client_keys": .bool(bindsClientKeys),
            "spends_challenges": .bool(spendsChallenges),
        ]
        document["token_resource"] = tokenResource.map(JSONValue.string)
        return document
    }
}

extension Realm.EventPolicy {
    fileprivate init(document: JSONObject) throws {
        let document = Document(document)
        self.init()
        keepsSignIns = try document.required("sign_ins", \.bool)
        kinds = Set(try document.required("kinds", \.strings))
        keepsAdministration = try document.required("administration", \.bool)
        lifetime = try document.optional("lifetime", \.int64)
    }

    fileprivate var document: JSONObject {
        var document: JSONObject = [
            "sign_ins": .bool(keepsSignIns), "kinds": .texts(kinds.sorted()),
            "administration": .bool(keepsAdministration),
        ]
        document["lifetime"] = lifetime.map(JSONValue.integer)
        return document
    }
}

extension Realm.Lifetimes {
    fileprivate init(document: JSONObject) throws {
        let document = Document(document)
        self.init()
        accessToken = try document.required("access_token", \.int64)
        code = try document.required("code", \.int64)
        sessionIdle = try document.required("session_idle", \.int64)
        sessionMaximum = try document.required("session_maximum", \.int64)
        formerSessionMaximum = try document.optional("former_session_maximum", \.int64) ?? 0
        appIdle = try document.required("app_idle", \.int64)
        offlineIdle = try document.required("offline_idle", \.int64)
        offlineMaximum = try document.optional("offline_maximum", \.int64)
        refreshGrace = try document.required("refresh_grace", \.int64)
        pushedRequest = try document.required("pushed_request", \.int64)
    }

    fileprivate func write(to document: inout JSONObject) {
        document["access_token"] = .integer(accessToken)
        document["code"] = .integer(code)
        document["session_idle"] = .integer(sessionIdle)
        document["session_maximum"] = .integer(sessionMaximum)
        document["former_session_maximum"] = .integer(formerSessionMaximum)
        document["app_idle"] = .integer(appIdle)
        document["offline_idle"] = .integer(offlineIdle)
        document["offline_maximum"] = offlineMaximum.map(JSONValue.integer)
        document["refresh_grace"] = .integer(refreshGrace)
        document["pushed_request"] = .integer(pushedRequest)
    }
}
