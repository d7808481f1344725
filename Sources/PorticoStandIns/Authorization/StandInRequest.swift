import PorticoBytes
import PorticoProtocol

/// An authorization request with a proven client and redirect URI (RFC 6749 §4.1.1).
struct StandInRequest: Sendable {
    let kind: StandInKind
    let client: StandInClient
    let redirectURI: String
    let state: String?
    let nonce: String?
    let scopes: [String]
    let challenge: CodeChallenge?
    /// Whether the answer is posted by the browser (OAuth 2.0 Form Post Response Mode).
    let isFormPost: Bool
    /// Google: `access_type=offline`; others: the scope `offline_access`.
    let isOffline: Bool
    let prompts: [String]
    let loginHint: String?

    /// An error that is sent to the proven redirect URI (RFC 6749 §4.1.2.1).
    struct Denial: Error {
        let code: String
        let request: StandInRequest
    }

    /// - Throws: ``StandInRefusal/page(_:)`` for nearly every error: Google, Facebook and Apple
    ///   show a page for these.
    init(_ call: StandInCall, client: StandInClient?) throws {
        let parameters = call.query
        guard (try? parameters.refuseRepeats()) != nil else {  // `try?`: any repeat is one too many
            throw StandInRefusal.page("A parameter is given more than once.")
        }
        guard let client else { throw StandInRefusal.page("invalid_client: no such application.") }
        guard let redirectURI = parameters["redirect_uri"],
            client.redirectURIs.contains(where: { sameBytes($0, redirectURI) })
        else {
            throw StandInRefusal.page(
                "redirect_uri_mismatch: this redirect URI is not registered, to the letter."
            )
        }
        kind = call.kind
        self.client = client
        self.redirectURI = redirectURI
        state = parameters["state"]
        nonce = parameters["nonce"]
        loginHint = parameters["login_hint"]
        prompts = Self.words(parameters["prompt"], " ")
        scopes = Self.words(parameters["scope"], kind == .facebook ? ", " : " ")
        isOffline =
            kind == .google
            ? parameters["access_type"] == "offline"
            : kind == .apple || scopes.contains("offline_access")
        isFormPost = parameters["response_mode"] == "form_post"
        let types = Self.words(parameters["response_type"], " ")
        challenge = try Self.challenge(parameters, kind)
        try check(types, parameters)
    }

    private func check(_ types: [String], _ parameters: FormParameters) throws {
        // Only Facebook has a default.
        guard types == ["code"] || kind == .facebook && types.isEmpty else {
            guard kind == .openID else {
                throw StandInRefusal.page("invalid_request: the response_type must be code.")
            }
            throw Denial(code: "unsupported_response_type", request: self)
        }
        let mode = parameters["response_mode"]
        guard mode == nil || mode == "query" || isFormPost && kind != .facebook else {
            throw StandInRefusal.page("invalid_request: there is no such response_mode here.")
        }
        switch kind {
        case .google:
            guard !scopes.isEmpty else {
                throw StandInRefusal.page("invalid_request: the scope is missing.")
            }
        case .apple:
            guard scopes.allSatisfy(["openid", "name", "email"].contains) else {
                throw StandInRefusal.page("invalid_scope: only name and email can be asked for.")
            }
            // PRV-A-3.
            guard isFormPost || scopes.allSatisfy({ $0 == "openid" }) else {
                throw StandInRefusal.page(
                    "response_mode must be form_post when name or email scope is requested."
                )
            }
        case .facebook, .openID: break
        }
    }

    /// RFC 7636 §4.3, with S256 only; Apple does not support it (PRV-A-21).
    private static func challenge(_ parameters: FormParameters, _ kind: StandInKind) throws
        -> CodeChallenge?
    {
        guard kind != .apple, let text = parameters["code_challenge"] else { return nil }
        guard parameters["code_challenge_method"] == "S256", let challenge = CodeChallenge(text)
        else {
            throw StandInRefusal.page("invalid_request: the code_challenge is not one of S256.")
        }
        return challenge
    }

    private static func words(_ text: String?, _ separators: String) -> [String] {
        (text ?? "").split { separators.contains($0) }.map(String.init)
    }
}
