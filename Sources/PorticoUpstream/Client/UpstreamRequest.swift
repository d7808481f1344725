package import Portico

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

extension SignInError.Check {
    /// `hd` is missing or names another organisation (PRV-G-4).
    package static let hostedDomain = Self("The account is not of an organisation that is allowed.")
    /// The provider refused an access token as invalid (PRV-F-16).
    package static let accessToken = Self("The provider does not accept the access token.")
    /// An access token is not accepted as proof (PRV-N-3), or was made for another app (PRV-F-4).
    package static let nativeToken = Self("This token is no proof of a sign-in at this provider.")
    /// `c_hash` does not match the code (OpenID Connect Core §3.3.2.10).
    package static let codeHash = Self("The ID Token belongs to another code.")
    /// The profile does not have the Graph API's form.
    package static let profile = Self("The provider's profile is malformed.")
}

extension SignInError.Hint {
    /// The secret is missing, of a kind that the provider does not accept, or cannot sign.
    package static let providerSecret =
        Self("The provider's client secret or key is missing, or not one that it accepts.")
}
