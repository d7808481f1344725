import HTTPTypes
import Hummingbird
public import Portico
import PorticoBytes
import PorticoOutbound
public import PorticoProtocol

/// A kind of credential that a request may present to a service.
public struct AuthenticationMethod: Sendable {
    enum Kind: Sendable {
        case session(SessionAuthentication)
        case accessToken(AccessTokenAuthentication)
    }

    let kind: Kind

    /// A session at a backend-for-frontend: the browser's cookie `__Host-session`, the cookie `sid` of
    /// a sign-in by internet handle, or an app's session token as `Authorization: Bearer`. The service
    /// checks each with the backend, and sends it only these cookies or the token.
    ///
    /// The cookie reaches a service only under the backend's own host, behind one proxy.
    ///
    /// - Parameters:
    ///   - backend: An https address without query.
    ///   - cachedFor: How long the backend's answer that a session is live is cached, at most half a
    ///     minute: a session that ended elsewhere is still admitted for this long. Zero checks every
    ///     time.
    ///   - allowInsecureLoopback: Allows an `http` backend on this machine, with the cookie
    ///     `portico-dev-session`.
    ///   - transport: Sends the requests; libcurl by default.
    /// - Throws: misconfigured if the address is not valid for a backend.
    public static func session(
        backend: String,
        cachedFor: Duration = .seconds(2),
        allowInsecureLoopback: Bool = false,
        transport: (any HTTPTransport)? = nil
    ) throws(SignInError) -> AuthenticationMethod {
        try session(
            backend: backend,
            cachedFor: cachedFor,
            allowInsecureLoopback: allowInsecureLoopback,
            transport: transport ?? OutboundClient(),
            clock: .system
        )
    }

    /// An access token of an OpenID provider, verified in this service with the provider's keys
    /// (RFC 9068 §4).
    ///
    /// Revocation is not checked: a token is valid until it expires.
    ///
    /// - Parameters:
    ///   - issuer: Exactly as the provider writes it.
    ///   - audience: What `aud` must name: this service.
    ///   - scopes: All of these must be granted, otherwise 403 `insufficient_scope`.
    ///   - roles: Where to find roles among the claims.
    ///   - algorithms: The accepted ones of `ES256`, `EdDSA`, `RS256` and `PS256`.
    ///   - types: The accepted `typ` values in the token's header: `at+jwt`, or also `JWT`, for issuers
    ///     that write it, such as Keycloak. The claim `typ` must then be `Bearer`, or `DPoP` of a
    ///     token that is bound to a key.
    ///   - proofs: How tokens that are bound to a key are taken (RFC 9449). Without it they are refused.
    ///   - allowInsecureLoopback: Allows an `http` issuer on this machine.
    ///   - transport: Fetches metadata and keys; libcurl by default.
    /// - Throws: misconfigured if the address is not valid for an issuer, or no token could ever
    ///   pass.
    public static func accessToken(
        issuer: String,
        audience: String,
        scopes: [String] = [],
        roles: RoleMapping = .keycloak,
        algorithms: [String] = ["ES256", "EdDSA", "RS256", "PS256"],
        types: [String] = ["at+jwt"],
        proofs: ProofsOfPossession? = nil,
        allowInsecureLoopback: Bool = false,
        transport: (any HTTPTransport)? = nil
    ) throws(SignInError) -> AuthenticationMethod {
        try accessToken(
            issuer: issuer,
            audience: audience,
            scopes: scopes,
            roles: roles,
            algorithms: algorithms,
            types: types,
            proofs: proofs,
            allowInsecureLoopback: allowInsecureLoopback,
            transport: transport ?? OutboundClient(),
            clock: .system
        )
    }
}

extension AuthenticationMethod {
    static func session(
        backend: String,
        cachedFor: Duration,
        allowInsecureLoopback: Bool,
        transport: any HTTPTransport,
        clock: Clock
    ) throws(SignInError) -> AuthenticationMethod {
        let base: Issuer
        do {
            base = try Issuer(
                backend.hasSuffix("/") ? String(backend.dropLast()) : backend,
                allowInsecureLoopback: allowInsecureLoopback
            )
        } catch {
            throw SignInError(.misconfigured(.backendInvalid))
        }
        let seconds = min(max(0, cachedFor / .seconds(1)), 30)
        return AuthenticationMethod(
            kind: .session(
                SessionAuthentication(
                    base: base,
                    transport: transport,
                    answers: SessionAnswers(life: seconds),
                    clock: clock
                )
            )
        )
    }

    static func accessToken(
        issuer: String,
        audience: String,
        scopes: [String],
        roles: RoleMapping,
        algorithms: [String],
        types: [String],
        proofs: ProofsOfPossession?,
        allowInsecureLoopback: Bool,
        transport: any HTTPTransport,
        clock: Clock
    ) throws(SignInError) -> AuthenticationMethod {
        let allowed = Set(algorithms.compactMap(SignatureAlgorithm.init(rawValue:)))
        let kinds = Set(types.compactMap(JWTType.init(rawValue:)))
        guard !allowed.isEmpty, allowed.count == Set(algorithms).count, !audience.isEmpty,
            !kinds.isEmpty, kinds.count == Set(types).count,
            kinds.isSubset(of: [.accessToken, .jwt])
        else {
            throw SignInError(.misconfigured(.verificationInvalid))
        }
        let required: Scope
        do {
            required = try Scope(scopes.joined(separator: " "))
        } catch {
            throw SignInError(.misconfigured(.scopeInvalid))
        }
        let verifier = try AccessTokenVerifier(
            issuer: issuer,
            audience: audience,
            algorithms: allowed,
            types: kinds,
            allowInsecureLoopback: allowInsecureLoopback,
            transport: transport,
            now: { clock.moment().now }
        )
        return AuthenticationMethod(
            kind: .accessToken(
                AccessTokenAuthentication(
                    verifier: verifier,
                    required: required,
                    mapping: roles,
                    proofs: proofs.map { PresentedProofs($0, clock: clock) }
                )
            )
        )
    }
}

/// Whether a request with a cookie may be the person's own, and not that of a foreign page (Fetch
/// Metadata §2.3; OWASP ASVS 3.5).
enum CrossSiteRule {
    /// - Parameter mayBeApp: Whether a program that is no browser may have such a cookie.
    static func permits(_ request: Request, ofApp mayBeApp: Bool = false) -> Bool {
        isSafe(request) || isOwn(request.headers) || mayBeApp && isOfNoBrowser(request.headers)
    }

    /// Browsers say where a request that is not safe comes from, by one field or the other.
    private static func isOfNoBrowser(_ fields: HTTPFields) -> Bool {
        let told: [HTTPField.Name] = [.origin, .fetchSite, .fetchMode, .fetchDestination]
        return !told.contains(where: fields.contains)
    }

    /// Changes nothing (RFC 9110 §9.2.1). A request to open a WebSocket is not safe: data is then
    /// read and written through it.
    private static func isSafe(_ request: Request) -> Bool {
        guard !request.headers.contains(.upgrade) else { return false }
        switch request.method {
        case .get, .head, .options: return true
        default: return false
        }
    }

    /// Browsers let no page set the one, and the other only if this service allows it by CORS.
    private static func isOwn(_ fields: HTTPFields) -> Bool {
        if fields[values: .portico] == ["1"] { return true }
        let sites = fields[values: .fetchSite]
        return sites == ["same-origin"] || sites == ["none"]
    }
}
