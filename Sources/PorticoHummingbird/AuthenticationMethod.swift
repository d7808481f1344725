import PorticoBytes
public import Portico
import PorticoOutbound
public import PorticoProtocol

/// What a request to a service may bring to prove who makes it.
public struct AuthenticationMethod: Sendable {
    enum Kind: Sendable {
        case session(SessionAuthentication)
        case accessToken(AccessTokenAuthentication)
    }

    let kind: Kind

    /// A session at a backend-for-frontend: the browser's cookie `__Host-session`, or an app's
    /// session token as `Authorization: Bearer`. The backend is asked for each; nothing but the
    /// cookie or the token is sent to it.
    ///
    /// The cookie reaches a service only under the backend's own host, behind one proxy.
    ///
    /// - Parameters:
    ///   - backend: An https address without query.
    ///   - cachedFor: How long the backend's word that a session is live holds here, at most half a
    ///     minute: for so long a session that was ended elsewhere is still admitted. Zero asks each
    ///     time.
    ///   - allowInsecureLoopback: An `http` backend will do on this machine, with the cookie
    ///     `portico-dev-session`.
    ///   - transport: Sends the questions; libcurl where there is none.
    /// - Throws: misconfigured, where the address can be no backend's.
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

    /// An access token of an OpenID provider, verified here with the provider's keys (RFC 9068 §4).
    ///
    /// Whether it was revoked is not asked: it is good until it expires.
    ///
    /// - Parameters:
    ///   - issuer: To the letter as the provider writes it.
    ///   - audience: What `aud` must name: this service.
    ///   - scopes: All of these must be granted, else 403 `insufficient_scope`.
    ///   - roles: Where roles stand among the claims.
    ///   - algorithms: Of `ES256`, `EdDSA`, `RS256` and `PS256` those that are taken.
    ///   - types: What the token's header may say that it is: `at+jwt`, or also `JWT`, for issuers
    ///     that write it, as Keycloak does. There the claim `typ` must be `Bearer`.
    ///   - allowInsecureLoopback: An `http` issuer will do on this machine.
    ///   - transport: Fetches metadata and keys; libcurl where there is none.
    /// - Throws: misconfigured, where the address can be no issuer's, or nothing could ever pass.
    public static func accessToken(
        issuer: String,
        audience: String,
        scopes: [String] = [],
        roles: RoleMapping = .keycloak,
        algorithms: [String] = ["ES256", "EdDSA", "RS256", "PS256"],
        types: [String] = ["at+jwt"],
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
                AccessTokenAuthentication(verifier: verifier, required: required, mapping: roles)
            )
        )
    }
}
