package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// Registers or changes a client of a realm by the rules of client registration (RFC 7591 §2, RFC
/// 8252 §8.4, OpenID Connect Registration 1.0 §2), shared by the command line, the import and
/// static configuration.
package struct ClientRegistration: Sendable {
    private let secrets: ClientSecretSeal

    package init(ring: KeyRing) {
        secrets = ClientSecretSeal(ring: ring)
    }

    /// What happens to the client's secret.
    package enum Secret: Sendable {
        /// The client keeps its secret, if it has one.
        case unchanged
        /// A new secret of 256 random bits is made and shown once.
        case made
        /// The administrator chose the secret.
        case chosen(SecretText)
    }

    package struct Admission: Sendable {
        package let client: Client
        /// The new secret, to be shown once.
        package let shownSecret: SecretText?
        package let warnings: [Warning]
    }

    /// - Parameters:
    ///   - schemes: The `client_id`s of other clients of the realm that registered one of its private-use
    ///     schemes (``Client/privateUseSchemes``), by the scheme.
    ///   - algorithms: Those for which the realm has an active key.
    ///   - isImported: Whether the client comes from a realm that did not require PKCE, and
    ///     nothing is taken away from what it has here (docs/decisions/0032).
    /// - Throws: The first rule that the client breaks.
    package func callAsFunction(
        _ client: Client,
        secret: Secret = .unchanged,
        schemes: [String: [String]],
        algorithms: Set<SignatureAlgorithm>,
        isImported: Bool = false,
        random: RandomSource
    ) throws(Refusal) -> Admission {
        var client = client
        var warnings: [Warning] = []
        var shown: SecretText?
        switch secret {
        case .unchanged: break
        case .made:
            let made = secrets.make(random: random)
            shown = made.shown
            client.secret = made.kept
        case .chosen(let chosen):
            try Self.check(chosen)
            if chosen.reveal().utf8.count < 16 { warnings.append(.shortSecret) }
            client.secret = secrets.keep(chosen, of: client.id, random: random)
        }
        try Self.check(client, isImported: isImported)
        try Self.checkAlgorithms(client, active: algorithms)
        return Admission(
            client: client,
            shownSecret: shown,
            warnings: warnings + Self.warnings(about: client, schemes: schemes)
        )
    }

    /// Whether it is the client's secret already.
    package func isSecret(_ secret: SecretText, of client: Client) -> Bool {
        client.secret.map { secrets.isRight(secret, for: $0, of: client) } ?? false
    }

    /// RFC 6749 appendix A.2: visible ASCII and spaces.
    private static func check(_ secret: SecretText) throws(Refusal) {
        let bytes = secret.reveal().utf8
        guard (1...1024).contains(bytes.count), bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw .secret
        }
    }

    private static func check(_ client: Client, isImported: Bool) throws(Refusal) {
        try checkNames(client)
        try checkAuthentication(client)
        try checkGrantTypes(client, isImported: isImported)
        try checkRedirects(client)
        try checkHandOff(client)
        try checkBackchannelLogout(client)
        if let refusal = Client.members.lazy.compactMap({ $0.refusal(of: client) }).first {
            throw .member(refusal)
        }
        for (index, origin) in client.webOrigins.enumerated()
        where client.redirectRule != .patterns
            && !WebOrigin.isOrigin(origin, development: client.isDevelopment)
        {
            throw .webOrigin(index: index)
        }
        guard !client.administers || !client.requiresConsent else { throw .administers }
        guard client.mappers.count(where: { $0.kept == nil }) <= 100 else { throw .tooManyMappers }
        for (index, mapper) in client.mappers.enumerated() where !mapper.isRegistrable {
            throw .mapper(index: index)
        }
    }

    /// A token that no key can sign would be an error at every sign-in.
    private static func checkAlgorithms(_ client: Client, active: Set<SignatureAlgorithm>)
        throws(Refusal)
    {
        if let algorithm = client.idTokenAlgorithm, !active.contains(algorithm) {
            throw .idTokenAlgorithm(algorithm)
        }
        if let algorithm = client.accessTokenAlgorithm, !active.contains(algorithm) {
            throw .accessTokenAlgorithm(algorithm)
        }
    }

    /// RFC 6749 appendix A.1. `sub` of a client's own tokens contains it, and a `sub` has at most
    /// 255 characters (OpenID Connect Core §2).
    private static func checkNames(_ client: Client) throws(Refusal) {
        let isLong = client.compatibility.contains(.longNames)
        let id = client.clientID.utf8
        guard (1...(isLong ? 255 : 200)).contains(id.count),
            id.allSatisfy({ $0.isVisible || isLong && $0 == UInt8(ascii: " ") }),
            id.first != UInt8(ascii: " "), id.last != UInt8(ascii: " ")
        else { throw .clientID }
        guard PlainText.isLine(client.name, length: isLong ? 255 * 4 : 200) else {
            throw .name
        }
    }

    private static func checkAuthentication(_ client: Client) throws(Refusal) {
        switch (client.type, client.authentication) {
        // RFC 6749 §2.1, RFC 8252 §8.4 and §8.5: a secret in every copy of an app proves nothing.
        case (.public, .none):
            guard client.secret == nil else { throw .publicClientWithSecret }
        case (.public, _): throw .publicClientAuthenticates
        case (.confidential, .none): throw .confidentialClientWithoutMethod
        case (.confidential, .clientSecretBasic), (.confidential, .clientSecretPost):
            guard client.secret != nil else { throw .missingSecret }
        case (.confidential, .privateKeyJWT):
            try checkKeySet(client.keySet)
            return
        }
        guard client.keySet == nil else { throw .needlessKeySet }
    }

    /// Every key must be valid: a skipped key would be missing when it is needed.
    private static func checkKeySet(_ value: JSONValue?) throws(Refusal) {
        guard let object = value?.object else { throw .keySet }
        let set: JWKSet
        do {
            set = try JWKSet(object)
        } catch {
            throw .keySet
        }
        guard !set.keys.isEmpty, set.refusals.isEmpty else { throw .keySet }
    }

    private static func checkGrantTypes(_ client: Client, isImported: Bool) throws(Refusal) {
        if client.type == .public {
            // RFC 6749 §4.4: confidential clients only.
            guard !client.grantTypes.contains(.clientCredentials) else {
                throw .publicClientCredentials
            }
            // RFC 8252 §6, RFC 9700 §2.1.1.
            guard client.codeProtection == .pkce || isImported else {
                throw .publicClientWithoutPKCE
            }
        }
        // RFC 6749 §3.1.2.2.
        if client.grantTypes.contains(.authorizationCode), client.redirectURIs.isEmpty,
            client.redirectRule != .patterns
        {
            throw .noRedirectURI
        }
    }

    /// Of each kind.
    package static func mostRedirectURIs(of client: Client) -> Int {
        client.compatibility.contains(.longNames) ? 1000 : 100
    }

    private static func checkRedirects(_ client: Client) throws(Refusal) {
        let most = mostRedirectURIs(of: client)
        guard client.redirectURIs.count <= most, client.postLogoutRedirectURIs.count <= most else {
            throw .tooManyRedirectURIs
        }
        // Patterns are checked where they are imported, and never match too much.
        guard client.redirectRule != .patterns else { return }
        for (index, uri) in client.redirectURIs.enumerated() {
            do {
                try uri.checkRegistrable(development: client.isLenient(about: uri))
            } catch {
                throw .redirectURI(index: index, error)
            }
        }
        for (index, uri) in client.postLogoutRedirectURIs.enumerated() {
            do {
                try uri.checkRegistrable(development: client.isDevelopment)
            } catch {
                throw .postLogoutRedirectURI(index: index, error)
            }
            // RP-Initiated Logout 1.0 §3.1: a private-use scheme is for native apps.
            guard client.type == .public || uri.kind != .privateUseScheme else {
                throw .postLogoutScheme(index: index)
            }
        }
    }

    /// The backend hands off to exactly what is registered, and asks for no secret (RFC 8252 §8.4).
    private static func checkHandOff(_ client: Client) throws(Refusal) {
        guard client.handOff.form != .none else { return }
        guard client.type == .public else { throw .handOffOfConfidential }
        guard client.redirectRule == .exact else { throw .handOffByPattern }
        guard !client.redirectURIs.isEmpty || !client.handOff.audiences.isEmpty else {
            throw .noRedirectURI
        }
    }

    private static func checkBackchannelLogout(_ client: Client) throws(Refusal) {
        guard client.backchannelLogoutURI != nil else {
            guard !client.backchannelLogoutSessionRequired else { throw .backchannelLogoutSession }
            return
        }
        guard client.hasAdmissibleBackchannelLogout else { throw .backchannelLogoutURI }
    }
}

