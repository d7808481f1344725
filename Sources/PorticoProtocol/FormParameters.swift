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
            guard let name = FormEncoding.decode(pair[..<equals]),
                let value = FormEncoding.decode(pair[valueStart...])
            else {
                throw OAuthError(
                    .invalidRequest,
                    "The parameters are not form-encoded UTF-8, or too long."
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
            throw OAuthError(.invalidRequest, "A parameter is given more than once.")
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
    package func required(_ name: String) throws(OAuthError) -> String {
        guard let value = try value(name) else {
            throw OAuthError(.invalidRequest, "A required parameter is missing.")
        }
        return value
    }

    /// - Throws: `invalid_request` if any parameter is repeated (RFC 6749 §3.2).
    package func refuseRepeats() throws(OAuthError) {
        guard repeated.isEmpty else {
            throw OAuthError(.invalidRequest, "A parameter is given more than once.")
        }
    }

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
