/// A private key in PKCS#8, not taken apart further (RFC 5208 §5, RFC 5958 §2).
struct PKCS8Key {
    let algorithm: KeyAlgorithm
    /// What the OCTET STRING holds.
    let key: [UInt8]
    /// Of version 2 only: the public half beside it.
    let publicKey: [UInt8]?

    init?(der: [UInt8]) {
        guard let body = DERReader.only(DER.sequence, in: der) else { return nil }
        var reader = DERReader(body)
        guard let version = reader.unsigned(), version.isEmpty || version == [1],
            let identifier = reader.element(DER.sequence),
            let algorithm = KeyAlgorithm(identifier: identifier),
            let key = reader.read(DER.octetString)
        else { return nil }
        // Attributes, which nothing here needs.
        if reader.nextTag == DER.numbered(0) { _ = reader.read(DER.numbered(0)) }
        publicKey = reader.read(0x81).map { Array($0.dropFirst()) }
        guard reader.isAtEnd else { return nil }
        self.algorithm = algorithm
        self.key = Array(key)
    }
}

/// The kind of a key, as DER identifies it.
enum KeyAlgorithm: CaseIterable, Hashable {
    case rsa
    case p256
    case p384
    case p521
    case ed25519

    /// `AlgorithmIdentifier` (RFC 3279 §2.3.1, RFC 5480 §2.1.1, RFC 8410 §3).
    var identifier: [UInt8] {
        let numbers: [UInt8]
        let parameters: [UInt8]
        switch self {
        case .rsa:
            numbers = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
            parameters = [DER.null, 0]
        case .p256, .p384, .p521:
            numbers = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
            parameters = curve ?? []
        case .ed25519:
            numbers = [0x2B, 0x65, 0x70]
            parameters = []
        }
        return DER.encode(DER.sequence, DER.encode(DER.objectIdentifier, numbers) + parameters)
    }

    /// The name of the curve as an OBJECT IDENTIFIER (RFC 5480 §2.1.1.1); `nil` of others.
    var curve: [UInt8]? {
        switch self {
        case .p256:
            DER.encode(
                DER.objectIdentifier,
                [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
            )
        case .p384: DER.encode(DER.objectIdentifier, [0x2B, 0x81, 0x04, 0x00, 0x22])
        case .p521: DER.encode(DER.objectIdentifier, [0x2B, 0x81, 0x04, 0x00, 0x23])
        case .rsa, .ed25519: nil
        }
    }

    /// - Returns: `nil` if it is none of these in exactly that form.
    init?(identifier: ArraySlice<UInt8>) {
        guard let found = Self.allCases.first(where: { identifier.elementsEqual($0.identifier) })
        else { return nil }
        self = found
    }
}
