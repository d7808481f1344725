/// Which RSA keys are strong enough (RFC 7518 §3.3).
enum RSAStrength {
    /// At least 2048 bits, and at most 8192, because otherwise the sender chooses how long
    /// verification takes. The exponent is odd, at least 3, and has at most 32 bits.
    ///
    /// - Parameters: Big-endian, without leading zeros.
    static func isSufficient(modulus: [UInt8], exponent: [UInt8]) -> Bool {
        guard let first = modulus.first, let last = modulus.last, last & 1 == 1 else {
            return false
        }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard 2048...8192 ~= bits, 1...4 ~= exponent.count else { return false }
        let value = exponent.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return value >= 3 && value & 1 == 1
    }
}

/// How a hash is padded before RSA (RFC 8017 §8).
enum RSAPadding {
    /// RSASSA-PKCS1-v1_5.
    case pkcs1
    /// RSASSA-PSS, the salt as long as the hash (RFC 7518 §3.5).
    case pss
}
