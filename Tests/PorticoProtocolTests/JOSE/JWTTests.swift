import Crypto
import CryptoExtras
import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("JWT verification")
struct JWTTests {
    @Test(
        "A token of each algorithm verifies and gives its claims",
        arguments: SignatureAlgorithm.allCases
    )
    func verifies(algorithm: SignatureAlgorithm) throws {
        let key = try TokenForge.key(algorithm)
        let token = try key.sign(claims: Array(TokenForge.claims.utf8), type: .jwt)
        let verified = try TokenForge.verify(token, allowing: [algorithm])
        #expect(verified.claims.string("sub") == "alice")
        #expect(verified.header.keyID == key.keyID)
        #expect(verified.key == key.verificationKey)
        #expect(verified.type == .jwt)
    }

    @Test(
        "attack D01: a token without a signature is refused, however none is spelled",
        arguments: [
            "none", "None", "NONE", "nOnE", "", " none", "ES256 ", "es256", "\u{45}S256\u{301}",
        ]
    )
    func refusesNone(name: String) throws {
        let input = TokenForge.input(#"{"alg":"\#(name)","kid":"ec1"}"#)
        #expect(throws: JOSEError.algorithmNotAllowed) { try TokenForge.verify(input + ".") }
        #expect(throws: JOSEError.algorithmNotAllowed) {
            try TokenForge.verify(TokenForge.token(#"{"alg":"\#(name)","kid":"ec1"}"#))
        }
    }

    @Test(
        "attack D02: a MAC keyed with the public key is refused, whatever form of the key is used",
        arguments: ["HS256", "HS384", "HS512"]
    )
    func refusesAlgorithmConfusion(name: String) throws {
        let publicKey = try _RSA.Signing.PrivateKey(
            derRepresentation: TokenForge.rs256.revealStored()
        ).publicKey
        let jwk = try TokenForge.rs256.verificationKey.jwk.object.serialized()
        let secrets: [Data] = [
            Data(publicKey.pemRepresentation.utf8), publicKey.derRepresentation,
            publicKey.pkcs1DERRepresentation, Data(jwk),
            try publicKey.getKeyPrimitives().modulus,
        ]
        let input = TokenForge.input(#"{"alg":"\#(name)","kid":"rs1"}"#)
        for secret in secrets {
            let key = SymmetricKey(data: secret)
            let mac =
                switch name {
                case "HS256":
                    Array(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key))
                case "HS384":
                    Array(HMAC<SHA384>.authenticationCode(for: Data(input.utf8), using: key))
                default: Array(HMAC<SHA512>.authenticationCode(for: Data(input.utf8), using: key))
                }
            #expect(throws: JOSEError.algorithmNotAllowed) {
                try TokenForge.verify(TokenForge.token(input, signature: mac))
            }
        }
    }

    @Test("RFC 7515 §4.1.1: an algorithm that is not allowed is refused before any key is touched")
    func checksAlgorithmFirst() throws {
        let token = try TokenForge.p256.sign(claims: Array(TokenForge.claims.utf8), type: .jwt)
        let untouchable = AnySequence<VerificationKey> { () -> AnyIterator<VerificationKey> in
            Issue.record("a key was looked at")
            return AnyIterator { nil }
        }
        for allowed in [[], [.rs256], [.rs256, .edDSA, .ps256]] as [Set<SignatureAlgorithm>] {
            #expect(throws: JOSEError.algorithmNotAllowed) {
                try JWT(parsing: token).verified(by: untouchable, allowing: allowed, types: [.jwt])
            }
            #expect(throws: JOSEError.algorithmNotAllowed) {
                try JWS(parsing: token.utf8).signer(among: untouchable, allowing: allowed)
            }
        }
    }

    @Test(
        "RFC 8725 §3.1: a key signs with its own algorithm only, a header that names another is refused",
        arguments: SignatureAlgorithm.allCases,
        SignatureAlgorithm.allCases
    )
    func bindsAlgorithm(keyAlgorithm: SignatureAlgorithm, named: SignatureAlgorithm) throws {
        guard keyAlgorithm != named else { return }
        let key = try TokenForge.key(keyAlgorithm)
        let token = try key.sign(claims: Array(TokenForge.claims.utf8), type: .jwt)
        let signature = token.split(separator: ".")[2]
        let forged =
            TokenForge.input(#"{"alg":"\#(named.rawValue)","kid":"\#(key.keyID)"}"#) + "."
            + signature
        #expect(throws: JOSEError.unknownKey) { try TokenForge.verify(forged) }
        #expect(try !JWS(parsing: forged.utf8).isSigned(by: key.verificationKey))
    }

    @Test("RFC 8725 §3.1: a right signature under the name of another algorithm is worth nothing")
    func refusesRightSignatureWithWrongName() throws {
        let token = try TokenForge.token(#"{"alg":"RS256","kid":"ec1"}"#)
        let key = try TokenForge.p256.verificationKey
        #expect(try !JWS(parsing: token.utf8).isSigned(by: key))
        #expect(throws: JOSEError.unknownKey) {
            try JWT(parsing: token).verified(
                by: [key],
                allowing: [.rs256, .es256],
                types: [.jwt]
            )
        }
    }

    @Test("OpenID Connect Core §10.1: the kid decides; a key of another name is never tried")
    func keyIDFirst() throws {
        let right = try TokenForge.p256
        let wrong = try SigningKey(generating: .es256, keyID: "ec2", random: .system)
        let keys = [wrong.verificationKey, right.verificationKey]
        func verify(_ token: String) throws -> VerifiedJWT {
            try JWT(parsing: token).verified(by: keys, allowing: [.es256], types: [.jwt])
        }
        #expect(try verify(TokenForge.token(#"{"alg":"ES256","kid":"ec1"}"#)).key.keyID == "ec1")
        #expect(throws: JOSEError.invalidSignature) {
            try verify(TokenForge.token(#"{"alg":"ES256","kid":"ec2"}"#))
        }
        for unknown in ["ec3", "", "EC1", "ec1 ", "../ec1", "ec1' OR '1'='1"] {
            #expect(throws: JOSEError.unknownKey) {
                try verify(TokenForge.token(#"{"alg":"ES256","kid":"\#(unknown)"}"#))
            }
        }
    }

    @Test("OpenID Connect Core §3.1.3.7-6: without a kid all keys that fit are tried")
    func withoutKeyID() throws {
        let token = try TokenForge.token(#"{"alg":"ES256"}"#)
        #expect(try TokenForge.verify(token).key == TokenForge.p256.verificationKey)
        let others = try (0..<3).map { _ in
            try SigningKey(generating: .es256, random: .system).verificationKey
        }
        let keys = try others + [TokenForge.p256.verificationKey]
        #expect(
            try JWT(parsing: token).verified(by: keys, allowing: [.es256], types: [.jwt]).key.keyID
                == "ec1"
        )
        #expect(throws: JOSEError.invalidSignature) {
            try JWT(parsing: token).verified(by: others, allowing: [.es256], types: [.jwt])
        }
        #expect(throws: JOSEError.unknownKey) {
            try JWT(parsing: token).verified(
                by: [TokenForge.rs256.verificationKey],
                allowing: [.es256],
                types: [.jwt]
            )
        }
    }

    @Test(
        "RFC 8725 §3.10: keys that a header brings along or points to are not used",
        arguments: ["jwk", "jku", "x5u", "x5c", "x5t"]
    )
    func ignoresHeaderKeys(member: String) throws {
        let attacker = try SigningKey(generating: .es256, keyID: "ec1", random: .system)
        let value: JSONValue =
            member == "jwk"
            ? .object(attacker.verificationKey.jwk.object) : "https://evil.example/jwks"
        let header: JSONObject = ["alg": "ES256", "kid": "ec1"]
        let text = String(decoding: header.with(member, value).serialized(), as: UTF8.self)
        let input = TokenForge.input(text)
        let key = try P256.Signing.PrivateKey(rawRepresentation: attacker.revealStored())
        let forged = TokenForge.token(
            input,
            signature: Array(try key.signature(for: Data(input.utf8)).rawRepresentation)
        )
        #expect(throws: JOSEError.invalidSignature) { try TokenForge.verify(forged) }
        // And a token of the right key is none the worse for such a member.
        #expect(throws: Never.self) { try TokenForge.verify(TokenForge.token(text)) }
    }

    @Test("attack D04: an ES256 signature in any other form is refused")
    func refusesSignatureForms() throws {
        let input = TokenForge.input(#"{"alg":"ES256","kid":"ec1"}"#)
        let key = try P256.Signing.PrivateKey(rawRepresentation: TokenForge.p256.revealStored())
        let signature = try key.signature(for: Data(input.utf8))
        let raw = Array(signature.rawRepresentation)
        #expect(throws: Never.self) {
            try TokenForge.verify(TokenForge.token(input, signature: raw))
        }
        let n = Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE") ?? []
        #expect(n.count == 32)
        let zero = [UInt8](repeating: 0, count: 32)
        let r = Array(raw[..<32])
        let s = Array(raw[32...])
        let forms: [[UInt8]] = [
            Array(signature.derRepresentation), Array(raw[..<63]), raw + [0], [0] + raw,
            [0] + r + [0] + s, zero + zero, r + zero, zero + s, r + n, n + s,
            [UInt8](repeating: 0xFF, count: 64), [], [0], s + r,
        ]
        for form in forms {
            #expect(throws: JOSEError.invalidSignature) {
                try TokenForge.verify(TokenForge.token(input, signature: form))
            }
        }
    }

    @Test("RFC 8037 §3.1: an EdDSA signature has 64 bytes and its s is below the order")
    func refusesEdwardsForms() throws {
        let token = try TokenForge.ed25519.sign(claims: Array(TokenForge.claims.utf8), type: .jwt)
        let parts = token.split(separator: ".")
        let input = parts[0] + "." + parts[1]
        let signature = try #require(Base64URL.decode(String(parts[2])))
        // L, little-endian: adding it to s changes the text but not the equation.
        let order: [UInt8] = [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9,
            0xDE, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ]
        var malleable = signature
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            malleable[32 + index] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        for form in [malleable, signature + [0], Array(signature[..<63]), []] {
            #expect(throws: JOSEError.invalidSignature) {
                try TokenForge.verify(TokenForge.token(String(input), signature: form))
            }
        }
    }

    @Test("RFC 7518 §3.3: an RSA signature is as long as the modulus, and RS256 is not PS256")
    func refusesRSAForms() throws {
        let token = try TokenForge.rs256.sign(claims: Array(TokenForge.claims.utf8), type: .jwt)
        let parts = token.split(separator: ".")
        let input = parts[0] + "." + parts[1]
        let signature = try #require(Base64URL.decode(String(parts[2])))
        for form in [[], Array(signature.dropLast()), [0] + signature, signature + [0]] {
            #expect(throws: JOSEError.invalidSignature) {
                try TokenForge.verify(TokenForge.token(String(input), signature: form))
            }
        }
        // One key, two names: what was made with one padding is nothing with the other.
        let renamed = TokenForge.input(#"{"alg":"PS256","kid":"ps1"}"#)
        #expect(throws: JOSEError.invalidSignature) {
            try TokenForge.verify(TokenForge.token(renamed, signature: signature))
        }
    }

    @Test(
        "A changed header, payload or signature is refused",
        arguments: SignatureAlgorithm.allCases
    )
    func refusesChanges(algorithm: SignatureAlgorithm) throws {
        let key = try TokenForge.key(algorithm)
        let token = try key.sign(claims: Array(TokenForge.claims.utf8), type: .jwt)
        let parts = token.split(separator: ".").map(String.init)
        let bob = Base64URL.encode(TokenForge.claims.replacing("alice", with: "bob").utf8)
        let header = Base64URL.encode(
            #"{"alg":"\#(algorithm.rawValue)","kid":"\#(key.keyID)"}"#.utf8
        )
        for forged in [
            "\(parts[0]).\(bob).\(parts[2])", "\(header).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[2].reversed().map(String.init).joined())",
            "\(parts[0]).\(parts[1]).",
        ] {
            #expect(throws: JOSEError.self) { try TokenForge.verify(forged) }
        }
    }
}
