package import PorticoProtocol

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
