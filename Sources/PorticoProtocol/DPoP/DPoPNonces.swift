package import Crypto
import PorticoBytes

/// A server's nonces, which every node with the same key computes and none stores (RFC 9449 §8).
///
/// A nonce is HMAC-SHA-256 of a minute's number, in base64url: 43 characters. Given out is that of the
/// next minute; good are those of the last minute, this and the next. So a nonce is good for two to
/// three minutes.
package struct DPoPNonces: Sendable {
    private let keys: [SymmetricKey]

    /// In seconds.
    private static let bucket: Int64 = 60

    /// - Parameter keys: The newest first, which makes nonces; those of the others are good as well.
    package init(keys: [SymmetricKey]) {
        self.keys = keys
    }

    /// The value of the `DPoP-Nonce` field.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: `nil` without any key.
    package func current(at now: Int64) -> String? {
        keys.first.map { Self.nonce(now / Self.bucket + 1, $0) }
    }

    package func isGood(_ nonce: String, at now: Int64) -> Bool {
        let bucket = now / Self.bucket
        return keys.contains { key in
            (bucket - 1...bucket + 1).contains {
                ConstantTime.equal(nonce, Self.nonce($0, key))
            }
        }
    }

    private static func nonce(_ bucket: Int64, _ key: SymmetricKey) -> String {
        Base64URL.encode(HMAC<SHA256>.authenticationCode(for: bucket.bigEndianBytes, using: key))
    }
}
