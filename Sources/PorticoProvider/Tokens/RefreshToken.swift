import Crypto
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// One generation of a grant's refresh token (RFC 6749 §1.5, RFC 9700 §4.14).
///
/// `base64url(version1 ‖ keyID4 ‖ grant16 ‖ generation4 ‖ HMAC-SHA256(K[keyID], … ‖ row.secret32))`. The MAC
/// key comes from the key ring and the secret from the grant's row, so that neither a leaked
/// database nor a leaked ring alone makes a token, and no token is stored.
struct RefreshToken: Sendable, Equatable {
    let grantID: UniqueID
    let generation: UInt32
    let keyID: KeyRing.KeyID
    private let mac: [UInt8]

    private static let version: UInt8 = 1
    private static let length = 1 + 4 + 16 + 4 + 32

    /// Parses a presented text; ``isGenuine(for:ring:)`` then checks whether it is genuine.
    ///
    /// - Parameter text: Also in the form of ``RefreshTokenClaims``.
    /// - Returns: `nil` if the text does not have the form of a refresh token.
    init?(_ text: String) {
        let text = RefreshTokenClaims.token(in: text) ?? text
        guard text.utf8.count == 76, let bytes = Base64URL.decode(text),
            bytes.count == Self.length, bytes[0] == Self.version,
            let keyID = KeyRing.KeyID(bytes: bytes[1..<5]),
            let grantID = UniqueID(bytes: Array(bytes[5..<21]))
        else { return nil }
        self.keyID = keyID
        self.grantID = grantID
        generation = UInt32(bigEndianBytes: bytes[21..<25])
        mac = Array(bytes[25...])
    }

    /// The token of a generation of `grant`.
    ///
    /// - Returns: `nil` if the ring no longer has the key, or the grant has no refresh state.
    init?(of grant: Grant, generation: UInt32, ring: KeyRing) {
        guard let refresh = grant.refresh, let keyID = KeyRing.KeyID(bytes: refresh.keyID),
            let mac = Self.mac(keyID, grant.id, generation, refresh.secret, ring)
        else { return nil }
        self.keyID = keyID
        grantID = grant.id
        self.generation = generation
        self.mac = mac
    }

    var text: String {
        Base64URL.encode(Self.head(keyID, grantID, generation) + mac)
    }

    /// Whether the MAC is correct for the secret in the grant's row, in constant time.
    func isGenuine(for grant: Grant, ring: KeyRing) -> Bool {
        guard let refresh = grant.refresh,
            let expected = Self.mac(keyID, grantID, generation, refresh.secret, ring)
        else { return false }
        return ConstantTime.equal(mac, expected)
    }

    private static func head(_ keyID: KeyRing.KeyID, _ grantID: UniqueID, _ generation: UInt32)
        -> [UInt8]
    {
        [version] + keyID.bytes + grantID.bytes + generation.bigEndianBytes
    }

    private static func mac(
        _ keyID: KeyRing.KeyID,
        _ grantID: UniqueID,
        _ generation: UInt32,
        _ secret: [UInt8],
        _ ring: KeyRing
    ) -> [UInt8]? {
        guard let key = ring.derivedKey(purpose: "refresh token", from: keyID) else { return nil }
        let message = head(keyID, grantID, generation) + secret
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }
}

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
