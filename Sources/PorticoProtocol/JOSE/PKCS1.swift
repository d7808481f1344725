/// The DER encodings of RSA keys, for `SecKey`, which reads only one of them (RFC 8017 appendix
/// A.1, RFC 5208 §5).
enum PKCS1 {
    /// `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }`.
    ///
    /// - Parameters: Big-endian, without leading zeros.
    static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        encode(sequence, encode(unsigned: modulus) + encode(unsigned: exponent))
    }

    /// Modulus and exponent of an `RSAPublicKey`, without leading zeros.
    static func numbers(ofPublicKey der: [UInt8]) -> (modulus: [UInt8], exponent: [UInt8])? {
        var outer = der[...]
        guard var body = read(sequence, from: &outer), outer.isEmpty,
            let modulus = read(integer, from: &body),
            let exponent = read(integer, from: &body), body.isEmpty
        else {
            return nil
        }
        return (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
    }

    /// The `RSAPrivateKey` in a `PrivateKeyInfo`; `nil` if it has none.
    static func privateKey(fromPKCS8 der: [UInt8]) -> [UInt8]? {
        var outer = der[...]
        guard var body = read(sequence, from: &outer), outer.isEmpty,
            let version = read(integer, from: &body), version.elementsEqual([0]),
            let algorithm = read(sequence, from: &body),
            algorithm.starts(with: rsaEncryption),
            let key = read(octetString, from: &body)
        else {
            return nil
        }
        return Array(key)
    }

    private static let integer: UInt8 = 0x02
    private static let octetString: UInt8 = 0x04
    private static let sequence: UInt8 = 0x30
    /// 1.2.840.113549.1.1.1 with its tag and length.
    private static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
    ]
}

extension PKCS1 {
    private static func encode(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// An INTEGER is signed: a leading zero keeps a high first bit from meaning a negative number.
    private static func encode(unsigned number: [UInt8]) -> [UInt8] {
        let needsZero = number.first.map { $0 & 0x80 != 0 } ?? true
        return encode(integer, needsZero ? [0] + number : number)
    }

    /// Removes one element from the front of `bytes` and returns its content.
    private static func read(_ tag: UInt8, from bytes: inout ArraySlice<UInt8>)
        -> ArraySlice<UInt8>?
    {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first & 0x80 != 0 {
            let lengthBytes = Int(first & 0x7F)
            guard 1...3 ~= lengthBytes, bytes.count >= lengthBytes else { return nil }
            length = bytes.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(lengthBytes)
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
