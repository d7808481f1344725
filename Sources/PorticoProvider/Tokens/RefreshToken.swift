import Crypto
import PorticoBytes
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
