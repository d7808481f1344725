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
        let broken = Self.rules(brokenBy: client, isImported: isImported, active: algorithms)
        if let first = broken.first { throw first }
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

    /// The first rule that a client breaks and the one before it does not: what was broken before, by the same
    /// value, hides no other rule.
    ///
    /// - Parameter former: With whether its missing PKCE is kept.
    static func refusal(
        of client: Client,
        isImported: Bool,
        beyond former: (client: Client, isImported: Bool),
        active: Set<SignatureAlgorithm>
    ) -> Refusal? {
        let known = rules(
            brokenBy: former.client,
            isImported: former.isImported,
            active: active
        )
        let values = Set(known.map { BrokenRule($0, by: former.client) })
        return rules(brokenBy: client, isImported: isImported, active: active)
            .first { !values.contains(BrokenRule($0, by: client)) }
    }

    /// In the order in which they are told.
    private static func rules(
        brokenBy client: Client,
        isImported: Bool,
        active: Set<SignatureAlgorithm>
    ) -> [Refusal] {
        var broken = names(client)
        do throws(Refusal) {
            try checkAuthentication(client)
        } catch {
            broken.append(error)
        }
        broken += grantTypes(client, isImported: isImported)
        broken += redirects(client)
        broken += handOff(client)
        broken += backchannelLogout(client)
        broken += Client.members.compactMap { $0.refusal(of: client) }.map(Refusal.member)
        broken += client.webOrigins.enumerated().filter {
            client.redirectRule != .patterns
                && !WebOrigin.isOrigin($0.element, development: client.isDevelopment)
        }.map { .webOrigin(index: $0.offset) }
        if client.administers, client.requiresConsent { broken.append(.administers) }
        if client.mappers.count(where: { $0.kept == nil }) > 100 { broken.append(.tooManyMappers) }
        broken += client.mappers.enumerated().filter { !$0.element.isRegistrable }
            .map { .mapper(index: $0.offset) }
        // A token that no key can sign would be an error at every sign-in.
        if let algorithm = client.idTokenAlgorithm, !active.contains(algorithm) {
            broken.append(.idTokenAlgorithm(algorithm))
        }
        if let algorithm = client.accessTokenAlgorithm, !active.contains(algorithm) {
            broken.append(.accessTokenAlgorithm(algorithm))
        }
        return broken
    }

    /// RFC 6749 appendix A.1. `sub` of a client's own tokens contains it, and a `sub` has at most
    /// 255 characters (OpenID Connect Core §2).
    private static func names(_ client: Client) -> [Refusal] {
        var broken: [Refusal] = []
        let isLong = client.compatibility.contains(.longNames)
        let id = client.clientID.utf8
        if !(1...(isLong ? 255 : 200)).contains(id.count)
            || !id.allSatisfy({ $0.isVisible || isLong && $0 == UInt8(ascii: " ") })
            || id.first == UInt8(ascii: " ") || id.last == UInt8(ascii: " ")
        {
            broken.append(.clientID)
        }
        if !PlainText.isLine(client.name, length: isLong ? 255 * 4 : 200) { broken.append(.name) }
        return broken
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

    private static func grantTypes(_ client: Client, isImported: Bool) -> [Refusal] {
        var broken: [Refusal] = []
        if client.type == .public {
            // RFC 6749 §4.4: confidential clients only.
            if client.grantTypes.contains(.clientCredentials) {
                broken.append(.publicClientCredentials)
            }
            // RFC 8252 §6, RFC 9700 §2.1.1.
            if client.codeProtection != .pkce, !isImported {
                broken.append(.publicClientWithoutPKCE)
            }
        }
        // RFC 6749 §3.1.2.2.
        if client.grantTypes.contains(.authorizationCode), client.redirectURIs.isEmpty,
            client.redirectRule != .patterns
        {
            broken.append(.noRedirectURI)
        }
        return broken
    }

    /// Of each kind.
    package static func mostRedirectURIs(of client: Client) -> Int {
        client.compatibility.contains(.longNames) ? 1000 : 100
    }

    private static func redirects(_ client: Client) -> [Refusal] {
        var broken: [Refusal] = []
        let most = mostRedirectURIs(of: client)
        if client.redirectURIs.count > most || client.postLogoutRedirectURIs.count > most {
            broken.append(.tooManyRedirectURIs)
        }
        // Patterns are checked where they are imported, and never match too much.
        guard client.redirectRule != .patterns else { return broken }
        for (index, uri) in client.redirectURIs.enumerated() {
            do {
                try uri.checkRegistrable(development: client.isLenient(about: uri))
            } catch {
                broken.append(.redirectURI(index: index, error))
            }
        }
        for (index, uri) in client.postLogoutRedirectURIs.enumerated() {
            do {
                try uri.checkRegistrable(development: client.isDevelopment)
            } catch {
                broken.append(.postLogoutRedirectURI(index: index, error))
            }
            // RP-Initiated Logout 1.0 §3.1: a private-use scheme is for native apps.
            if client.type != .public, uri.kind == .privateUseScheme {
                broken.append(.postLogoutScheme(index: index))
            }
        }
        return broken
    }

    /// The backend hands off to exactly what is registered, and asks for no secret (RFC 8252 §8.4).
    private static func handOff(_ client: Client) -> [Refusal] {
        guard client.handOff.form != .none else { return [] }
        var broken: [Refusal] = []
        if client.type != .public { broken.append(.handOffOfConfidential) }
        if client.redirectRule != .exact { broken.append(.handOffByPattern) }
        if client.redirectURIs.isEmpty, client.handOff.audiences.isEmpty {
            broken.append(.noRedirectURI)
        }
        return broken
    }

    private static func backchannelLogout(_ client: Client) -> [Refusal] {
        guard client.backchannelLogoutURI != nil else {
            return client.backchannelLogoutSessionRequired ? [.backchannelLogoutSession] : []
        }
        return client.hasAdmissibleBackchannelLogout ? [] : [.backchannelLogoutURI]
    }
}

/// A rule that a client breaks, with the value that breaks it, wherever in a list that stands.
private struct BrokenRule: Hashable {
    let field: String
    let rule: String
    let value: AnyHashable?

    init(_ refusal: ClientRegistration.Refusal, by client: Client) {
        field = "\(refusal.field)"
        rule = "\(refusal.rule)"
        value =
            switch refusal {
            case .redirectURI(let index, _): client.redirectURIs[index]
            case .postLogoutRedirectURI(let index, _), .postLogoutScheme(let index):
                client.postLogoutRedirectURIs[index]
            case .webOrigin(let index): client.webOrigins[index]
            case .mapper(let index): client.mappers[index]
            case .idTokenAlgorithm(let algorithm), .accessTokenAlgorithm(let algorithm): algorithm
            case .member(let refusal): client.memberValues["\(refusal.member)"]
            default: nil
            }
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
