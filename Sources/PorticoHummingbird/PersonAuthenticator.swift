public import Hummingbird
import PorticoProtocol

/// Admits requests of people who are signed in, and tells the routes behind it who it is.
///
/// It fails closed: without a session or an access token that was found good, no route behind it is
/// reached. Where the backend or the issuer cannot be asked it answers 503.
///
/// A request that could change something and comes with the session's cookie must also come from the
/// same origin, or bring the field `X-Portico: 1`: a page of somebody else's can send the person's
/// cookie along, but neither of these (Fetch Metadata §2.3).
public struct PersonAuthenticator<Context: PersonRequestContext>: RouterMiddleware {
    private let sessions: SessionAuthentication?
    private let accessTokens: [AccessTokenAuthentication]

    /// - Parameter methods: What a request may bring: at most one kind of session, and access tokens
    ///   of any number of issuers. A request that brings a token of three parts brings an access
    ///   token; where none are taken, it is a session's.
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

    /// Of several issuers the one that the token names; only its own keys can make that true.
    private func accessTokenAuthentication(for token: String) -> AccessTokenAuthentication? {
        let isSession = sessions != nil && token.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 2
        guard !isSession, let first = accessTokens.first else { return nil }
        guard accessTokens.count > 1 else { return first }
        return accessTokens.first { $0.isNamed(in: token) } ?? first
    }

    /// There is a token, and it is none that is taken here.
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
