/// The DER encodings of RSA keys, for `SecKey`, which reads only one of them (RFC 8017 appendix
/// A.1, RFC 5208 §5).
enum PKCS1 {
    /// `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }`.
    ///
    /// - Parameters: Big-endian, without leading zeros.
    static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        DER.encode(DER.sequence, DER.encode(unsigned: modulus) + DER.encode(unsigned: exponent))
    }

    /// Modulus and exponent of an `RSAPublicKey`, without leading zeros.
    static func numbers(ofPublicKey der: some Collection<UInt8>)
        -> (modulus: [UInt8], exponent: [UInt8])?
    {
        guard let body = DERReader.only(DER.sequence, in: der) else { return nil }
        var reader = DERReader(body)
        guard let modulus = reader.unsigned(), let exponent = reader.unsigned(), reader.isAtEnd
        else { return nil }
        return (modulus, exponent)
    }

    /// The `RSAPrivateKey` in a `PrivateKeyInfo`; `nil` if it has none.
    static func privateKey(fromPKCS8 der: [UInt8]) -> [UInt8]? {
        guard let info = PKCS8Key(der: der), info.algorithm == .rsa else { return nil }
        return info.key
    }
}