extension Client {
    /// Whether it may register what development tools do. Of apps of the backend, those of the compatibility mode
    /// may, a private-use scheme, unless the Provider sends codes there too (docs/decisions/0013 and 0031).
    fileprivate func isLenient(about uri: RedirectURI) -> Bool {
        guard handOff.form != .none else { return isDevelopment }
        return handOff.form == .sessionToken && uri.kind == .privateUseScheme
            && (isDevelopment || !grantTypes.contains(.authorizationCode))
    }

    /// OpenID Connect Back-Channel Logout §2.2. An ``HTTPAddress`` is absolute and has no fragment.
    /// A confidential client may be notified without TLS only if the traffic stays on this machine.
    package var hasAdmissibleBackchannelLogout: Bool {
        guard let address = backchannelLogoutURI, address.text.utf8.count <= 2000 else {
            return false
        }
        return address.isSecure || type == .confidential && address.isLoopback
    }
}

extension ClaimMapper {
    /// Whether only the Provider itself writes this claim, because the protocol defines it.
    package static func isReserved(_ claim: String) -> Bool {
        ReservedClaims.token.contains(ExactText(claim))
    }

    /// The mapped value is in every token, so all of it is bounded; of one from a file, where it is read.
    fileprivate var isRegistrable: Bool {
        guard kept == nil else { return true }
        guard claim.map({ Self.isClaim($0.root) && $0.text.utf8.count <= 200 }) ?? true else {
            return false
        }
        return switch kind {
        case .clientRoles(let clientID?, _): (1...200).contains(clientID.utf8.count)
        case .attribute(let name, _): (1...200).contains(name.utf8.count)
        case .fixedClaim(let value): value.serialized().count <= 2048
        case .audience(let audience): (1...1000).contains(audience.utf8.count)
        default: true
        }
    }

