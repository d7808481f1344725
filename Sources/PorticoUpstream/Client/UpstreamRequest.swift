import Portico

/// What one sign-in asks of a provider. What is not here cannot be passed on (WEB-BFF-10).
package struct UpstreamRequest: Hashable, Sendable {
    package var prompt: Prompt?
    /// Whom we believe to be there, for instance an e-mail address.
    package var loginHint: String?
    /// The person must have authenticated at most so many seconds ago; zero: now.
    package var maxAge: Int64?
    /// BCP 47 tags, best first.
    package var uiLocales: [String]

    package enum Prompt: String, Hashable, Sendable {
        case selectAccount = "select_account"
        case login
        case consent
        /// Begin with a new account (Initiating User Registration via OpenID Connect §4.1).
        case create
    }

    /// The person is to authenticate now, whatever session the provider still has of somebody
    /// (WEB-SESS-8). Asking is no proof: that ``ProvenPerson/authenticatedAt`` is new is.
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

    /// As it is asked of this provider.
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
