import PorticoBytes

/// An `application/x-www-form-urlencoded` body or query, parameter by parameter
/// (RFC 6749 §3.1, §3.2).
package struct FormParameters: Sendable {
    private var parameters: [(name: String, value: String)] = []
    private var repeated: [String] = []

    /// The most parameters a request may have.
    package static let maximumCount = 100

    package init() {}

    /// - Throws: `invalid_request` if the text is not form-encoded UTF-8, holds NUL, or has too
    ///   many parameters or a long one that is not ASCII (``ForeignText``). Repeats are kept for
    ///   ``value(_:)`` and ``refuseRepeats()`` to find.
    package init(decoding text: some Collection<UInt8>) throws(OAuthError) {
        let result = withBytes(of: text) { text in
            Result<Self, OAuthError> { () throws(OAuthError) in try Self(decoding: text) }
        }
        self = try result.get()
    }

    private init(decoding text: UnsafeBufferPointer<UInt8>) throws(OAuthError) {
        var rest = text[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
            let pair = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            guard !pair.isEmpty else { continue }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let valueStart = min(equals + 1, pair.endIndex)
            guard let name = FormEncoding.decode(pair[..<equals]) else {
                throw OAuthError(
                    .invalidRequest,
                    "The parameters are not form-encoded UTF-8, or too long."
                )
            }
            guard let value = FormEncoding.decode(pair[valueStart...]) else {
                throw OAuthError(
                    .invalidRequest,
                    parameter: Self.known(name),
                    "is not form-encoded UTF-8, or too long."
                )
            }
            guard parameters.count < Self.maximumCount else {
                throw OAuthError(.invalidRequest, "There are too many parameters.")
            }
            append(name, value)
        }
    }

    package init(_ parameters: [(name: String, value: String)]) {
        for (name, value) in parameters { append(name, value) }
    }

    /// The value of a parameter. An empty value counts as omitted (RFC 6749 §3.1).
    ///
    /// - Throws: `invalid_request` if the parameter is repeated (RFC 6749 §3.1).
    package func value(_ name: String) throws(OAuthError) -> String? {
        guard !repeated.contains(where: { sameBytes($0, name) }) else {
            throw Self.repeats(name)
        }
        return self[name]
    }

    /// The first value of a parameter, repeated or not, for callers that have refused repeats.
    package subscript(name: String) -> String? {
        for parameter in parameters where sameBytes(parameter.name, name) {
            return parameter.value.isEmpty ? nil : parameter.value
        }
        return nil
    }

    /// - Throws: `invalid_request` if the parameter is missing, empty or repeated.
    package func required(_ name: StaticString) throws(OAuthError) -> String {
        guard let value = try value("\(name)") else {
            throw OAuthError(.invalidRequest, parameter: name, "is missing.")
        }
        return value
    }

    /// - Throws: `invalid_request` if any parameter is repeated (RFC 6749 §3.2).
    package func refuseRepeats() throws(OAuthError) {
        if let first = firstRepeated { throw Self.repeats(first) }
    }

    /// The name of a parameter that is given more than once, as the request spells it.
    package var firstRepeated: String? { repeated.first }

    private static func repeats(_ name: String) -> OAuthError {
        OAuthError(.invalidRequest, parameter: known(name), "is given more than once.")
    }

    /// The name of a parameter as a literal, to be told to its sender: a refusal repeats no text of
    /// the request.
    package static func known(_ name: String) -> StaticString {
        names.first { name.utf8.elementsEqual("\($0)".utf8) } ?? "A parameter"
    }

    /// The parameters that are read anywhere.
    private static let names: [StaticString] = [
        "access_token", "acr_values", "action", "actor_token", "actor_token_type", "app",
        "audience",
        "claims", "client_assertion", "client_assertion_type", "client_id", "client_secret", "code",
        "code_challenge", "code_challenge_method", "code_verifier", "dpop_jkt", "error",
        "grant_type",
        "handle", "id_token_hint", "iss", "kc_action", "login_hint", "logout_hint", "logout_token",
        "max_age", "nonce", "password", "platform", "post_logout_redirect_uri", "prompt",
        "redirect_uri", "refresh_token", "registration", "remember", "request", "request_uri",
        "requested_token_type", "resource", "response_mode", "response_type", "return_to", "scope",
        "session_state", "state", "subject_token", "subject_token_type", "token", "token_type_hint",
        "ui_locales", "username",
    ]

    /// Whether a parameter is present, even without a value.
    package func contains(_ name: String) -> Bool {
        parameters.contains { sameBytes($0.name, name) }
    }

    /// All parameters in the order given.
    package var all: [(name: String, value: String)] { parameters }

    private mutating func append(_ name: String, _ value: String) {
        if contains(name) { repeated.append(name) }
        parameters.append((name, value))
    }
}
