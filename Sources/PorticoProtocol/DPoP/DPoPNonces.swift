package import Crypto
import PorticoBytes

/// A server's nonces, which every node with the same key computes and none stores (RFC 9449 §8).
///
/// A nonce is HMAC-SHA-256 of a minute's number, in base64url: 43 characters. Given out is that of the
/// next minute; good are those of the last minute, this and the next. So a nonce is good for two to
/// three minutes.
package struct DPoPNonces: Sendable {
    private let keys: [SymmetricKey]
    /// Of the minute that was asked about last: each request asks about it.
    private let computed = Locked<(bucket: Int64, nonces: [String])?>(nil)

    /// In seconds.
    private static let bucket: Int64 = 60

    /// - Parameter keys: The newest first, which makes nonces; those of the others are good as well.
    package init(keys: [SymmetricKey]) {
        self.keys = keys
    }

    /// - Parameter secret: The same at every node, 32 bytes or more.
    package init(secret: [UInt8]) {
        self.init(keys: [SymmetricKey(data: secret)])
    }

    /// The value of the `DPoP-Nonce` field.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: `nil` without any key.
    package func current(at now: Int64) -> String? {
        good(at: now).first
    }

    package func isGood(_ nonce: String, at now: Int64) -> Bool {
        good(at: now).contains { ConstantTime.equal(nonce, $0) }
    }

    /// Of each key the one that it gives out, and the two before.
    private func good(at now: Int64) -> [String] {
        let bucket = now / Self.bucket
        return computed.withLock { computed in
            if let computed, computed.bucket == bucket { return computed.nonces }
            let nonces = keys.flatMap { key in
                (-1...1).reversed().map { Self.nonce(bucket + $0, key) }
            }
            computed = (bucket, nonces)
            return nonces
        }
    }

    private static func nonce(_ bucket: Int64, _ key: SymmetricKey) -> String {
        Base64URL.encode(HMAC<SHA256>.authenticationCode(for: bucket.bigEndianBytes, using: key))
    }
}
