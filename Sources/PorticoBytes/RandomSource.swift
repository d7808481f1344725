import PorticoSystem

/// A source of unguessable bytes.
///
/// ``system`` is the operating system's generator; only tests use another.
package struct RandomSource: Sendable {
    private let draw: @Sendable (Int) -> [UInt8]

    package init(_ draw: @escaping @Sendable (Int) -> [UInt8]) {
        self.draw = draw
    }

    /// - Parameter count: 16 for an id, 32 for a secret (RFC 6749 §10.10).
    package func bytes(_ count: Int) -> [UInt8] {
        draw(count)
    }

    /// `count` random bytes as base64url: 22 characters for 16, 43 for 32.
    package func text(_ count: Int) -> String {
        Base64URL.encode(draw(count))
    }

    /// Gets many bytes in one system call; `SystemRandomNumberGenerator` makes one for every eight.
    package static let system = RandomSource { count in
        Array(unsafeUninitializedCapacity: count) { buffer, filled in
            fill(UnsafeMutableRawBufferPointer(buffer))
            filled = count
        }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        #if canImport(Darwin)
            // No SDK of iOS has getentropy.
            if let start = buffer.baseAddress { arc4random_buf(start, buffer.count) }
        #else
            // POSIX: at most 256 bytes per call.
            for start in stride(from: 0, to: buffer.count, by: 256) {
                let end = min(start + 256, buffer.count)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end])
                guard let first = part.baseAddress, getentropy(first, part.count) == 0 else {
                    preconditionFailure("The system has no randomness: nothing here is safe then.")
                }
            }
        #endif
    }
}
