package import PorticoBytes

/// An authorization request with a checked client and redirect URI (RFC 6749 §4.1.1, OpenID Connect
/// Core §3.1.2.1, RFC 7636 §4.3).
package struct AuthorizationRequest: Sendable {
    package let scope: Scope
    package let nonce: String?
    /// `nil` if the request has no `code_challenge`; the method is always S256.
    package let challenge: CodeChallenge?
    package let prompt: Set<Prompt>
    /// The maximum age of the authentication, in seconds.
    package let maxAge: Int64?
    package let loginHint: String?
    package let idTokenHint: String?
    /// BCP 47 tags, best first.
    package let uiLocales: [String]
    package let acrValues: [String]
    package let claims: ClaimsRequest?
    /// `dpop_jkt`: the key that the token request will prove (RFC 9449 §10).
    package let dpopKey: JWKThumbprint?
    /// Of a pushed request: what stands for the key that its client authenticated with. The endpoint
    /// for those puts it in, and takes away what a client sends by this name.
    package let clientKey: Hash256?

    package static let clientKeyName = "client_key"

    /// Reads the parameters other than client and redirect URI, in the order of the standards.
    ///
    /// - Parameter ignoresUnknownPrompts: Whether a `prompt` that is not served here counts as none,
    ///   as it does for Keycloak.
    /// - Throws: The error for the redirect URI: `invalid_request`, `unsupported_response_type`,
    ///   `invalid_scope`, `request_not_supported`, `request_uri_not_supported`,
    ///   `registration_not_supported`.
    package init(_ form: FormParameters, ignoresUnknownPrompts: Bool = false) throws(OAuthError) {
        try form.refuseRepeats()
        try Self.refuseUnsupported(form)
        try Self.checkResponseType(form)
        scope = try Scope(form["scope"] ?? "")
        nonce = try Self.bounded("nonce", of: form, 255)
        challenge = try Self.challenge(form)
        prompt = try Self.prompt(form["prompt"], ignoresUnknownPrompts)
        maxAge = try Self.maxAge(form["max_age"])
        loginHint = try Self.bounded("login_hint", of: form, 1024)
        idTokenHint = try Self.bounded("id_token_hint", of: form, JWS.standardLimit)
        uiLocales = Self.list(form["ui_locales"], most: 10)
        acrValues = Self.list(form["acr_values"], most: 10)
        claims = try form["claims"].map { text throws(OAuthError) in try ClaimsRequest(text) }
        dpopKey = try Self.dpopKey(form["dpop_jkt"])
        let bytes = form[Self.clientKeyName].flatMap { Base64URL.decode($0) } ?? []
        clientKey = bytes.count == 32 ? Hash256(kept: bytes) : nil
    }

    /// OpenID Connect Core §6.1: each unsupported parameter is refused with its own error, and
    /// nothing is fetched.
    package static func refuseUnsupported(_ form: FormParameters) throws(OAuthError) {
        if form["request"] != nil {
            throw OAuthError(
                .requestNotSupported,
                "request is not supported: send the parameters themselves."
            )
        }
        if form["request_uri"] != nil {
            throw OAuthError(
                .requestURINotSupported,
                "request_uri is supported for pushed requests only."
            )
        }
        if form["registration"] != nil {
            throw OAuthError(.registrationNotSupported, "registration is not supported.")
        }
    }

    /// RFC 6749 §3.1.1: only `code` is supported, so that no token appears in a URL (RFC 9700
    /// §2.1.2).
    private static func checkResponseType(_ form: FormParameters) throws(OAuthError) {
        guard let type = form["response_type"] else {
            throw OAuthError(.invalidRequest, "response_type is missing.")
        }
        guard type == "code" else {
            throw OAuthError(.unsupportedResponseType, "Only response_type=code is served here.")
        }
    }

    /// RFC 7636 §4.3, §4.4.1. A missing method would mean `plain`, which is refused, as is every
    /// method other than S256 (docs/decisions/0032).
    private static func challenge(_ form: FormParameters) throws(OAuthError) -> CodeChallenge? {
        guard let text = form["code_challenge"] else {
            guard form["code_challenge_method"] == nil else {
                throw OAuthError(
                    .invalidRequest,
                    "code_challenge_method comes without a challenge."
                )
            }
            return nil
        }
        guard form["code_challenge_method"] == "S256" else {
            throw OAuthError(.invalidRequest, "code_challenge_method must be S256.")
        }
        guard let challenge = CodeChallenge(text) else {
            throw OAuthError(.invalidRequest, "code_challenge is not the base64url of a SHA-256.")
        }
        return challenge
    }

    private static func dpopKey(_ text: String?) throws(OAuthError) -> JWKThumbprint? {
        guard let text else { return nil }
        guard let key = JWKThumbprint(text) else {
            throw OAuthError(.invalidRequest, "dpop_jkt is not the base64url of a SHA-256.")
        }
        return key
    }

    private static func prompt(_ text: String?, _ ignoresUnknown: Bool) throws(OAuthError)
        -> Set<Prompt>
    {
        var prompts: Set<Prompt> = []
        for word in list(text, most: 10) {
            guard let prompt = Prompt(wire: word) else {
                if ignoresUnknown { continue }
                throw OAuthError(.invalidRequest, "prompt has a value that is not served here.")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw OAuthError(.invalidRequest, "prompt=none goes with no other value.")
        }
        return prompts
    }

    /// Digits only, so that no foreign number can overflow or be negative.
    private static func maxAge(_ text: String?) throws(OAuthError) -> Int64? {
        guard let text else { return nil }
        guard let seconds = Int64(digits: text.utf8, atMost: 9) else {
            throw OAuthError(.invalidRequest, "max_age is not a number of seconds.")
        }
        return seconds
    }

    private static func bounded(_ name: StaticString, of form: FormParameters, _ most: Int)
        throws(OAuthError) -> String?
    {
        guard let text = form["\(name)"] else { return nil }
        guard text.utf8.count <= most else {
            throw OAuthError(.invalidRequest, parameter: name, "is too long.")
        }
        return text
    }

    private static func list(_ text: String?, most: Int) -> [String] {
        guard let text else { return [] }
        return text.utf8.split(separator: UInt8(ascii: " ")).prefix(most).map {
            String(Substring($0))
        }
    }
}

/// `prompt` (OpenID Connect Core §3.1.2.1, Initiating User Registration via OpenID Connect §4).
package enum Prompt: String, CaseIterable, Sendable {
    case none
    case login
    case consent
    case selectAccount = "select_account"
    /// Where the realm lets people register.
    case create
}

/// `response_mode` (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode).
package enum ResponseMode: String, CaseIterable, Sendable {
    case query
    case fragment
    case formPost = "form_post"
}
