import Crypto
import CryptoExtras
import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

private let ec = TokenForge.jwk(.es256)
private let okp = TokenForge.jwk(.edDSA)
private let rsa = TokenForge.jwk(.rs256)

@Suite("JWK")
struct JWKTests {
    private func key(_ object: JSONObject) throws -> VerificationKey {
        try VerificationKey(JWK(parsing: object))
    }

    @Test("RFC 7517 §4: what we publish is read as the same key", arguments: [ec, okp, rsa])
    func roundTrip(object: JSONObject) throws {
        let key = try key(object)
        #expect(key.jwk.object == object)
        #expect(try JSONObject(parsing: object.serialized()) == object)
    }

    @Test(
        "RFC 7517 §4.4: without alg an EC key means ES256, an OKP key EdDSA, an RSA key RS256",
        arguments: [(ec, .es256), (okp, .edDSA), (rsa, .rs256)]
            as [(JSONObject, SignatureAlgorithm)]
    )
    func presumesAlgorithm(object: JSONObject, algorithm: SignatureAlgorithm) throws {
        let bare = object.with("alg", nil).with("use", nil).with("kid", nil)
        let key = try key(bare)
        #expect(key.algorithm == algorithm)
        #expect(key.keyID == nil)
    }

    @Test("RFC 8725 §3.1: an RSA key has one algorithm: its own, or the one it was promised for")
    func rsaAlgorithm() throws {
        let bare = rsa.with("alg", nil)
        #expect(try JWK(parsing: bare, unlabelledRSA: .ps256).algorithm == .ps256)
        #expect(
            try JWK(parsing: bare.with("alg", "RS256"), unlabelledRSA: .ps256).algorithm == .rs256
        )
        #expect(try JWK(parsing: bare.with("alg", "PS256")).algorithm == .ps256)
    }

    @Test("An RSA key without alg is a key of its own for each algorithm it was promised for")
    func rsaKeys() throws {
        let bare: JSONObject = ["keys": [.object(rsa.with("alg", nil))]]
        let named: JSONObject = ["keys": [.object(rsa.with("alg", "RS256"))]]
        let both: [SignatureAlgorithm] = [.rs256, .ps256]
        #expect(try JWKSet(bare).keys.map(\.algorithm) == [.rs256])
        #expect(try JWKSet(bare, unlabelledRSA: both).keys.map(\.algorithm) == both)
        #expect(try JWKSet(named, unlabelledRSA: both).keys.map(\.algorithm) == [.rs256])
    }

    @Test(
        "RFC 7517 §9.3, attack D21: a key with a private member is refused",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
    )
    func refusesPrivate(member: String) {
        for object in [ec, okp, rsa] {
            for value in ["AQAB", .null, [], ""] as [JSONValue] {
                #expect(throws: JWKError.privateMembers) { try key(object.with(member, value)) }
            }
        }
    }

    @Test(
        "RFC 7517 §4.2, §4.3, attack D21: a key that is not for verifying is refused",
        arguments: [
            ("use", "enc"), ("use", "SIG"), ("use", ""), ("use", ["sig"]),
            ("key_ops", ["encrypt"]), ("key_ops", ["sign"]), ("key_ops", ""),
            ("key_ops", "verify"), ("key_ops", ["verify", "verify"]), ("key_ops", ["verify", 1]),
        ] as [(String, JSONValue)]
    )
    func refusesPurpose(member: String, value: JSONValue) {
        for object in [ec, okp, rsa] {
            #expect(throws: JWKError.notForSignatures) { try key(object.with(member, value)) }
        }
    }

    @Test("RFC 7517 §4: null counts as absent, and so does an empty list of operations")
    func absent() throws {
        for object in [ec, okp, rsa] {
            let plain = try key(object.with("use", nil).with("alg", nil).with("kid", nil))
            let nulls = object.with("use", .null).with("alg", .null).with("kid", .null)
            #expect(try key(nulls.with("key_ops", [])) == plain)
            #expect(try key(nulls.with("key_ops", .null)) == plain)
        }
    }

    @Test("RFC 7517 §4.3: verify among the operations is enough")
    func acceptsOperations() {
        for value in [["verify"], ["sign", "verify"]] as [JSONValue] {
            #expect(throws: Never.self) { try key(ec.with("key_ops", value)) }
            #expect(throws: Never.self) {
                try key(ec.with("use", nil).with("key_ops", value))
            }
        }
    }

    @Test(
        "RFC 7517 §4.4: an algorithm that is unknown or does not fit the key type is refused",
        arguments: [
            "none", "HS256", "ES384", "ES256K", "RS512", "RSA-OAEP", "es256", "", 1, ["ES256"],
        ] as [JSONValue]
    )
    func refusesAlgorithm(alg: JSONValue) {
        for object in [ec, okp, rsa] {
            #expect(throws: JWKError.algorithmDoesNotFit) { try key(object.with("alg", alg)) }
        }
        for (object, other) in [(ec, "RS256"), (okp, "ES256"), (rsa, "EdDSA")] {
            #expect(throws: JWKError.algorithmDoesNotFit) {
                try key(object.with("alg", .string(other)))
            }
        }
    }

    @Test("RFC 7517 §4.1: a missing or unknown key type, or another curve, is refused")
    func refusesTypes() {
        for kty in ["oct", "ec", "XYZ", "", .null, 1] as [JSONValue] {
            #expect(throws: JWKError.unknownKeyType) { try key(ec.with("kty", kty)) }
        }
        #expect(throws: JWKError.unknownKeyType) { try key(ec.with("kty", nil)) }
        for crv in ["P-384", "P-521", "secp256k1", "p-256", "Ed25519", "", nil] as [JSONValue?] {
            #expect(throws: JWKError.unknownCurve) { try key(ec.with("crv", crv)) }
        }
        for crv in ["Ed448", "X25519", "ed25519", "P-256", nil] as [JSONValue?] {
            #expect(throws: JWKError.unknownCurve) { try key(okp.with("crv", crv)) }
        }
    }

    @Test("RFC 7517 §4.5: a kid is a text of at most 256 bytes")
    func limitsKeyID() {
        let longest = String(repeating: "k", count: 256)
        #expect(throws: Never.self) { try key(ec.with("kid", .string(longest))) }
        #expect(throws: JWKError.keyIDTooLong) {
            try key(ec.with("kid", .string(longest + "k")))
        }
        #expect(throws: JWKError.notAKey) { try key(ec.with("kid", 1)) }
        #expect(throws: JWKError.notAKey) { try key(ec.with("kid", ["k"])) }
    }

    @Test("RFC 7518 §6: a member that is missing or not strict base64url is refused")
    func refusesMalformed() throws {
        for (object, names) in [(ec, ["x", "y"]), (okp, ["x"]), (rsa, ["n", "e"])] {
            for name in names {
                let text = try #require(object.string(name))
                let values: [JSONValue?] = [
                    nil, .null, 1, .string(text + "="), .string(" " + text), "+/", "A",
                ]
                for value in values {
                    #expect(throws: JWKError.notAKey) { try key(object.with(name, value)) }
                }
            }
        }
    }

    @Test(
        "RFC 7518 §6.2.1.2, attack D21: a coordinate of another length, or a point beside the curve"
    )
    func refusesPoints() throws {
        let x = try #require(Base64URL.decode(ec.string("x") ?? ""))
        let y = try #require(Base64URL.decode(ec.string("y") ?? ""))
        var beside = y
        beside[31] ^= 1
        let prime = Base64URL.decode("_____wAAAAEAAAAAAAAAAAAAAAD_______________8") ?? []
        #expect(prime.count == 32)
        let zero = [UInt8](repeating: 0, count: 32)
        let points: [([UInt8], [UInt8])] = [
            (x, beside), (y, x), ([0] + x, y), (Array(x.dropLast()), y), (x, []), (zero, zero),
            (prime, y), (x, prime),
        ]
        for (x, y) in points {
            #expect(throws: JWKError.invalidPoint) {
                try key(
                    ec.with("x", .string(Base64URL.encode(x)))
                        .with("y", .string(Base64URL.encode(y)))
                )
            }
        }
    }

    @Test("RFC 8037 §3.1, attack D21: an Ed25519 key of low order, or not in its proper form")
    func refusesEdwardsPoints() throws {
        // y, little-endian; each also with the sign of x set.
        let lowOrder = [
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "7P_______________________________________38",
            "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
            "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
        ]
        // p, p + 1 (the same points as 0 and 1) and 2^255 - 1.
        let notProper = [
            "7f_______________________________________38",
            "7v_______________________________________38",
            "_________________________________________38",
        ]
        for text in lowOrder + notProper {
            let y = try #require(Base64URL.decode(text))
            #expect(y.count == 32)
            for bytes in [y, y.dropLast() + [(y.last ?? 0) | 0x80]] {
                #expect(throws: JWKError.invalidPoint) {
                    try key(okp.with("x", .string(Base64URL.encode(bytes))))
                }
            }
        }
        let x = try #require(Base64URL.decode(okp.string("x") ?? ""))
        for bytes in [[], Array(x.dropLast()), x + [0]] {
            #expect(throws: JWKError.invalidPoint) {
                try key(okp.with("x", .string(Base64URL.encode(bytes))))
            }
        }
    }

    @Test("RFC 7518 §3.3, attack D21: an RSA key of too few or too many bits is refused")
    func refusesModulus() throws {
        for bits in [512, 1024, 2040, 2047, 8193, 16_384] {
            #expect(throws: JWKError.weakKey) { try key(rsaKey(bits: bits)) }
        }
        for bits in [2048, 2049, 4096, 8192] {
            #expect(throws: Never.self) { try key(rsaKey(bits: bits)) }
        }
        let even = rsa.with(
            "n",
            .string(Base64URL.encode([UInt8](repeating: 0xFE, count: 256)))
        )
        #expect(throws: JWKError.weakKey) { try key(even) }
        #expect(throws: JWKError.weakKey) { try key(rsa.with("n", "AAAA")) }
        #expect(throws: JWKError.weakKey) { try key(rsa.with("n", "")) }
    }

    @Test("RFC 7518 §3.3, attack D21: an RSA exponent that is not sane is refused")
    func refusesExponent() {
        for exponent in [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1], [0, 1]] as [[UInt8]] {
            #expect(throws: JWKError.weakKey) {
                try key(rsa.with("e", .string(Base64URL.encode(exponent))))
            }
        }
        for exponent in [[3], [17], [1, 0, 1], [0, 1, 0, 1]] as [[UInt8]] {
            #expect(throws: Never.self) {
                try key(rsa.with("e", .string(Base64URL.encode(exponent))))
            }
        }
    }

    @Test("RFC 7518 §6.3.1.1: the zero that some libraries put before a modulus does no harm")
    func acceptsLeadingZero() throws {
        let modulus = try #require(Base64URL.decode(rsa.string("n") ?? ""))
        let padded = try key(rsa.with("n", .string(Base64URL.encode([0] + modulus))))
        #expect(padded == (try key(rsa)))
        // It does not make a short modulus long either.
        let short = [0] + [UInt8](repeating: 0xFF, count: 255)
        #expect(throws: JWKError.weakKey) {
            try key(rsa.with("n", .string(Base64URL.encode(short))))
        }
    }

    @Test("RFC 7638 §3.3: a thumbprint does not change with use, alg, kid or order")
    func thumbprint() throws {
        for object in [ec, okp, rsa] {
            let one = JWKThumbprint(try JWK(parsing: object))
            let bare = object.with("use", nil).with("alg", nil).with("kid", "other")
            let other = JWKThumbprint(try JWK(parsing: bare.with("x5t", "AA")))
            #expect(one == other)
            #expect(one.text.utf8.count == 43)
        }
    }

    private func rsaKey(bits: Int) -> JSONObject {
        var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        modulus[0] = 0xFF >> UInt8((8 - bits % 8) % 8)
        return rsa.with("n", .string(Base64URL.encode(modulus)))
    }
}
