package import PorticoBytes

/// What came back on the redirect URI, as the client that asked reads it (RFC 6749 §4.1.2,
/// RFC 9207 §2.4).
package enum AuthorizationResponse: Sendable {
    case code(SecretText)
    case error(OAuthError.Code)

    /// What the request that is waiting for a response holds.
    package struct Expectation: Sendable {
        package let redirectURI: String
        package let state: SecretText
        package let issuer: Issuer
        /// Whether the metadata promises `iss` (RFC 9207 §3).
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
        /// It came in on another URI (RFC 8252 §8.10). Not our response: ignored.
        case otherRedirect
        /// It has no state or another one (RFC 8252 §8.9). Not our response: ignored.
        case otherState
        /// An error with a wrong or missing `iss`: forged, and ignored (RFC 9207 §2.4).
        case forgedError
        /// A code with a wrong or missing `iss`: the attempt is over (RFC 9700 §4.4.2).
        case otherIssuer
        /// The state is right and the rest is not a response to a code request.
        case malformed

        /// Whether the attempt goes on waiting as if nothing had come.
        package var isIgnored: Bool {
            switch self {
            case .otherRedirect, .otherState, .forgedError: true
            case .otherIssuer, .malformed: false
            }
        }
    }

    /// Checks the redirect URI, and then what ``init(_:expecting:)-(FormParameters,_)`` checks.
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

    /// Checks in the order state, `iss`, error, code: nothing is believed before the state is
    /// right, and no code is looked at before the issuer is. On which redirect URI the parameters
    /// came in, by query or by form, is the caller's to check first.
    package init(_ parameters: FormParameters, expecting expectation: Expectation)
        throws(Refusal)
    {
        let state: String?
        do {
            state = try parameters.value("state")
        } catch {
            throw .otherState
        }
        // RFC 6749 §10.12, RFC 8252 §8.9: not our request, not our answer.
        guard let state, expectation.state == SecretText(state) else { throw .otherState }
        // RFC 9207 §2.4: before the error is shown, and before the code is sent anywhere.
        let isError = parameters.contains("error")
        guard Self.isFrom(expectation, parameters) else {
            throw isError ? .forgedError : .otherIssuer
        }
        do {
            try parameters.refuseRepeats()
        } catch {
            throw .malformed
        }
        // We asked for a code alone; tokens here were put in by somebody (RFC 9700 §4.6).
        guard !parameters.contains("access_token"), !parameters.contains("id_token"),
            !parameters.contains("response")
        else { throw .malformed }
        switch (parameters["code"], parameters["error"]) {
        case (let code?, nil) where !isError: self = .code(SecretText(code))
        case (nil, let error?): self = .error(OAuthError.Code(rawValue: error))
        default: throw .malformed
        }
    }

    /// Compared byte for byte where it is present, and required where it was promised
    /// (RFC 9207 §2.4).
    private static func isFrom(_ expectation: Expectation, _ parameters: FormParameters) -> Bool {
        do {
            guard let issuer = try parameters.value("iss") else {
                return !expectation.isIssuerAnnounced && !parameters.contains("iss")
            }
            return expectation.issuer.isNamed(issuer)
        } catch {
            return false
        }
    }

    /// The query parameters that were added to `redirectURI`, or `nil` where `uri` is another one
    /// (RFC 8252 §8.10): everything but what was added must be equal.
    private static func response(in uri: String, to redirectURI: String) -> Substring? {
        guard !uri.utf8.contains(UInt8(ascii: "#")) else { return nil }
        let (base, query) = split(uri)
        let (ownBase, ownQuery) = split(redirectURI)
        guard let query, sameBytes(asBrowsersSend(base), asBrowsersSend(ownBase)) else {
            return nil
        }
        guard let ownQuery, !ownQuery.isEmpty else { return query }
        let prefix = "\(ownQuery)&"
        guard query.utf8.starts(with: prefix.utf8) else { return nil }
        return Substring(query.utf8.dropFirst(prefix.utf8.count))
    }

    private static func split(_ uri: String) -> (Substring, Substring?) {
        guard let mark = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (uri[...], nil) }
        return (uri[..<mark], uri[uri.utf8.index(after: mark)...])
    }

    /// `https://host:443` and `https://host:443/` are `https://host/` (RFC 9110 §4.2.2, RFC 3986 §6.2.3):
    /// browsers leave the port out, and add the slash.
    private static func asBrowsersSend(_ base: Substring) -> String {
        guard let address = HTTPAddress(String(base)) else { return String(base) }
        let slash = address.path.isEmpty ? "/" : ""
        let suffix = address.isSecure ? ":443" : ":80"
        guard address.authority.hasSuffix(suffix) else { return address.text + slash }
        let scheme = address.isSecure ? "https" : "http"
        return "\(scheme)://\(address.authority.dropLast(suffix.count))\(address.path)\(slash)"
    }
}
