extension SigningKey {
    /// The private key as other servers read it, and ``ForeignPrivateKey``: PKCS#1 for RSA (RFC
    /// 8017 appendix A.1.2), PKCS#8 for the others (RFC 5208 §5). Every call is a possible leak.
    package func revealForeign() -> [UInt8] {
        let stored = revealStored()
        return switch algorithm {
        case .rs256, .ps256: stored
        // `ECPrivateKey` without what the identifier says already (RFC 5915 §3).
        case .es256:
            Self.pkcs8(
                .p256,
                DER.encode(
                    DER.sequence,
                    DER.encode(unsigned: [1]) + DER.encode(DER.octetString, stored)
                )
            )
        // RFC 8410 §7.
        case .edDSA: Self.pkcs8(.ed25519, DER.encode(DER.octetString, stored))
        }
    }

    private static func pkcs8(_ algorithm: KeyAlgorithm, _ key: [UInt8]) -> [UInt8] {
        DER.encode(
            DER.sequence,
            DER.encode(unsigned: []) + algorithm.identifier + DER.encode(DER.octetString, key)
        )
    }
}
