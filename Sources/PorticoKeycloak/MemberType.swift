import PorticoProtocol

/// What a member of a representation is in Keycloak, which converts what a file or a request has there:
/// `"true"`, `"3600"`, `[42]` (Jackson, `MapperFeature.ALLOW_COERCION_OF_SCALARS`). A number for a text
/// stays as it is written: `1.10` (``JSONLimits/keepsDigits``).
enum MemberType: Sendable {
    case bool
    case integer
    case text
    case texts
    /// Values by names that are free: each a text, or texts.
    case map

    /// The value as Keycloak reads it; `nil` where it refuses it.
    func converted(_ value: JSONValue) -> JSONValue? {
        switch (self, value) {
        case (_, .null): return .null
        case (.bool, .bool), (.integer, .integer), (.text, .string): return value
        case (.bool, .integer(let number)): return .bool(number != 0)
        case (.bool, .string(let text)): return Self.bool(text)
        case (.integer, .number(let number)):
            return Int64(exactly: number.rounded(.towardZero)).map(JSONValue.integer)
        case (.integer, .string(let text)): return Self.integer(text)
        case (.text, .bool), (.text, .integer), (.text, .number):
            return .string(String(decoding: value.serialized(), as: UTF8.self))
        case (.texts, .array(let values)):
            var texts: [JSONValue] = []
            for value in values where value != .null {
                guard let text = Self.text.converted(value) else { return nil }
                texts.append(text)
            }
            return .array(texts)
        case (.map, .object(let object)):
            var members: [(name: String, value: JSONValue)] = []
            for (name, value) in object {
                let type = value.array == nil ? Self.text : .texts
                guard let value = type.converted(value) else { return nil }
                members.append((name, value))
            }
            return JSONObject(unique: members).map(JSONValue.object)
        default: return nil
        }
    }

    /// White space around it does not count, and no text is `null`.
    private static func bool(_ text: String) -> JSONValue? {
        switch trimmed(text) {
        case "": .null
        case "true", "True", "TRUE": .bool(true)
        case "false", "False", "FALSE": .bool(false)
        default: nil
        }
    }

    private static func integer(_ text: String) -> JSONValue? {
        let text = trimmed(text)
        return text == "" ? .null : text.flatMap { Int64($0) }.map(JSONValue.integer)
    }

    /// `nil` for what is too long to be a number or a truth value, or is not ASCII.
    private static func trimmed(_ text: String) -> String? {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        let head = text.utf8.drop(while: isSpace)
        let count = head.reversed().drop(while: isSpace).count
        return String(decoding: head.prefix(count), as: UTF8.self)
    }
}

extension MemberType {
    /// Members by their names, which are the same in all representations that have them.
    ///
    /// What has no name here, nor in ``holders`` and ``freeHolders``, is left as it stands.
    static let known: [String: MemberType] = {
        var known: [String: MemberType] = [:]
        let table: [(MemberType, String)] = [
            (.bool, bools), (.integer, integers), (.text, allTexts), (.texts, lists), (.map, maps),
        ]
        for (type, names) in table {
            for name in names.split(whereSeparator: \.isWhitespace) { known[String(name)] = type }
        }
        return known
    }()

