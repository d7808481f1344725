import PorticoBytes

/// What something is counted by: 16 bytes of a SHA-256, however long the text was that it is made of.
///
/// So a table of keys has a size in bytes, no foreign text is hashed or compared while a lock is
/// held, and two spellings are one key only where their bytes are.
package struct LimitKey: Hashable, Sendable {
    private let halves: SIMD2<UInt64>

    /// - Parameters:
    ///   - kind: What is counted, a literal, so that no two limits share a key by accident.
    ///   - parts: Who or what it is counted for. Each goes in after its length: `a b`, `c` is not
    ///     `a`, `b c`.
    package init(_ kind: StaticString, _ parts: String...) {
        var bytes: [UInt8] = []
        for part in ["\(kind)"] + parts {
            bytes += UInt32(clamping: part.utf8.count).bigEndianBytes
            bytes.append(contentsOf: part.utf8)
        }
        let hash = Hash256(of: bytes).bytes
        halves = SIMD2(UInt64(bigEndianBytes: hash[0..<8]), UInt64(bigEndianBytes: hash[8..<16]))
    }
}
