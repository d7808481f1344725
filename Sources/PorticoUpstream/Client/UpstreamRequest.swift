import Portico

/// The options of one sign-in at a provider. Anything else cannot be passed on (WEB-BFF-10).
package struct UpstreamRequest: Hashable, Sendable {
    package var prompt: Prompt?
    /// The person whom we expect to sign in, for instance their email address.
    package var loginHint: String?
    /// How many seconds ago the person may have authenticated; zero: now.
    package var maxAge: Int64?
    /// BCP 47 tags, best first.
    package var uiLocales: [String]

    package enum Prompt: String, Hashable, Sendable {
        case selectAccount = "select_account"
        case login
        case consent
        /// Begin by creating an account (Initiating User Registration via OpenID Connect §4.1).
        case create
    }

    /// The person must authenticate now, whatever session the provider still has (WEB-SESS-8). The
    /// request proves nothing: a recent ``ProvenPerson/authenticatedAt`` does.
    package static let reauthentication = UpstreamRequest(prompt: .login, maxAge: 0)

    package init(
        prompt: Prompt? = nil,
        loginHint: String? = nil,
        maxAge: Int64? = nil,
        uiLocales: [String] = []
    ) {
        self.prompt = prompt
        self.loginHint = loginHint
        self.maxAge = maxAge
        self.uiLocales = uiLocales
    }

    /// The request in this provider's terms.
    func signInRequest(to provider: IdentityProvider) -> SignInRequest {
        var request = SignInRequest(loginHint: loginHint, prompt: provider.prompts)
        let prompt = prompt == .login ? provider.loginPrompt : prompt?.signInPrompt
        if let prompt, !request.prompt.contains(prompt) { request.prompt.insert(prompt, at: 0) }
        if provider.tellsAuthTime { request.maxAge = maxAge.map { .seconds(max($0, 0)) } }
        request.uiLocales = uiLocales
        return request
    }
}

extension UpstreamRequest.Prompt {
    fileprivate var signInPrompt: SignInRequest.Prompt {
        switch self {
        case .selectAccount: .selectAccount
        case .login: .login
        case .consent: .consent
        case .create: .create
        }
    }
}
