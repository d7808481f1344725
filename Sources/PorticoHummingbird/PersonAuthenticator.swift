public import Hummingbird
import PorticoProtocol

/// Admits requests of people who are signed in, and provides the person to the routes.
///
/// It fails closed: without a valid session or access token, no protected route is reached. If the
/// backend or the issuer cannot be reached, it answers 503.
///
/// A request that could change something and has the session's cookie must also come from the same
/// origin, or have the field `X-Portico: 1`: a foreign page can make the browser send the person's
/// cookie, but can add neither of these (Fetch Metadata §2.3).
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
        do throws(Refusal) {
            context.person = try await person(of: request)
        } catch {
            return error.response
        }
        return try await next(request, context)
    }

    private func person(of request: Request) async throws(Refusal) -> AuthenticatedPerson {
        let presented = PresentedCredentials(request.headers, cookie: sessions?.cookieName)
        switch presented {
        case .bearer(let token):
            if let authentication = accessTokenAuthentication(for: token) {
                return try await authentication.person(of: token)
            }
            guard let sessions else { throw invalid }
            return try await sessions.person(of: presented)
        case .cookie:
            guard let sessions else { throw challenges.missing }
            guard CrossSiteRule.permits(request) else { throw .crossSite }
            return try await sessions.person(of: presented)
        case .none: throw challenges.missing
        case .malformed: throw invalid
        }
    }

    /// Of several issuers, the one that the token names; only that issuer's keys can confirm it.
    private func accessTokenAuthentication(for token: String) -> AccessTokenAuthentication? {
        let isSession = sessions != nil && token.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 2
        guard !isSession, let first = accessTokens.first else { return nil }
        guard accessTokens.count > 1 else { return first }
        return accessTokens.first { $0.isNamed(in: token) } ?? first
    }

    /// The request has a token, but not an accepted one.
    private var invalid: Refusal {
        accessTokens.isEmpty && sessions != nil
            ? challenges.noSession(.unknown) : challenges.invalidToken
    }

    private var challenges: Challenges {
        Challenges(
            issuer: accessTokens.first?.issuer ?? sessions?.backend ?? "",
            takesSessions: sessions != nil
        )
    }
}
