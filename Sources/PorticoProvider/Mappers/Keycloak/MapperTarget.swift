import PorticoBytes

/// Where a mapper of Keycloak's can write a claim.
enum MapperTarget: CaseIterable, Hashable, Sendable {
    case accessToken
    /// The access token of a client that gets one with only the claims it needs (Keycloak
    /// `client.use.lightweight.access.token.enabled`).
    case lightweightAccessToken
    case idToken
    case userInfo
    case introspection
    /// Beside the tokens (RFC 6749 §5.1).
    case tokenResponse

    static let tokens: Set<MapperTarget> = [
        .accessToken, .lightweightAccessToken, .idToken, .userInfo, .introspection,
    ]

    /// The targets that a mapper's switches name. Keycloak compares these exactly: `True` is off.
    ///
    /// - Parameter isForAccess: What is meant where a switch for access tokens or introspection is
    ///   missing.
    static func named(in config: [String: String], isForAccess: Bool = false) -> Set<MapperTarget> {
        func isOn(_ key: String) -> Bool? { config[key].map { $0 == "true" } }
        let inAccessToken = isOn("access.token.claim") ?? isForAccess
        let inIDToken = isOn("id.token.claim") ?? false
        // Files from before these two switches (Keycloak `OIDCAttributeMapperHelper`).
        let inUserInfo = isOn("userinfo.token.claim") ?? inIDToken
        let inIntrospection = isOn("introspection.token.claim") ?? (isForAccess || inAccessToken)
        var targets: Set<MapperTarget> = []
        if inAccessToken { targets.insert(.accessToken) }
        if inIDToken { targets.insert(.idToken) }
        if inUserInfo { targets.insert(.userInfo) }
        if inIntrospection { targets.insert(.introspection) }
        if isOn("lightweight.claim") ?? false { targets.insert(.lightweightAccessToken) }
        if isOn("access.tokenResponse.claim") ?? false { targets.insert(.tokenResponse) }
        return targets
    }
}

/// The claims that no mapper writes.
enum ReservedClaims {
    /// - Parameters:
    ///   - claim: The top-level one.
    ///   - kind: What would write it. A few claims have mappers of their own.
    static func contain(
        _ claim: String,
        in target: MapperTarget,
        writtenBy kind: ProtocolMapper.Kind
    ) -> Bool {
        let claim = ExactText(claim)
        switch (kind, claim.text) {
        // The note of the session, not a text that a person could choose. UserInfo has none.
        case (.note("AUTH_TIME"), "auth_time"): return target == .userInfo
        case (.note("client_id"), "client_id"), (.note("clientId"), "client_id"):
            return target == .userInfo
        default: break
        }
        if kind.isChosenByPerson, rights.contains(claim) { return true }
        return switch target {
        case .tokenResponse: response.contains(claim)
        case .introspection: token.contains(claim) || introspection.contains(claim)
        default: token.contains(claim)
        }
    }

    private static let token = exact(MappedClaims.reserved.union(["session_state"]))

    /// RFC 7662 §2.2.
    private static let introspection = exact(["active", "username", "token_type"])

    /// RFC 6749 §5, RFC 8693 §2.2.1, and what Keycloak adds.
    private static let response = exact([
        "access_token", "token_type", "expires_in", "refresh_token", "refresh_expires_in",
        "id_token", "scope", "session_state", "not-before-policy", "issued_token_type",
        "device_secret", "authorization_details", "error", "error_description", "error_uri",
    ])

    /// Where applications read roles.
    private static let rights = exact(["realm_access", "resource_access"])

    private static func exact(_ names: Set<String>) -> Set<ExactText> {
        Set(names.map(ExactText.init))
    }
}
