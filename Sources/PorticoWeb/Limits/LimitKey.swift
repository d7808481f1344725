import PorticoBytes

/// The key of a count: 16 bytes of a SHA-256, whatever the length of its text.
///
/// So a table of keys has a fixed size, no foreign text is hashed or compared while a lock is held,
/// and two texts give the same key only if their bytes are equal.
package struct LimitKey: Hashable, Sendable {
    private let halves: SIMD2<UInt64>

    /// - Parameters:
    ///   - kind: What is counted, a literal, so that no two limits share a key by accident.
    ///   - parts: Who or what it is counted for. Each follows its length: `a b`, `c` differs from
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
