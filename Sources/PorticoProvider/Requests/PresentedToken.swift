import PorticoBytes
import PorticoProtocol

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

    /// The scheme in any case, one space, `b64token`.
    ///
    /// - Parameter values: Of all `Authorization` fields.
    /// - Returns: `nil` without any.
    init?(_ values: [String]) throws(OAuthError) {
        guard let value = values.first else { return nil }
        let bytes = Array(value.utf8.prefix(8193))
        guard values.count == 1, bytes.count <= 8192,
            let space = bytes.prefix(8).firstIndex(of: UInt8(ascii: " ")),
            let scheme = Scheme(
                wire: String(decoding: bytes[..<space], as: UTF8.self).lowercased()
            )
        else { throw Self.malformed }
        let token = bytes[(space + 1)...]
        guard !token.isEmpty, token.allSatisfy(Self.isTokenCharacter) else { throw Self.malformed }
        self.scheme = scheme
        text = String(decoding: token, as: UTF8.self)
    }

    /// One that did not come in the header (RFC 6750 §2.2).
    init(bearer text: String) {
        scheme = .bearer
        self.text = text
    }

    /// `b64token` (RFC 6750 §2.1).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "+/=".utf8.contains(byte)
    }
}
