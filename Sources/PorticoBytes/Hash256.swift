package import Crypto

/// A SHA-256, 32 bytes: stored in place of a secret that is only ever compared.
///
/// A plain hash is enough because every such secret has at least 128 bits of entropy (RFC 6749
/// §10.10); a password needs a slow one.
package struct Hash256: Hashable, Sendable {
    /// In place, without memory of its own: a server remembers many.
    private let first, second, third, fourth: UInt64

    private var words: (UInt64, UInt64, UInt64, UInt64) { (first, second, third, fourth) }

    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    package init(of bytes: [UInt8]) {
        self = SHA256.digest(of: bytes[...]).withUnsafeBytes(Self.init)
    }

    package init(of bytes: some Collection<UInt8>) {
        self.init(of: Array(bytes))
    }

    package init(of text: String) {
        self.init(of: Array(text.utf8))
    }

    /// - Parameter bytes: A stored digest, 32 bytes. Others make one that no text has.
    package init(kept bytes: [UInt8]) {
        let bytes = bytes.count == 32 ? bytes : Array(repeating: 0, count: 32)
        self = bytes.withUnsafeBytes(Self.init)
    }

    /// - Parameter bytes: 32.
    private init(_ bytes: UnsafeRawBufferPointer) {
        (first, second, third, fourth) =
            bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    package static func == (one: Hash256, other: Hash256) -> Bool {
        withUnsafeBytes(of: one.words) { one in
            withUnsafeBytes(of: other.words) { ConstantTime.equal(one, $0) }
        }
    }
}

extension SHA256 {
    /// Hashes bytes where they are. Generic code takes several times as long for short texts.
    package static func digest(of bytes: ArraySlice<UInt8>) -> SHA256.Digest {
        var hasher = SHA256()
        bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        return hasher.finalize()
    }
}
