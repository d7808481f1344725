import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a known client asks for, with every parameter read and allowed, wherever the answer goes
/// (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.2).
struct ClientRequest: Sendable {
    let client: Client
    let request: AuthorizationRequest
    /// The scope to be granted: what was requested and the client may have, and its defaults.
    let scope: Scope
    /// The parameters that it was read from, in the form that is carried on.
    let parameters: FormParameters
    /// What the person is to do first.
    let action: RequestedAction?
    /// The verified `id_token_hint`.
    private let hint: IDTokenHint?
    /// Whom that was issued to.
    private let hintClient: Client?
    /// The account that a client of the AT Protocol names.
    private let account: NamedAccount?
    private let realm: LiveRealm

    /// ``Realm/notBefore``: what was allowed earlier counts no more.
    var notBefore: Int64 { realm.notBefore }

    /// Whether people are known by their DIDs, so that one without it gets no further.
    var needsDID: Bool { realm.realm.profile.subject == .did }

    /// - Parameters:
    ///   - isCarried: Whether it was read before, and comes out of a seal (``parameters``).
    ///   - now: Seconds since 1970.
    init(
        _ form: FormParameters,
        of client: Client,
        in realm: LiveRealm,
        wasPushed: Bool,
        isCarried: Bool = false,
        at now: Int64
    ) async throws {
        guard client.grantTypes.contains(.authorizationCode) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant type.")
        }
        // RFC 9126 §5.
        guard wasPushed || !client.requiresPushedRequests else {
            throw OAuthError(
                .invalidRequest,
                "request_uri is missing: this client must push its requests."
            )
        }
        let request = try AuthorizationRequest(
            form,
            ignoresUnknownPrompts: client.compatibility.contains(.unknownPrompts)
        )
        try CodeProtectionRule(of: client).check(request)
        // Initiating User Registration via OpenID Connect §4.1.
        guard !request.prompt.contains(.create) || realm.realm.registration != nil else {
            throw OAuthError(.invalidRequest, "prompt has a value that is not served here.")
        }
        self.client = client
        self.realm = realm
        self.request = request
        account = try NamedAccount(request, of: client)
        scope = try Self.granted(request, to: client)
        // Before a person enters a password, not after.
        try AuthorizationCodeSeal.expectRoom(for: scope, nonce: request.nonce, of: client)
        let hint = try Self.hint(request, realm, isCarried: isCarried, now)
        self.hint = hint
        hintClient =
            if let hint { try await realm.client(clientID: hint.clientID) } else { nil }
        parameters = Self.carried(form, request.claims, hint)
        action = RequestedAction(form, of: client)
        try Self.checkReachable(request, in: realm, by: client)
    }

    /// Unknown scope tokens, and those that the client may not have, are ignored (OpenID Connect
    /// Core §3.1.2.1); without `scope`, the client's defaults apply.
    /// Some clients expect a refusal (``Compatibility/strictScope``).
    private static func granted(_ request: AuthorizationRequest, to client: Client)
        throws(OAuthError) -> Scope
    {
        if client.scopeRule == .atProtocol {
            return try ATScope.granted(request.scope, of: Scope(tokens: client.optionalScopes))
                .granted
        }
        let allowed = request.scope.tokens.filter(client.mayHave)
        guard
            !client.compatibility.contains(.strictScope)
                || allowed.count == request.scope.tokens.count
        else {
            throw OAuthError(.invalidScope, "scope has a token that the client may not have.")
        }
        return Scope(tokens: allowed + client.defaultScopes)
    }

    /// The permissions that it asked for and does not get, because they are not known here.
    var leftOut: [String] {
        client.scopeRule == .named
            ? [] : request.scope.tokens.filter { !scope.contains($0) }
    }

    /// An essential `acr` that cannot be reached is an error (OpenID Connect Core §5.5.1.1).
    /// A level may have a name, and a person who reached it has reached the lower ones.
    private static func checkReachable(
        _ request: AuthorizationRequest,
        in realm: LiveRealm,
        by client: Client
    ) throws(OAuthError) {
        guard let values = request.claims?.essentialACR else { return }
        let levels = realm.acrLevels(of: client)
        let isReachable = values.contains { value in
            (levels[value] ?? Int64(value)).map { $0 <= 1 } ?? false
        }
        guard isReachable else {
            throw OAuthError(
                .unmetAuthenticationRequirements,
                "claims asks for an acr that cannot be reached."
            )
        }
    }

    private static func hint(
        _ request: AuthorizationRequest,
        _ realm: LiveRealm,
        isCarried: Bool,
        _ now: Int64
    ) throws(OAuthError) -> IDTokenHint? {
        guard let text = request.idTokenHint else { return nil }
        guard let hint = IDTokenHint(text, of: realm, isCarried: isCarried, at: now) else {
            throw OAuthError(.invalidRequest, "id_token_hint is not an ID Token of this issuer.")
        }
        return hint
    }

    /// Whether this is the person that the request names, if it names one: by `id_token_hint`
    /// (OpenID Connect Core §3.1.2.1) or by a value for `sub` (§3.1.2.2, §5.5.1). Each client has
    /// its own names for people (§8). At a host of the AT Protocol `login_hint` names one, too.
    func names(_ person: Person) -> Bool {
        let personID = person.id
        if let account { return account.isOf(person) }
        if let hint {
            let subject = hintClient.map { realm.subject(of: personID, for: $0) } ?? personID
            guard sameBytes(hint.subject, subject) else { return false }
        }
        let own = realm.subject(of: personID, for: client)
        return request.claims?.subjects?.contains { sameBytes($0, own) } ?? true
    }
}