    private static func isClaim(_ claim: String) -> Bool {
        (1...200).contains(claim.utf8.count) && !isReserved(claim)
    }
}

extension ClientRegistration {
    /// A setting that is allowed but not recommended.
    package enum Warning: Hashable, Sendable {
        case shortSecret
        case development
        case pkceOptional
        case longAccessToken
        case tokenEndpointAudience
        case silentLoginToken
        case sessionInAddress
        /// Another client of the realm registers the same private-use scheme.
        case sharedScheme(scheme: String, clientID: String)

        /// One English sentence for the administrator.
        package var words: StaticString {
            switch self {
            case .shortSecret: "The chosen secret is shorter than 16 characters: it can be guessed."
            case .development:
                "The development switch admits redirects that any app on a device can receive."
            case .pkceOptional: "PKCE is optional for this client: a stolen code can be redeemed."
            case .longAccessToken:
                "Access tokens of more than an hour are long to lose (RFC 6750 5.3)."
            case .tokenEndpointAudience:
                "Assertions may name the token endpoint: one made for a server that claims this endpoint as its own is good here, too."
            case .silentLoginToken:
                "A link with a login token of this client signs in without asking: anyone can send such a link."
            case .sessionInAddress:
                "The app gets its session in the address it is opened with: anyone who sees that address has the session. Prefer --hand-off code."
            case .sharedScheme:
                "Two apps register one private-use scheme: either can receive the other's code (RFC 8252 7.1)."
            }
        }
    }

    static func warnings(about client: Client, schemes: [String: [String]]) -> [Warning] {
        var warnings: [Warning] = []
        if client.isDevelopment { warnings.append(.development) }
        if client.codeProtection == .none, client.grantTypes.contains(.authorizationCode) {
            warnings.append(.pkceOptional)
        }
        if client.accessTokenLifetime ?? 0 > 3600 { warnings.append(.longAccessToken) }
        if client.takesTokenEndpointAudience { warnings.append(.tokenEndpointAudience) }
        if client.loginTokenTargets.contains(where: \.isSilent) {
            warnings.append(.silentLoginToken)
        }
        if client.handOff.form == .sessionToken { warnings.append(.sessionInAddress) }
        for scheme in client.privateUseSchemes.sorted() {
            for other in schemes[scheme] ?? [] where !sameBytes(other, client.clientID) {
                warnings.append(.sharedScheme(scheme: scheme, clientID: other))
            }
        }
        return warnings
    }
}

/// Which clients people administer by (docs/decisions/0071).
extension Client {
    /// The clients that a realm has itself.
    package static let builtIn: Set<String> = [
        "account", "account-console", "admin-cli", "broker", "realm-management",
        "security-admin-console",
    ]

    /// The realm `master` has one more for each realm.
    package static func isBuiltIn(_ clientID: String, in realm: String) -> Bool {
        builtIn.contains(clientID) || realm == "master" && clientID.hasSuffix("-realm")
    }

    /// Whether it is one of the realm's own for administration: by these a person does what they may,
    /// whatever the token says.
    package var isConsole: Bool {
        source == .registered
            && ["admin-cli", "security-admin-console"].contains { sameBytes($0, clientID) }
    }

    /// Whether its people's tokens carry administrative roles at this server. A client that asks
    /// people for consent never does: no page asks for that.
    package var lendsAdministration: Bool {
        !requiresConsent && source == .registered && (administers || isConsole)
    }
}
