import PorticoBytes
import PorticoProtocol

/// The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect
/// Core §3.1.2.1).
struct AuthorizationParameters {
    let clientID: String
    let redirectURI: String
    let scopes: [ScopeToken]
    let state: SecretText
    let nonce: SecretText
    let challenge: CodeChallenge
    let request: SignInRequest
    let supportsClaims: Bool

    var all: [(name: String, value: String)] {
        var all: [(name: String, value: String)] = [
            ("response_type", "code"),
            ("client_id", clientID),
            ("redirect_uri", redirectURI),
            ("scope", scopes.map(\.text).joined(separator: " ")),
            ("state", state.reveal()),
            ("nonce", nonce.reveal()),
            // S256 is the only method, and a request is never retried without a challenge (RFC 7636
            // §5).
            ("code_challenge", challenge.text),
            ("code_challenge_method", "S256"),
        ]
        if let hint = request.loginToken?.reveal() ?? request.loginHint {
            all.append(("login_hint", hint))
        }
        append("prompt", request.prompt.map(\.text), to: &all)
        if let seconds = request.maxAgeSeconds { all.append(("max_age", String(seconds))) }
        append("acr_values", request.acr.map(\.text), to: &all)
        append("ui_locales", request.uiLocales, to: &all)
        // "acr_values" is voluntary; only "claims" can demand (OpenID Connect Core §5.5.1.1).
        if !request.acr.isEmpty, supportsClaims { all.append(("claims", essentialACR)) }
        return all
    }

    private func append(
        _ name: String,
        _ values: [String],
        to all: inout [(name: String, value: String)]
    ) {
        guard !values.isEmpty else { return }
        all.append((name, values.joined(separator: " ")))
    }

    private var essentialACR: String {
        let values = request.acr.map { JSONValue.string($0.text) }
        let acr: JSONObject = ["essential": true, "values": .array(values)]
        let claims: JSONObject = ["id_token": ["acr": .object(acr)]]
        return String(decoding: claims.serialized(), as: UTF8.self)
    }
}
