import PorticoBytes

/// The form of an ES256 signature: r and s, 32 bytes each (RFC 7518 §3.4).
enum P256Signature {
    /// Whether both numbers lie in 1..<n, checked before any arithmetic: with a zero, some
    /// libraries accepted every signature (CVE-2022-21449).
    static func isInRange(_ signature: [UInt8]) -> Bool {
        signature.count == 64 && isScalar(signature[..<32]) && isScalar(signature[32...])
    }

    /// A private key, 32 bytes. One draw in 2^32 is not below the order of the curve.
    static func scalar(_ random: RandomSource) -> [UInt8]? {
        (0..<8).lazy.map { _ in random.bytes(32) }.first(where: isScalar)
    }

    /// - Parameter number: 32 bytes, big-endian.
    static func isScalar(_ number: some Collection<UInt8>) -> Bool {
        number.contains { $0 != 0 } && number.lexicographicallyPrecedes(order)
    }

    /// n of P-256 (FIPS 186-4 §D.1.2.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
        0x25, 0x51,
    ]
}
