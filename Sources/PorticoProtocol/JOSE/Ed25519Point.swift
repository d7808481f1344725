/// Checks the encoding of an Ed25519 public key (RFC 8032 §5.1.2).
enum Ed25519Point {
    /// Whether the point has its canonical encoding and a large order.
    ///
    /// With a key of small order, a signature that anyone can make is valid for many messages, so
    /// such a key proves nothing. Bytes that are not a point verify nothing and are harmless.
    static func isProper(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 32 else { return false }
        // The top bit is the sign of x; the rest is y, little-endian.
        var y = bytes
        y[31] &= 0x7F
        return y.reversed().lexicographicallyPrecedes(prime.reversed()) && !lowOrder.contains(y)
    }

    /// 2^255 - 19.
    private static let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

    /// The y coordinates of the eight points with an order that divides eight.
    private static let lowOrder: Set<[UInt8]> = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF,
            0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88,
            0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10,
            0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77,
            0x92, 0xAC, 0x03, 0x7A,
        ],
    ]
}
