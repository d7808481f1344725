/// Where unguessable bytes come from.
///
/// ``system`` is the operating system's generator; only tests use another.
package struct RandomSource: Sendable {
    private let draw: @Sendable (Int) -> [UInt8]

    package init(_ draw: @escaping @Sendable (Int) -> [UInt8]) {
        self.draw = draw
    }

    /// - Parameter count: How many bytes: 16 for an id, 32 for a secret (RFC 6749 §10.10).
    package func bytes(_ count: Int) -> [UInt8] {
        draw(count)
    }

    /// `count` random bytes as base64url: 22 characters for 16, 43 for 32.
    package func text(_ count: Int) -> String {
        Base64URL.encode(draw(count))
    }

    package static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next() as UInt64) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