/// Individual claims about the person, requested with `claims` (OpenID Connect Core §5.5). Each
/// counts as the scope token that it belongs to (§5.4): `claims` gives a client nothing, and
/// nothing without consent, that `scope` would not.
extension ClientRequest {
    /// What a person is asked to allow: the scope, and the scope of individual claims (§3.1.2.4).
    var consentScope: Scope {
        let single = [request.claims?.idToken, request.claims?.userInfo].compactMap(\.self)
            .joined()
        return Scope(
            tokens: scope.tokens
                + single.compactMap { StandardClaims.scope(of: $0.name) }.filter(client.mayHave)
        )
    }

    /// The part of `claims` that the client may have; the rest is ignored like a scope token
    /// (§5.5.1).
    var grantedClaims: RequestedClaims {
        RequestedClaims(request.claims) {
            StandardClaims.scope(of: $0).map(client.mayHave) ?? false
        }
    }

    /// The parameters for pages and pushed requests, without unsupported parts of `claims`. They
    /// are read again with the same limit, so the original is kept if it is shorter. What is of use in
    /// `id_token_hint` stands in its place: the token itself may be longer than an address.
    fileprivate static func carried(
        _ form: FormParameters,
        _ claims: ClaimsRequest?,
        _ hint: IDTokenHint?
    )
        -> FormParameters
    {
        let compact = claims?.compact(keeping: StandardClaims.isStandard)
        return FormParameters(
            form.all.compactMap { parameter in
                if let hint, sameBytes(parameter.name, "id_token_hint") {
                    return (name: "id_token_hint", value: hint.carried)
                }
                guard sameBytes(parameter.name, "claims") else { return parameter }
                guard let compact else { return nil }
                let isShorter = compact.utf8.count < parameter.value.utf8.count
                return isShorter ? (name: "claims", value: compact) : parameter
            }
        )
    }
}

/// The protection that an authorization request must have, so that an attacker can neither redeem a
/// stolen code nor inject it into another person's sign-in (RFC 9700 §2.1.1). Only this rule
/// decides it.
struct CodeProtectionRule: Sendable {
    let protection: CodeProtection

    init(of client: Client) {
        protection = client.codeProtection
    }

    func check(_ request: AuthorizationRequest) throws(OAuthError) {
        try check(request.challenge, nonce: request.nonce, request.scope)
    }

    func check(_ challenge: CodeChallenge?, nonce: String?, _ scope: Scope) throws(OAuthError) {
        // RFC 7636 §4.4.1.
        if challenge != nil { return }
        switch protection {
        case .none: return
        case .pkce: throw OAuthError(.invalidRequest, "code_challenge is required.")
        case .pkceOrNonce:
            // The nonce comes back only in the ID Token (OpenID Connect Core §3.1.3.7 (11)).
            guard nonce != nil, scope.contains("openid") else {
                throw OAuthError(
                    .invalidRequest,
                    "code_challenge is required, or a nonce with the scope openid."
                )
            }
        }
    }
}
