package import PorticoBytes
package import PorticoProtocol

/// What a server gives for a code or a refresh token (AT Protocol, OAuth, Tokens and Session
/// Lifetime). To us the access token is opaque.
package struct ATTokens: Sendable {
    package let access: SecretText
    /// `nil`: the one before stays (RFC 6749 §6).
    package let refresh: SecretText?
    /// Seconds from the answer on, whatever the server says; `nil` if it does not.
    package let expiresIn: Int64?
    /// With `atproto`. It may be less than what was asked for.
    package let scope: Scope
    package let subject: DID

    /// Of an answer, and of each token, in bytes.
    static let longest = 256 * 1024
    /// Real ones have 68 (refresh) and up to 576 bytes (access), but nothing bounds them: a server
    /// may use JWTs with lists of permissions for both. Tokens of a session are two at most, and an
    /// account's sessions are counted.
    private static let longestToken = JWS.standardLimit

    init(parsing body: [UInt8], _ rules: IdentityRules) throws(ATAnswerFault) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: body, limits: .foreign(size: Self.longest))
        } catch {
            throw .notTokens
        }
        let tokens: TokenResponse
        do throws(TokenResponse.Refusal) {
            tokens = try TokenResponse(json, token: "access_token", type: "dpop")
        } catch {
            throw error == .unknownTokenType ? .tokenType : .notTokens
        }
        guard Self.isKept(tokens.accessToken), tokens.refreshToken.map(Self.isKept) ?? true else {
            throw .tooLarge
        }
        guard let scope = tokens.scope, scope.contains("atproto") else { throw .scope }
        do {
            subject = try DID(json.string("sub") ?? "", rules)
        } catch {
            throw .subject
        }
        access = tokens.accessToken
        refresh = tokens.refreshToken
        expiresIn = tokens.expiresIn
        self.scope = scope
    }

    /// The refresh token of an answer that cannot be used otherwise.
    static func successor(in body: [UInt8]) -> SecretText? {
        TokenResponse.refreshToken(in: body).flatMap { isKept($0) ? $0 : nil }
    }

    private static func isKept(_ token: SecretText) -> Bool {
        token.reveal().utf8.count <= longestToken
    }
}

/// What is pushed at the beginning of a sign-in (AT Protocol, OAuth, Authorization Requests).
package struct ATAuthorization: Sendable {
    /// Random, and good for one request; nothing is kept in it.
    package let state: String
    package let challenge: CodeChallenge
    /// With `atproto`.
    package let scope: Scope
    /// What the sign-in began with. A handle or a DID is the `login_hint`: not what was typed.
    package let start: HandleInput.Start
    package let prompt: String?

    package init(
        state: String,
        challenge: CodeChallenge,
        scope: Scope,
        start: HandleInput.Start,
        prompt: String? = nil
    ) {
        self.state = state
        self.challenge = challenge
        self.scope = scope
        self.start = start
        self.prompt = prompt
    }

    func form(redirectURI: String) -> [(name: String, value: String)] {
        var form: [(name: String, value: String)] = [
            ("response_type", "code"), ("redirect_uri", redirectURI),
            ("scope", scope.text), ("state", state),
            ("code_challenge", challenge.text), ("code_challenge_method", "S256"),
        ]
        if let prompt { form.append(("prompt", prompt)) }
        return switch start {
        case .handle(let handle): form + [("login_hint", handle.text)]
        case .did(let did): form + [("login_hint", did.text)]
        case .server: form
        }
    }
}
