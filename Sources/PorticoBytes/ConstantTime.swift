import PorticoSystem

/// Compares secrets without revealing through timing how much of them was right.
package enum ConstantTime {
    /// Whether both hold the same bytes. The time depends on the lengths only.
    package static func equal(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>)
        -> Bool
    {
        withBytes(of: one) { one in withBytes(of: other) { equal(one, $0) } }
    }

    @inline(never)
    private static func equal(
        _ one: UnsafeBufferPointer<UInt8>,
        _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices {
            difference |= one[index] ^ other[index]
        }
        return difference == 0
    }

    package static func equal(_ one: String, _ other: String) -> Bool {
        equal(one.utf8, other.utf8)
    }
}

/// Compares text that must match exactly.
///
/// Swift's `String ==` treats canonically equivalent spellings as equal (`é` and `e` + accent); the
/// standards compare code points (RFC 8414 §4, OpenID Connect Core §14).
package func sameBytes(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    return withBytes(of: one.utf8) { one in
        withBytes(of: other.utf8) { other in
            guard let one = one.baseAddress, let start = other.baseAddress else { return true }
            return memcmp(one, start, other.count) == 0
        }
    }
}
