import HTTPTypes
public import Hummingbird
public import PorticoProtocol

/// Admits requests of people who are signed in, and provides the person to the routes.
///
/// It fails closed: without a valid session or access token, no protected route is reached. If the
/// backend or the issuer cannot be reached, it answers 503.
///
/// A request that could change something and has the session's cookie must also come from the same
/// origin, or have the field `X-Portico: 1`: a foreign page can make the browser send the person's
/// cookie, but can add neither of these (Fetch Metadata §2.3). An app that has only the cookie `sid` and
/// is no browser needs neither.
public struct PersonAuthenticator<Context: PersonRequestContext>: RouterMiddleware {
    private let sessions: SessionAuthentication?
    private let accessTokens: [AccessTokenAuthentication]

    /// - Parameter methods: The accepted credentials: at most one kind of session, and access
    ///   tokens of any number of issuers. A token of three parts counts as an access token; if none
    ///   are accepted, as a session token.
    public init(_ methods: AuthenticationMethod...) {
        var sessions: SessionAuthentication?
        var accessTokens: [AccessTokenAuthentication] = []
        for method in methods {
            switch method.kind {
            case .session(let authentication): sessions = sessions ?? authentication
            case .accessToken(let authentication): accessTokens.append(authentication)
            }
        }
        self.sessions = sessions
        self.accessTokens = accessTokens
    }

    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.person = nil
        let presented = PresentedCredentials(
            request.headers,
            cookies: sessions?.cookieNames ?? [],
            takesProofs: takesProofs
        )
        let authentication = accessTokenAuthentication(for: presented)
        do throws(Refusal) {
            context.person = try await person(of: presented, authentication, in: request)
        } catch {
            return error.response
        }
        var response = try await next(request, context)
        if case .proven = presented, let nonce = authentication?.proofs?.nonce {
            // For the next request (RFC 9449 §8.2).
            response.headers[.dpopNonce] = nonce
        }
        return response
    }

    private func person(
        of presented: PresentedCredentials,
        _ authentication: AccessTokenAuthentication?,
        in request: Request
    ) async throws(Refusal) -> AuthenticatedPerson {
        switch presented {
        case .bearer(let token):
            if let authentication {
                return try await authentication.person(of: token, provenIn: nil)
            }
            guard let sessions else { throw invalid }
            return try await sessions.person(of: presented)
        case .proven(let token):
            guard let authentication else { throw invalid }
            return try await authentication.person(of: token, provenIn: request)
        case .cookies(let cookies):
            guard let sessions else { throw challenges.missing }
            // Libraries of apps that are there have no other cookie, and cannot add a field.
            let mayBeApp = cookies.map(\.name) == [PresentedCredentials.SessionCookie.byHandle]
            guard CrossSiteRule.permits(request, ofApp: mayBeApp) else { throw .crossSite }
            return try await sessions.person(of: presented)
        case .none: throw challenges.missing
        case .malformed: throw invalid
        }
    }

    /// Of several issuers, the one that the token names; only that issuer's keys can confirm it.
    private func accessTokenAuthentication(for presented: PresentedCredentials)
        -> AccessTokenAuthentication?
    {
        switch presented {
        case .bearer(let token)
        where sessions == nil || token.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2,
            .proven(let token):
            guard accessTokens.count > 1 else { return accessTokens.first }
            return accessTokens.first { $0.isNamed(in: token) } ?? accessTokens.first
        default: return nil
        }
    }

    /// The request has a token, but not an accepted one.
    private var invalid: Refusal {
        accessTokens.isEmpty && sessions != nil
            ? challenges.noSession(.unknown) : challenges.invalidToken
    }

    private var challenges: Challenges {
        Challenges(
            issuer: accessTokens.first?.issuer ?? sessions?.backend ?? "",
            takesSessions: sessions != nil,
            proofs: accessTokens.lazy.compactMap(\.proofs).first
        )
    }

    private var takesProofs: Bool { accessTokens.contains { $0.proofs != nil } }
}

/// A request context with the person who makes the request. ``PersonAuthenticator`` sets it.
public protocol PersonRequestContext: RequestContext {
    /// The person who makes the request; `nil` if the route has no ``PersonAuthenticator`` before
    /// it.
    var person: AuthenticatedPerson? { get set }
}

extension PersonRequestContext {
    /// The person who makes the request.
    ///
    /// - Throws: An ``AdmissionRefusal`` that answers 401 if no person was admitted.
    public func requirePerson() throws(AdmissionRefusal) -> AuthenticatedPerson {
        guard let person else { throw .unauthorized }
        return person
    }

    /// The person who makes the request, if they have a role.
    ///
    /// - Parameters:
    ///   - role: Must match exactly.
    ///   - owner: The realm, or a client by its `client_id`.
    /// - Throws: An ``AdmissionRefusal`` that answers 401 if no person was admitted, 403 if the
    ///   person does not have that role.
    public func requirePerson(with role: String, in owner: RoleOwner = .realm)
        throws(AdmissionRefusal) -> AuthenticatedPerson
    {
        let person = try requirePerson()
        guard person.roles.contains(role, in: owner) else { throw .forbidden }
        return person
    }
}

/// The smallest ``PersonRequestContext``, for a service that needs nothing else.
public struct BasicPersonContext: PersonRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var person: AuthenticatedPerson?

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
