import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A refused authorization request. Where the error may be sent depends on what is proven: nothing
/// is ever sent to a redirect URI that a known client has not registered (RFC 6749 §4.1.2.1, RFC
/// 9700 §4.11.2).
enum AuthorizationRefusal: Refusal {
    /// The client or redirect URI is unknown: a page on our own origin, no redirect.
    case page(OAuthError, client: String?, RedirectProblem?)
    /// Both are proven: the error goes to the redirect URI.
    case redirect(OAuthError, AuthorizationTarget)

    /// Which of the two is unknown, for the text of the page.
    enum RedirectProblem: Sendable {
        case unknownClient
        case unknownRedirect
    }
}

/// Renders the page for errors that must not be sent back. ``ProviderService`` sends those for the
/// redirect URI.
extension AuthorizationRefusal {
    var error: OAuthError {
        switch self {
        case .page(let error, _, _), .redirect(let error, _): error
        }
    }

    var name: String { error.code.rawValue }
    var status: HTTPResponse.Status { .badRequest }
    var reason: String? { error.description }

    var issue: ErrorPage.Issue {
        switch self {
        case .page(_, _, .unknownClient): .unknownClient
        case .page(_, _, .unknownRedirect): .unknownRedirect
        case .page(_, _, nil), .redirect: .requestNotUnderstood
        }
    }

    func page(at moment: Moment) -> any Page {
        let clientID: String? = if case .page(_, let id, _) = self { id } else { nil }
        return ErrorPage(issue: issue, details: .init(error, clientID: clientID, at: moment))
    }
}

extension ErrorPage.Details {
    /// The description is for the app's developer: it names the broken rule.
    init(_ error: OAuthError, clientID: String?, at moment: Moment) {
        self.init(
            code: error.code.rawValue,
            description: error.description,
            clientID: clientID,
            time: moment.now
        )
    }
}

extension ProvenRequest {
    /// A person's own word that they do not go on. Clients of the AT Protocol tell it by these words of
    /// its servers: other ends have the same error.
    func declined(_ words: StaticString) -> AuthorizationRefusal {
        let words: StaticString =
            asked.client.scopeRule == .atProtocol ? "The user rejected the request" : words
        return .redirect(OAuthError(.accessDenied, words), target)
    }
}