    /// Members that are representations, or arrays of representations or of their names.
    static let holders = Set(
        """
        clients clientScopes roles realm users groups subGroups protocolMappers credentials
        federatedIdentities clientConsents identityProviders identityProviderMappers
        authenticationFlows authenticationExecutions authenticatorConfig requiredActions
        scopeMappings defaultRole composites
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    /// Objects that hold such arrays by names that are free.
    static let freeHolders: Set<String> = [
        "client", "components", "subComponents", "clientScopeMappings",
    ]

    private static let bools = """
        enabled emailVerified totp temporary publicClient bearerOnly consentRequired
        standardFlowEnabled implicitFlowEnabled directAccessGrantsEnabled serviceAccountsEnabled
        authorizationServicesEnabled directGrantsOnly frontchannelLogout fullScopeAllowed
        surrogateAuthRequired alwaysDisplayInConsole useTemplateConfig useTemplateScope
        useTemplateMappers composite clientRole scopeParamRequired adminEventsDetailsEnabled
        adminEventsEnabled adminPermissionsEnabled bruteForceProtected duplicateEmailsAllowed
        editUsernameAllowed eventsEnabled internationalizationEnabled loginWithEmailAllowed
        offlineSessionMaxLifespanEnabled organizationsEnabled otpPolicyCodeReusable
        permanentLockout registrationAllowed registrationEmailAsUsername rememberMe
        resetPasswordAllowed revokeRefreshToken scimApiEnabled userManagedAccessAllowed
        verifiableCredentialsEnabled verifyEmail webAuthnPolicyAvoidSameAuthenticatorRegister
        webAuthnPolicyPasswordlessAvoidSameAuthenticatorRegister
        webAuthnPolicyPasswordlessPasskeysEnabled userProfileEnabled passwordCredentialGrantAllowed
        linkOnly storeToken trustEmail addReadTokenRoleOnCreate authenticateByDefault hideOnLogin
        authenticatorFlow autheticatorFlow userSetupAllowed builtIn topLevel defaultAction
        """

    private static let integers = """
        notBefore createdTimestamp createdDate lastUpdatedDate priority accessCodeLifespan
        accessCodeLifespanLogin accessCodeLifespanUserAction accessTokenLifespan
        accessTokenLifespanForImplicitFlow actionTokenGeneratedByAdminLifespan
        actionTokenGeneratedByUserLifespan clientOfflineSessionIdleTimeout
        clientOfflineSessionMaxLifespan clientSessionIdleTimeout clientSessionMaxLifespan
        eventsExpiration failureFactor maxDeltaTimeSeconds maxFailureWaitSeconds
        maxSecondaryAuthFailures maxTemporaryLockouts minimumQuickLoginWaitSeconds
        oauth2DeviceCodeLifespan oauth2DevicePollingInterval offlineSessionIdleTimeout
        offlineSessionMaxLifespan otpPolicyDigits otpPolicyInitialCounter otpPolicyLookAheadWindow
        otpPolicyPeriod quickLoginCheckMilliSeconds refreshTokenMaxReuse ssoSessionIdleTimeout
        ssoSessionIdleTimeoutRememberMe ssoSessionMaxLifespan ssoSessionMaxLifespanRememberMe
        waitIncrementSeconds webAuthnPolicyCreateTimeout webAuthnPolicyPasswordlessCreateTimeout
        nodeReRegistrationTimeout hashIterations
        """

    private static let allTexts = """
        realm client id name description displayName displayNameHtml username email firstName lastName clientId
        secret registrationAccessToken rootUrl baseUrl adminUrl protocol protocolMapper
        clientAuthenticatorType value type userLabel secretData credentialData alias providerId
        subType path parentId containerId identityProvider userId userName identityProviderAlias
        identityProviderMapper serviceAccountClientId federationLink passwordPolicy
        defaultSignatureAlgorithm defaultLocale sslRequired keycloakVersion clientScope
        consentText requirement authenticator flowAlias internalId firstBrokerLoginFlowAlias
        postBrokerLoginFlowAlias otpPolicyType otpPolicyAlgorithm browserFlow registrationFlow
        directGrantFlow resetCredentialsFlow clientAuthenticationFlow dockerAuthenticationFlow
        firstBrokerLoginFlow loginTheme accountTheme adminTheme emailTheme
        """

    private static let lists = """
        redirectUris webOrigins defaultClientScopes optionalClientScopes defaultGroups
        defaultDefaultClientScopes defaultOptionalClientScopes realmRoles grantedClientScopes
        eventsListeners enabledEventTypes supportedLocales requiredCredentials defaultRoles
        disableableCredentialTypes
        """

    private static let maps = """
        attributes config smtpServer browserSecurityHeaders clientRoles
        authenticationFlowBindingOverrides
        """
}

extension JSONObject {
    /// The members of a representation, and of those in it, as Keycloak reads them. What it would refuse
    /// is left as it stands.
    var asKeycloakReads: JSONObject { changed(Self.read) ?? self }

    /// - Returns: `nil` where no member is changed.
    private func changed(_ change: (String, JSONValue) -> JSONValue?) -> JSONObject? {
        var members: [(name: String, value: JSONValue)]?
        for (index, member) in enumerated() {
            guard let value = change(member.name, member.value) else { continue }
            if members == nil { members = Array(self) }
            members?[index].value = value
        }
        return members.flatMap { JSONObject(unique: $0) }
    }

    private static func read(_ name: String, _ value: JSONValue) -> JSONValue? {
        if let object = value.object, MemberType.freeHolders.contains(name) {
            return object.changed { held($1) }.map(JSONValue.object)
        }
        if value.object != nil || value.array != nil, MemberType.holders.contains(name) {
            return held(value)
        }
        guard let converted = MemberType.known[name]?.converted(value), converted != value else {
            return nil
        }
        return converted
    }

    /// Representations, or the names of some.
    private static func held(_ value: JSONValue) -> JSONValue? {
        if let object = value.object { return object.changed(read).map(JSONValue.object) }
        guard let values = value.array else { return nil }
        guard values.contains(where: { $0.object != nil }) else {
            let texts = MemberType.texts.converted(value)
            return texts == value ? nil : texts
        }
        return .array(values.map { held($0) ?? $0 })
    }
}
