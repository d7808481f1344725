package import PorticoSystem

/// The claims of an ID Token (OpenID Connect Core §2).
///
/// Every token must have the first five. A rule that a request asks for, or that depends on what is
/// there, reads the others when it is kept: until then their types do not matter.
package struct IDTokenClaims: Sendable, Hashable {
    package let issuer: String
    package let subject: String
    package let audience: [String]
    package let expiresAt: Date
    package let issuedAt: Date
    /// All claims, including these.
    package let json: JSONObject

    package init(_ json: JSONObject) throws(IDTokenRefusal) {
        guard let issuer = json.string("iss") else { throw .issuer }
        guard let subject = json.string("sub"), !subject.isEmpty, subject.utf8.count <= 2048 else {
            throw .subject
        }
        guard let audience = Self.audience(json["aud"]) else { throw .audience }
        guard let expiresAt = json["exp"].flatMap(NumericDate.date) else { throw .expiry }
        guard let issuedAt = json["iat"].flatMap(NumericDate.date) else { throw .issuedAt }
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.json = json
    }

    /// A text, or a list of at least one text.
    private static func audience(_ value: JSONValue?) -> [String]? {
        if let text = value?.string { return [text] }
        guard let texts = value?.strings, !texts.isEmpty else { return nil }
        return texts
    }

    /// `auth_time`; `nil` also if it is no date.
    package var authTime: Date? { json["auth_time"].flatMap(NumericDate.date) }
    /// `nonce`; `nil` also if it is no text.
    package var nonce: String? { json.string("nonce") }

    /// A claim for a rule that is kept where the claim is present. `null` counts as absent.
    ///
    /// - Throws: `refusal` if it has another type.
    func text(_ name: String, or refusal: IDTokenRefusal) throws(IDTokenRefusal) -> String? {
        guard let value = json.present(name) else { return nil }
        guard let text = value.string else { throw refusal }
        return text
    }

    /// The same for a date.
    func date(_ name: String, or refusal: IDTokenRefusal) throws(IDTokenRefusal) -> Date? {
        guard let value = json.present(name) else { return nil }
        guard let date = NumericDate.date(value) else { throw refusal }
        return date
    }
}

/// The check of OpenID Connect Core §3.1.3.7 that an ID Token failed.
package enum IDTokenRefusal: Error, Hashable, Sendable {
    case issuer
    case subject
    case audience
    case authorizedParty
    /// `exp` is missing or not a date.
    case expiry
    /// `exp` has passed.
    case expired
    /// `iat` is missing or not a date.
    case issuedAt
    /// `iat` is too far from now for a fresh token.
    case issuedAtAnotherTime
    /// `iat` is before that of the sign-in that the token continues.
    case issuedBeforeSignIn
    /// `nbf` is not a date.
    case notBefore
    /// `nbf` is in the future.
    case notYetValid
    case nonce
    case acr
    case authTime
    case accessTokenHash

    /// Whether a wrong clock may be the cause, at the provider or on this machine.
    package var isAboutTime: Bool {
        switch self {
        case .expired, .issuedAtAnotherTime, .notYetValid: true
        default: false
        }
    }
}
