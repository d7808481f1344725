import PorticoBytes

/// Parameters of an authorization request that a provider has beyond the standards.
struct FurtherParameters {
    /// In the order of their names.
    let all: [(name: String, value: String)]

    /// What the library sends or must not be sent: setting it could undo the library's checks
    /// (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 9101 §5, RFC 9126 §4, OpenID Connect Core §3.1.2.1).
    private static let reserved: Set<String> = [
        "response_type", "response_mode", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri", "registration",
        "login_hint", "login_hint_token", "id_token_hint", "prompt", "max_age", "acr_values",
        "claims", "ui_locales", "dpop_jkt",
    ]

    /// - Throws: misconfigured(.parameterReserved), misconfigured(.parameterInvalid)
    init(_ options: [String: String], _ request: [String: String]) throws(SignInError) {
        let parameters = options.merging(request) { _, own in own }
        for (name, value) in parameters {
            // RFC 6749 appendix A: a name has letters, digits and these.
            guard (1...64).contains(name.utf8.count),
                name.utf8.allSatisfy({ $0.isLetterOrDigit || "-._".utf8.contains($0) }),
                value.utf8.count <= 2048
            else { throw SignInError(.misconfigured(.parameterInvalid)) }
            let folded = name.lowercased()
            guard !Self.reserved.contains(folded), !folded.hasPrefix("client_") else {
                throw SignInError(.misconfigured(.parameterReserved))
            }
        }
        all = parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
