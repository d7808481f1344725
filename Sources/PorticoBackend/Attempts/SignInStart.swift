import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoUpstream
import PorticoWeb

/// Begins a sign-in at an identity provider: makes the address to open, and the attempt's cookies.
struct SignInStart: Sendable {
    let cookies: AttemptCookies
    /// The public origin, without a trailing slash.
    let origin: String

    struct Started: Sendable {
        let address: String
        let state: String
        let clientID: String
        let scopes: [String]
        let cookies: [HTTPField]
    }

    /// - Throws: `SignInError` if the provider cannot be reached, or its settings are wrong.
    func callAsFunction(
        at provider: BackendDirectory.LiveProvider,
        backTo signInReturn: SignInReturn,
        _ request: UpstreamRequest,
        _ context: BackendContext
    ) async throws -> Started {
        var redirectURI = "\(origin)/v1/auth/\(provider.name)/callback"
        if case .link = signInReturn.destination { redirectURI += "/link" }
        let begun = try await provider.client.begin(
            redirectURI: redirectURI,
            request,
            at: context.moment
        )
        return Started(
            address: begun.address,
            state: begun.attempt.state.reveal(),
            clientID: begun.clientID,
            scopes: begun.scopes,
            cookies: try cookies.begin(
                begun.attempt,
                signInReturn,
                context.headers,
                at: context.moment
            )
        )
    }
}
