package import PorticoBytes

/// A response received on the redirect URI, as the client reads it (RFC 6749 §4.1.2, RFC 9207
/// §2.4).
package enum AuthorizationResponse: Sendable {
    case code(SecretText)
    case error(ErrorResponse)

    /// The values of the pending request that a response must match.
    package struct Expectation: Sendable {
        package let redirectURI: String
        package let state: SecretText
        package let issuer: Issuer
        /// Whether the metadata announces `iss` (RFC 9207 §3).
        package let isIssuerAnnounced: Bool

        package init(
            redirectURI: String,
            state: SecretText,
            issuer: Issuer,
            isIssuerAnnounced: Bool
        ) {
            self.redirectURI = redirectURI
            self.state = state
            self.issuer = issuer
            self.isIssuerAnnounced = isIssuerAnnounced
        }
    }

    package enum Refusal: Error, Hashable, Sendable {
        /// Arrived at another URI (RFC 8252 §8.10). Not our response: ignored.
        case otherRedirect
        /// No state, or a different one (RFC 8252 §8.9). Not our response: ignored.
        case otherState
        /// An error with a wrong or missing `iss`: forged, and ignored (RFC 9207 §2.4).
        case forgedError
        /// A code with a wrong or missing `iss`: the attempt is over (RFC 9700 §4.4.2).
        case otherIssuer
        /// The state is correct, but this is not a response to a code request.
        case malformed

        /// Whether the attempt keeps waiting as if nothing had arrived.
        package var isIgnored: Bool {
            switch self {
            case .otherRedirect, .otherState, .forgedError: true
            case .otherIssuer, .malformed: false
            }
        }
    }

    /// Checks the redirect URI, and then as ``init(_:expecting:)-(FormParameters,_)``.
    package init(_ uri: String, expecting expectation: Expectation) throws(Refusal) {
        guard let query = Self.response(in: uri, to: expectation.redirectURI) else {
            throw .otherRedirect
        }
        let parameters: FormParameters
        do {
            parameters = try FormParameters(decoding: query.utf8)
        } catch {
            throw .otherState
        }
        try self.init(parameters, expecting: expectation)
    }

    /// Checks in the order state, `iss`, error, code: nothing is used before the state is correct,
    /// and no code is read before the issuer is. The caller must first check at which redirect URI
    /// the parameters arrived, in a query or a form.
    package init(_ parameters: FormParameters, expecting expectation: Expectation)
        throws(Refusal)
    {
        let state: String?
        do {
            state = try parameters.value("state")
        } catch {
            throw .otherState
        }
        // RFC 6749 §10.12, RFC 8252 §8.9: this does not answer our request.
        guard let state, expectation.state == SecretText(state) else { throw .otherState }
        // RFC 9207 §2.4: before the error is shown, and before the code is sent.
        // An empty parameter counts as omitted (RFC 6749 §3.1).
        let isError = parameters["error"] != nil
        guard Self.isFrom(expectation, parameters) else {
            throw isError ? .forgedError : .otherIssuer
        }
        do {
            try parameters.refuseRepeats()
        } catch {
            throw .malformed
        }
        // We requested only a code; an attacker injected these tokens (RFC 9700 §4.6).
        guard !parameters.contains("access_token"), !parameters.contains("id_token"),
            !parameters.contains("response")
        else { throw .malformed }
        switch (parameters["code"], parameters["error"]) {
        case (let code?, nil): self = .code(SecretText(code))
        case (nil, let error?) where error.utf8.count <= 256:
            self = .error(ErrorResponse(error, in: parameters))
        default: throw .malformed
        }
    }

    /// Compared byte for byte if present, and required if announced (RFC 9207 §2.4).
    private static func isFrom(_ expectation: Expectation, _ parameters: FormParameters) -> Bool {
        do {
            guard let issuer = try parameters.value("iss") else {
                return !expectation.isIssuerAnnounced && !parameters.contains("iss")
            }
            return expectation.issuer.isNamed(byResponse: issuer)
        } catch {
            return false
        }
    }

    /// The query parameters that were added to `redirectURI`, or `nil` if `uri` is a different one
    /// (RFC 8252 §8.10): everything except the added parameters must be equal. A fragment is cut off:
    /// browsers keep one from page to page, and we asked for none.
    private static func response(in uri: String, to redirectURI: String) -> Substring? {
        let (base, query) = split(Substring(uri.utf8.prefix { $0 != UInt8(ascii: "#") }))
        let (ownBase, ownQuery) = split(redirectURI[...])
        guard let query, sameBytes(asBrowsersSend(base), asBrowsersSend(ownBase)) else {
            return nil
        }
        guard let ownQuery, !ownQuery.isEmpty else { return query }
        let prefix = "\(ownQuery)&"
        guard query.utf8.starts(with: prefix.utf8) else { return nil }
        return Substring(query.utf8.dropFirst(prefix.utf8.count))
    }

    private static func split(_ uri: Substring) -> (Substring, Substring?) {
        guard let mark = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (uri, nil) }
        return (uri[..<mark], uri[uri.utf8.index(after: mark)...])
    }

    /// `https://host:443` and `https://host:443/` become `https://host/` (RFC 9110 §4.2.2, RFC 3986
    /// §6.2.3): browsers omit the port and add the slash. They write a scheme in small letters
    /// (§6.2.2.1).
    private static func asBrowsersSend(_ base: Substring) -> String {
        guard let address = HTTPAddress(String(base)) else {
            let scheme = base.utf8.prefix { $0 != UInt8(ascii: ":") }
            let lowered = String(decoding: scheme.map(\.lowercased), as: UTF8.self)
            return lowered + base[scheme.endIndex...]
        }
        let slash = address.path.isEmpty ? "/" : ""
        let suffix = address.isSecure ? ":443" : ":80"
        guard address.authority.hasSuffix(suffix) else { return address.text + slash }
        let scheme = address.isSecure ? "https" : "http"
        return "\(scheme)://\(address.authority.dropLast(suffix.count))\(address.path)\(slash)"
    }
}
