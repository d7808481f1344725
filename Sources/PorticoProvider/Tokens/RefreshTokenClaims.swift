import PorticoBytes
import PorticoProtocol
import PorticoStores

/// The form of a refresh token for clients that decode it (``Compatibility/refreshTokenClaims``): a header and
/// claims, and our own token as the third part.
///
/// Only that part counts. What it says beside is not signed, and nothing here reads it; tokens of the server
/// before have another header (``OldRefreshToken``).
enum RefreshTokenClaims {
    /// `alg` is none that signs.
    static let header = Base64URL.encode(Array(#"{"alg":"opaque","typ":"JWT"}"#.utf8))

    /// The longest claims that are skipped, in characters: ours have about 150, and the longest nonce
    /// 2,000.
    private static let longestClaims = 2560

    /// - Parameters:
    ///   - grant: In the state that the token belongs to: the same state gives the same text.
    ///   - nonce: For clients that look for it there.
    static func text(_ token: RefreshToken, of grant: Grant, nonce: String?) -> String {
        let idle = (grant.refresh?.rotatedAt ?? grant.createdAt) + grant.idleSeconds
        var claims: JSONObject = [
            "exp": .integer(grant.expiresAt.map { min($0, idle) } ?? idle),
            "typ": .string(grant.isOffline ? "Offline" : "Refresh"),
        ]
        claims["sid"] = grant.sessionID.map(JSONValue.string)
        claims["nonce"] = nonce.map(JSONValue.string)
        return "\(header).\(Base64URL.encode(claims.serialized())).\(token.text)"
    }

    /// - Returns: Our own token; `nil` if the text does not have this form.
    static func token(in text: String) -> String? {
        let start = header + "."
        guard text.utf8.count <= start.utf8.count + longestClaims + 77,
            text.utf8.starts(with: start.utf8)
        else { return nil }
        let rest = text.utf8.dropFirst(start.utf8.count)
        guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return String(Substring(rest[rest.index(after: dot)...]))
    }
}
