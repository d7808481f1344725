import Crypto
import CryptoExtras
import Foundation
import PorticoBytes
import Testing

@testable import PorticoProtocol

@Suite("Keys of other servers")
struct ForeignKeyTests {
    /// Made by Python's cryptography: PKCS#8 with the public half in it,
    /// SubjectPublicKeyInfo, and the SHA-256 of the latter.
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let privateKey: String
        let publicKey: String
        let keyID: String
        var testDescription: String { name }
    }

    static let p256 = Vector(
        name: "P-256",
        privateKey: "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgF4RGwsK5jLlbuUY2hzxll95tfJvi"
            + "cdH2KkFwN+81CHGhRANCAAQbwxeqVMr4UQxrNjeHCYURumohEhbj5+D6gw9DQ9326XhzwHZGT71ERKMv"
            + "q5fdgul+EdBxObg52i6Tjie2Abb4",
        publicKey: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEG8MXqlTK+FEMazY3hwmFEbpqIRIW4+fg+oMPQ0Pd"
            + "9ul4c8B2Rk+9RESjL6uX3YLpfhHQcTm4Odouk44ntgG2+A==",
        keyID: "rCLfKU3C9b9lelBYZUviWj6ATosMccd56GGDtuWSd5Q"
    )
    static let p384 = Vector(
        name: "P-384",
        privateKey: "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDB2XTN4pGYO7EIHRQdWVJqLffR8WhAH"
            + "rM175X3NHxzrHNiIl9ktqigze/8p7J2OFLWhZANiAAQgx4eJYGf5T4LjUvFP/KkUyey061Z4iWx5yqOO"
            + "3TxH+HNodMLT035++gGTFHPEIhXpeEyCq07TqTQsF1pDTM6UFodT2tQNiHYiq5lzOYDss0qS0S5t1Tnq"
            + "rtu8IBnNnE0=",
        publicKey: "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEIMeHiWBn+U+C41LxT/ypFMnstOtWeIlsecqjjt08R/hz"
            + "aHTC09N+fvoBkxRzxCIV6XhMgqtO06k0LBdaQ0zOlBaHU9rUDYh2IquZczmA7LNKktEubdU56q7bvCAZ"
            + "zZxN",
        keyID: "PFJMu-bPrqGJBgRN_IelUNYYpZpmp8Nh-WlumcUdsI0"
    )
    static let p521 = Vector(
        name: "P-521",
        privateKey: "MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAAG0to1AqMOaiV8uIGAV2javgDEII"
            + "JCvI+YrUGmzErHCraPKRyGkK6sGVfYai2Qj50Sm5GVACj9W8bgUvwnBrJIKhgYkDgYYABAE84z+g4/3Z"
            + "SMXfzOpFuy9leKSUmpvQkJvuXi6x1gWqaW0lbDwLBS54EVYPY5alnj0Gdvu7K2SbGTtMS7L5RXNMdQH3"
            + "fz2Xg8nrnr01W3EZ3r/+yOvXIdl4RIYaVewpqJT6CzAcYtlrGnsqxiKpeBcMHtKBKXDGDe3uoorVADsw"
            + "9ZPm2A==",
        publicKey: "MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQBPOM/oOP92UjF38zqRbsvZXiklJqb0JCb7l4usdYF"
            + "qmltJWw8CwUueBFWD2OWpZ49Bnb7uytkmxk7TEuy+UVzTHUB9389l4PJ6569NVtxGd6//sjr1yHZeESG"
            + "GlXsKaiU+gswHGLZaxp7KsYiqXgXDB7SgSlwxg3t7qKK1QA7MPWT5tg=",
        keyID: "VQg1919BlJEUYnSGW5ZGVJD-a9uoftncgEGcWYzHGG4"
    )
    static let ed25519 = Vector(
        name: "Ed25519",
        privateKey: "MC4CAQAwBQYDK2VwBCIEID2TVp6j9SquFO90YDuM/c8y+qSOEEkCVK2ANBOufrMb",
        publicKey: "MCowBQYDK2VwAyEAilwazyHtG4ZCWi1LB4tfpKxvUHjCOGTa1ZNFxdS02OI=",
        keyID: "ANAVW5l8uZ839fyWGw2PbOMCGuP1ar3FeyvCowaGKVc"
    )
    static let vectors = [p256, p384, p521, ed25519]
    /// Of ``p256``, self-signed.
    static let certificate =
        "MIIBHDCBw6ADAgECAgEFMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBHRlc3QwHhcNMjYwMTAxMDAwMDAwWhcNNDYw"
        + "MTAxMDAwMDAwWjAPMQ0wCwYDVQQDDAR0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEG8MXqlTK+FEM"
        + "azY3hwmFEbpqIRIW4+fg+oMPQ0Pd9ul4c8B2Rk+9RESjL6uX3YLpfhHQcTm4Odouk44ntgG2+KMQMA4wDAYD"
        + "VR0TAQH/BAIwADAKBggqhkjOPQQDAgNIADBFAiEAr2zYMI7P9gq2s29BOdOwDR3lroZeAX5wXiNp54uwJ0cC"
        + "IHtXMiRwjAz5dv6NmzUgAWqaSG1twg5FGOZQwZ28qApD"

    static func rsa() throws -> _RSA.Signing.PrivateKey {
        try _RSA.Signing.PrivateKey(derRepresentation: TokenForge.rs256.revealStored())
    }

    private func bytes(_ base64: String) throws -> [UInt8] {
        try #require(Base64.decode(base64.utf8))
    }

    @Test("RFC 5915, RFC 8410: a key's public half is computed, and named", arguments: vectors)
    func halves(vector: Vector) throws {
        let key = try ForeignPrivateKey(vector.privateKey)
        #expect(Base64.encode(key.publicKey.der) == vector.publicKey)
        #expect(key.publicKey.keyID == vector.keyID)
        let publicKey = try ForeignPublicKey(vector.publicKey)
        #expect(publicKey == key.publicKey)
        try key.check(publicKey)
        let members = publicKey.jwkMembers
        #expect(members.string("crv") == vector.name)
        for other in Self.vectors where other.name != vector.name {
            let other = try ForeignPublicKey(other.publicKey)
            #expect(throws: ForeignKeyError.halvesDoNotFit) { try key.check(other) }
        }
        #expect(!"\(key)".contains(vector.privateKey.prefix(40)))
    }

    @Test("RFC 5915 §3: the curve may stand in the key again, and the public half be missing")
    func optionalParts() throws {
        // Without its public half, as Java's programs write it.
        let scalar = try bytes(Self.p256.privateKey)[36..<68]
        func pkcs8(_ parts: [UInt8]) -> [UInt8] {
            let key = DER.encode(
                DER.sequence,
                [DER.integer, 1, 1] + DER.encode(DER.octetString, Array(scalar)) + parts
            )
            return DER.encode(
                DER.sequence,
                [DER.integer, 1, 0] + KeyAlgorithm.p256.identifier
                    + DER.encode(DER.octetString, key)
            )
        }
        let bare = try ForeignPrivateKey(der: pkcs8([]))
        #expect(bare.publicKey.keyID == Self.p256.keyID)
        let curve = try #require(KeyAlgorithm.p256.curve)
        let named = try ForeignPrivateKey(der: pkcs8(DER.encode(DER.numbered(0), curve)))
        #expect(named.publicKey == bare.publicKey)
        let other = try #require(KeyAlgorithm.p384.curve)
        #expect(throws: ForeignKeyError.malformed) {
            try ForeignPrivateKey(der: pkcs8(DER.encode(DER.numbered(0), other)))
        }
        #expect(throws: ForeignKeyError.malformed) {
            try ForeignPrivateKey(der: pkcs8([DER.null, 0]))
        }
    }

    @Test("RFC 8017 A.1.2, RFC 5208 §5: an RSA key is read in both forms, with armour or without")
    func rsaForms() throws {
        let key = try Self.rsa()
        let primitives = try key.publicKey.getKeyPrimitives()
        let spki = Array(key.publicKey.derRepresentation)
        let forms = [
            key.pemRepresentation, key.pkcs8PEMRepresentation,
            key.derRepresentation.base64EncodedString(),
            key.pkcs8DERRepresentation.base64EncodedString(),
            "\n" + key.pkcs8PEMRepresentation.replacingOccurrences(of: "\n", with: "\r\n")
                + "\n \n",
        ]
        for form in forms {
            let read = try ForeignPrivateKey(form)
            #expect(read.publicKey.der == spki)
            #expect(
                read.publicKey.key
                    == .rsa(
                        modulus: Array(primitives.modulus),
                        exponent: Array(primitives.publicExponent)
                    )
            )
            #expect(read.publicKey.keyID == Base64URL.encode(SHA256.hash(data: spki)))
        }
        #expect(try ForeignPublicKey(key.publicKey.pemRepresentation).der == spki)
    }

    @Test("RFC 7515 §5.1: what another server's key signs verifies with its public half")
    func signs() throws {
        let rsa = try Self.rsa().pkcs8PEMRepresentation
        let keys: [(String, SignatureAlgorithm)] = [
            (Self.p256.privateKey, .es256), (Self.ed25519.privateKey, .edDSA), (rsa, .rs256),
            (rsa, .ps256),
        ]
        for (text, algorithm) in keys {
            let foreign = try ForeignPrivateKey(text)
            let key = try foreign.signingKey(algorithm)
            #expect(key.keyID == foreign.publicKey.keyID)
            #expect(try foreign.signingKey(algorithm, keyID: "given").keyID == "given")
            let token = try key.sign(claims: ["sub": "alice"], type: .jwt)
            let object = foreign.publicKey.jwkMembers
            var jwk = object
            jwk["alg"] = .string(algorithm.rawValue)
            let published = try VerificationKey(JWK(parsing: jwk))
            #expect(try JWS(parsing: token.utf8).isSigned(by: published))
            #expect(published.jwk.parameters == key.verificationKey.jwk.parameters)
        }
    }

    @Test("RFC 8725 §3.1: a key signs by an algorithm of its own kind only")
    func algorithms() throws {
        let rsa = try Self.rsa().pkcs8PEMRepresentation
        let fitting: [(String, [SignatureAlgorithm])] = [
            (Self.p256.privateKey, [.es256]), (Self.p384.privateKey, []),
            (Self.p521.privateKey, []), (Self.ed25519.privateKey, [.edDSA]),
            (rsa, [.rs256, .ps256]),
        ]
        for (text, algorithms) in fitting {
            let key = try ForeignPrivateKey(text)
            for algorithm in SignatureAlgorithm.allCases where !algorithms.contains(algorithm) {
                #expect(throws: ForeignKeyError.algorithmDoesNotFit) {
                    try key.signingKey(algorithm)
                }
            }
        }
    }

    @Test("RFC 7517 §4.7, §4.8, §4.9: a certificate's key and thumbprints")
    func certificate() throws {
        let certificate = try Certificate(Self.certificate)
        #expect(certificate.publicKey.keyID == Self.p256.keyID)
        #expect(certificate.x5c == Self.certificate)
        #expect(certificate.sha1Thumbprint == "NtdfLnFb6OQGIVYMa_elvYda1Bg")
        #expect(certificate.sha256Thumbprint == "DIjXZiDuu74lXXWe62BcfB0VjQej3zEFW7nw0wb3hGc")
        let pem = "-----BEGIN CERTIFICATE-----\n\(Self.certificate)\n-----END CERTIFICATE-----\n"
        #expect(try Certificate(pem) == certificate)
        try ForeignPrivateKey(Self.p256.privateKey).check(certificate.publicKey)
        let other = try ForeignPrivateKey(Self.ed25519.privateKey)
        #expect(throws: ForeignKeyError.halvesDoNotFit) { try other.check(certificate.publicKey) }
    }

    @Test("A key that was cut off, or has a byte too many, is refused")
    func truncated() throws {
        for vector in Self.vectors {
            let key = try bytes(vector.privateKey)
            let spki = try bytes(vector.publicKey)
            for length in 0..<key.count {
                #expect(throws: ForeignKeyError.self) {
                    try ForeignPrivateKey(der: Array(key[..<length]))
                }
            }
            for length in 0..<spki.count {
                #expect(throws: ForeignKeyError.malformed) {
                    try ForeignPublicKey(der: spki[..<length])
                }
            }
            #expect(throws: ForeignKeyError.malformed) { try ForeignPrivateKey(der: key + [0]) }
            #expect(throws: ForeignKeyError.malformed) { try ForeignPublicKey(der: spki + [0]) }
        }
        let certificate = try bytes(Self.certificate)
        for length in 0..<certificate.count {
            #expect(throws: ForeignKeyError.malformed) {
                try Certificate(der: Array(certificate[..<length]))
            }
        }
        let rsa = Array(try Self.rsa().derRepresentation)
        for length in stride(from: 0, to: rsa.count, by: 7) {
            #expect(throws: ForeignKeyError.self) {
                try ForeignPrivateKey(der: Array(rsa[..<length]))
            }
        }
    }

    @Test("No byte of a key or certificate can be changed so that reading it ends the program")
    func changedBytes() throws {
        for text in Self.vectors.map(\.privateKey) + [Self.certificate] {
            let good = try bytes(text)
            for index in good.indices {
                for byte: UInt8 in [0, 1, 0x7F, 0x80, 0x84, 0xFF] where good[index] != byte {
                    var bad = good
                    bad[index] = byte
                    // `try?`: that it is read or refused, and nothing else, is what is tested.
                    if let key = try? ForeignPrivateKey(der: bad) {
                        #expect(try ForeignPublicKey(der: key.publicKey.der) == key.publicKey)
                    }
                    // `try?`: as above.
                    _ = try? Certificate(der: bad)
                }
            }
        }
    }

    @Test("RFC 8017 §3.2: an RSA key whose numbers do not belong together is refused")
    func mixedNumbers() throws {
        let good = Array(try Self.rsa().derRepresentation)
        let body = try #require(DERReader.only(DER.sequence, in: good))
        var reader = DERReader(body)
        var numbers: [[UInt8]] = []
        while let number = reader.unsigned() { numbers.append(number) }
        #expect(numbers.count == 9 && reader.isAtEnd)
        func key(_ numbers: [[UInt8]]) -> [UInt8] {
            DER.encode(DER.sequence, numbers.flatMap { DER.encode(unsigned: $0) })
        }
        #expect(key(numbers) == good)
        for index in 1..<9 {
            var changed = numbers
            let last = changed[index].indices.last
            changed[index][try #require(last)] ^= 2
            #expect(throws: ForeignKeyError.self, "\(index)") {
                try ForeignPrivateKey(der: key(changed))
            }
        }
    }

    @Test("RFC 7518 §3.3: an RSA key of 1024 bits, or with an even exponent, is refused")
    func weak() throws {
        let numbers = try Self.rsa().publicKey.getKeyPrimitives()
        let modulus = Array(numbers.modulus)
        for (modulus, exponent) in [
            (Array(modulus.suffix(128)), [1, 0, 1]), (modulus, [2]), (modulus, [1]), (modulus, []),
        ] as [([UInt8], [UInt8])] {
            let spki = ForeignPublicKey(.rsa(modulus: modulus, exponent: exponent)).der
            #expect(throws: ForeignKeyError.weak) { try ForeignPublicKey(der: spki) }
            let key = DER.encode(
                DER.sequence,
                ([[], modulus, exponent] + Array(repeating: [3], count: 6))
                    .flatMap { DER.encode(unsigned: $0) }
            )
            #expect(throws: ForeignKeyError.weak) { try ForeignPrivateKey(der: key) }
        }
    }

    @Test("A public key that is no point of its curve, or of small order, is refused")
    func points() throws {
        for vector in Self.vectors {
            var spki = try bytes(vector.publicKey)
            let end = spki.count - (vector.name == "Ed25519" ? 32 : 1)
            for index in end..<spki.count { spki[index] = vector.name == "Ed25519" ? 0 : 0xFE }
            #expect(throws: ForeignKeyError.weak) { try ForeignPublicKey(der: spki) }
        }
    }

    @Test("A private key beside another's public half is refused")
    func mismatchedHalves() throws {
        var key = try bytes(Self.p256.privateKey)
        key[key.count - 1] ^= 1
        #expect(throws: ForeignKeyError.halvesDoNotFit) { try ForeignPrivateKey(der: key) }
        // Version 2 of PKCS#8 has it outside (RFC 5958 §2).
        let seed = try bytes(Self.ed25519.privateKey)
        let point = Array(try bytes(Self.ed25519.publicKey).suffix(32))
        func version2(_ point: [UInt8]) -> [UInt8] {
            DER.encode(
                DER.sequence,
                [DER.integer, 1, 1] + seed.dropFirst(5) + DER.encode(0x81, [0] + point)
            )
        }
        #expect(try ForeignPrivateKey(der: version2(point)).publicKey.keyID == Self.ed25519.keyID)
        for other in [[], Array(point.dropLast()), point.map { $0 ^ 1 }, point + [0]] {
            #expect(throws: ForeignKeyError.halvesDoNotFit) {
                try ForeignPrivateKey(der: version2(other))
            }
        }
    }

    @Test("RFC 5480 §2.1.1: a key under the name of another curve or kind is refused")
    func otherNames() throws {
        for vector in Self.vectors {
            let info = try #require(PKCS8Key(der: try bytes(vector.privateKey)))
            for algorithm in KeyAlgorithm.allCases where algorithm != info.algorithm {
                let der = DER.encode(
                    DER.sequence,
                    [DER.integer, 1, 0] + algorithm.identifier
                        + DER.encode(DER.octetString, info.key)
                )
                #expect(throws: ForeignKeyError.self, "\(vector.name) as \(algorithm)") {
                    try ForeignPrivateKey(der: der)
                }
            }
        }
        // Ed448 (RFC 8410 §3), and a curve of others.
        let kinds: [[UInt8]] = [
            [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x71],
            [
                0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x05, 0x2B,
                0x81, 0x04, 0x00, 0x0A,
            ],
        ]
        for kind in kinds {
            let key = DER.encode(
                DER.sequence,
                [DER.integer, 1, 0] + kind + DER.encode(DER.octetString, [4, 1, 7])
            )
            #expect(throws: ForeignKeyError.unknownKind) { try ForeignPrivateKey(der: key) }
            let spki = DER.encode(DER.sequence, kind + DER.encode(DER.bitString, [0, 4, 7]))
            #expect(throws: ForeignKeyError.unknownKind) { try ForeignPublicKey(der: spki) }
        }
    }

    @Test(
        "X.690 §8.1.3, §10.1: a length that is huge, open or not the shortest is none",
        arguments: [
            [0x30, 0x80, 0, 0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x83, 0xFF, 0xFF, 0xFF],
            [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0xFF],
            [0x30, 0x81, 0x01, 0], [0x30, 0x82, 0x00, 0x01, 0], [0x30], [0x31, 0], [],
            [0x30, 2, 0],
            [0x30, 0, 0], [0x30, 0x82, 0x00, 0x80] + [UInt8](repeating: 0, count: 128),
        ] as [[UInt8]]
    )
    func lengths(der: [UInt8]) {
        #expect(DERReader.only(DER.sequence, in: der) == nil)
        #expect(throws: ForeignKeyError.malformed) { try ForeignPrivateKey(der: der) }
        #expect(throws: ForeignKeyError.malformed) { try ForeignPublicKey(der: der) }
        #expect(throws: ForeignKeyError.malformed) { try Certificate(der: der) }
    }

    @Test(
        "RFC 7468 §2: what is neither PEM nor base64 is refused",
        arguments: [
            "", " ", "=", "%%%%", "MC4", "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\nx",
            "-----BEGIN PRIVATE KEY-----\nA: b\n\nAAAA\n-----END PRIVATE KEY-----",
            "-----BEGIN -----\nAAAA\n-----END -----", "-----END X-----\nAAAA\n-----BEGIN X-----",
            "**********",
        ]
    )
    func armour(text: String) {
        #expect(throws: ForeignKeyError.unreadable) { try ForeignPrivateKey(text) }
        #expect(throws: ForeignKeyError.unreadable) { try Certificate(text) }
    }

    @Test("A text that is longer than any key is not even decoded")
    func tooLong() {
        let text = String(repeating: "A", count: 16 * 1024 + 1)
        #expect(throws: ForeignKeyError.tooLarge) { try ForeignPrivateKey(text) }
        #expect(throws: ForeignKeyError.tooLarge) { try ForeignPublicKey(text) }
        #expect(throws: ForeignKeyError.tooLarge) { try Certificate(text) }
        #expect(throws: ForeignKeyError.tooLarge) {
            try Certificate(der: [UInt8](repeating: 0x30, count: 16 * 1024 + 1))
        }
    }
}
