import Crypto

/// A SHA-256, 32 bytes: stored in place of a secret that is only ever compared.
///
/// A plain hash is enough because every such secret has at least 128 bits of entropy (RFC 6749
/// §10.10); a password needs a slow one.
package struct Hash256: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(of bytes: some Collection<UInt8>) {
        var hasher = SHA256()
        hasher.update(data: Array(bytes))
        self.bytes = Array(hasher.finalize())
    }

    package init(of text: String) {
        self.init(of: Array(text.utf8))
    }

    /// - Parameter bytes: A stored digest, 32 bytes.
    package init(kept bytes: [UInt8]) {
        self.bytes = bytes
    }

    package static func == (one: Hash256, other: Hash256) -> Bool {
        ConstantTime.equal(one.bytes, other.bytes)
    }
}
