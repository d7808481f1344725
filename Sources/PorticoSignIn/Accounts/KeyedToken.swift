import Crypto
package import PorticoBytes
package import PorticoSeals
package import PorticoStores

/// A token of an app's session: its id, a number, and a MAC that can be made only with the
/// session's row and the key ring together (docs/decisions/0014).
///
/// `base64url(version1 ‖ keyID4 ‖ session16 ‖ number8 ‖ HMAC-SHA256(K[keyID], … ‖ row.secret32))`.
/// No token is stored. The number is the expiry of a session token, or a refresh token's
/// generation.
package struct KeyedToken: Sendable, Equatable {
    /// The session's.
    package let id: UniqueID
    package let number: Int64
    let keyID: KeyRing.KeyID
    private let mac: [UInt8]

    /// The purpose of a token: a token of one kind is not valid as another.
    package enum Kind: UInt8, Sendable {
        case session = 1
        case refresh = 2
    }

    private static let length = 1 + 4 + 16 + 8 + 32

    /// Parses a presented text; ``isGenuine(_:for:ring:)`` then checks whether it is genuine.
    ///
    /// - Returns: `nil` if the text does not have the form of such a token.
    package init?(_ text: String, _ kind: Kind) {
        guard text.utf8.count == 82, let bytes = Base64URL.decode(text),
            bytes.count == Self.length, bytes[0] == kind.rawValue,
            let keyID = KeyRing.KeyID(bytes: bytes[1..<5]),
            let id = UniqueID(bytes: Array(bytes[5..<21]))
        else { return nil }
        self.keyID = keyID
        self.id = id
        number = Int64(bigEndianBytes: bytes[21..<29])
        mac = Array(bytes[29...])
    }

    /// - Parameter sessionID: A UUID's text, as an app's session has it.
    /// - Returns: `nil` if the ring no longer has the state's key.
    init?(_ kind: Kind, of sessionID: String, number: Int64, state: RefreshState, ring: KeyRing) {
        guard let keyID = KeyRing.KeyID(bytes: state.keyID), let id = UniqueID(sessionID),
            let mac = Self.mac(kind, keyID, id, number, state.secret, ring)
        else { return nil }
        self.keyID = keyID
        self.id = id
        self.number = number
        self.mac = mac
    }

    package var sessionID: String { id.text }

    func text(_ kind: Kind) -> String {
        Base64URL.encode(Self.head(kind, keyID, id, number) + mac)
    }

    /// Whether the MAC is correct for the secret in the session's row, in constant time.
    package func isGenuine(_ kind: Kind, for state: RefreshState, ring: KeyRing) -> Bool {
        guard let expected = Self.mac(kind, keyID, id, number, state.secret, ring) else {
            return false
        }
        return ConstantTime.equal(mac, expected)
    }

    private static func head(
        _ kind: Kind,
        _ keyID: KeyRing.KeyID,
        _ id: UniqueID,
        _ number: Int64
    ) -> [UInt8] {
        [kind.rawValue] + keyID.bytes + id.bytes + number.bigEndianBytes
    }

    private static func mac(
        _ kind: Kind,
        _ keyID: KeyRing.KeyID,
        _ id: UniqueID,
        _ number: Int64,
        _ secret: [UInt8],
        _ ring: KeyRing
    ) -> [UInt8]? {
        guard let key = ring.derivedKey(purpose: "app session token", from: keyID) else {
            return nil
        }
        let message = head(kind, keyID, id, number) + secret
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }
}

/// The ring no longer has a key that a live session, or a code, needs.
package struct KeyIsGone: Error {}
