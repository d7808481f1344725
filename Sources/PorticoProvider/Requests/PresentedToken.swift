import PorticoBytes
import PorticoProtocol
import PorticoWeb

/// An access token in the `Authorization` header (RFC 6750 §2.1, RFC 9449 §7.1).
struct PresentedToken: Sendable {
    enum Scheme: String, CaseIterable, Sendable {
        case bearer
        case dpop
    }

    let scheme: Scheme
    let text: String

    static let malformed = OAuthError(
        .invalidRequest,
        "The Authorization header is not one access token of a scheme that is taken here."
    )

    /// The scheme in any case, one or more spaces, `b64token` (RFC 6750 §2.1).
    ///
    /// - Parameter values: Of all `Authorization` fields.
    /// - Returns: `nil` without any.
    init?(_ values: [String]) throws(OAuthError) {
        guard let value = values.first else { return nil }
        guard values.count == 1, let field = AuthorizationField(value),
            let scheme = Scheme(wire: field.scheme),
            field.credentials.utf8.count <= JWS.standardLimit,
            withBytes(of: field.credentials.utf8, { $0.allSatisfy(Self.isTokenCharacter) })
        else { throw Self.malformed }
        self.scheme = scheme
        text = String(field.credentials)
    }

    /// One that did not come in the header (RFC 6750 §2.2).
    init(bearer text: String) {
        scheme = .bearer
        self.text = text
    }

    /// `b64token` (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        default: byte.isUnreserved
        }
    }
}
