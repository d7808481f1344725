import Crypto
import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Tokens with a code of a shared secret")
struct HMACKeyTests {
    private let secret = (0..<128).map { UInt8(truncatingIfNeeded: $0 * 7) }

    private func token(
        _ algorithm: HMACAlgorithm,
        header: String? = nil,
        payload: String = #"{"sub":"alice"}"#,
        secret: [UInt8]? = nil
    ) -> String {
        let input = TokenForge.input(
            header ?? #"{"alg":"\#(algorithm.rawValue)","typ":"JWT","kid":"k1"}"#,
            payload
        )
        let key = SymmetricKey(data: secret ?? self.secret)
        let message = Data(input.utf8)
        let code: [UInt8] =
            switch algorithm {
            case .hs256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .hs384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
            case .hs512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        return TokenForge.token(input, signature: code)
    }

    private func claims(_ token: String, _ key: HMACKey) throws -> JSONObject {
        try HMACToken(parsing: token.utf8).claims(verifiedBy: key)
    }

    @Test("RFC 7515 A.1: the example of HS256")
    func example() throws {
        let secret = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
            )
        )
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
            + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
            + "Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let key = try HMACKey(.hs256, secret: secret, keyID: nil)
        #expect(try claims(token, key).string("iss") == "joe")
    }

    @Test("RFC 7518 §3.2: a code verifies with its own secret, algorithm and name only")
    func verifies() throws {
        for algorithm in HMACAlgorithm.allCases {
            let text = token(algorithm)
            let key = try HMACKey(algorithm, secret: secret, keyID: "k1")
            #expect(try claims(text, key) == ["sub": "alice"])
            #expect(try HMACToken(parsing: text.utf8).header.keyID == "k1")
            var wrong = secret
            wrong[127] ^= 1
            let others = try HMACKey(algorithm, secret: wrong, keyID: "k1")
            #expect(throws: JOSEError.invalidSignature) { try claims(text, others) }
            for name in ["k2", "K1", nil] {
                let key = try HMACKey(algorithm, secret: secret, keyID: name)
                #expect(throws: JOSEError.unknownKey) { try claims(text, key) }
            }
            for other in HMACAlgorithm.allCases where other != algorithm {
                let key = try HMACKey(other, secret: secret, keyID: "k1")
                #expect(throws: JOSEError.algorithmNotAllowed) { try claims(text, key) }
            }
            // A token that names no key fits each.
            let unnamed = token(algorithm, header: #"{"alg":"\#(algorithm.rawValue)"}"#)
            #expect(try claims(unnamed, key) == ["sub": "alice"])
        }
    }

    @Test("RFC 8725 §3.1: a code made by another algorithm than the header's is wrong")
    func otherCode() throws {
        let key = try HMACKey(.hs512, secret: secret, keyID: "k1")
        let text = token(.hs256, header: #"{"alg":"HS512","kid":"k1"}"#)
        #expect(throws: JOSEError.invalidSignature) { try claims(text, key) }
    }

    @Test("RFC 7515 §5.2: a changed, shortened or missing code is wrong")
    func changes() throws {
        let key = try HMACKey(.hs512, secret: secret, keyID: "k1")
        let text = token(.hs512)
        let parts = text.split(separator: ".").map(String.init)
        let code = try #require(Base64URL.decode(parts[2]))
        let codes = [[], Array(code.dropLast()), code + [0], [code[0] ^ 1] + code.dropFirst()]
        for code in codes {
            let changed = "\(parts[0]).\(parts[1]).\(Base64URL.encode(code))"
            #expect(throws: JOSEError.invalidSignature) { try claims(changed, key) }
        }
        let payload = Base64URL.encode(#"{"sub":"mallory"}"#.utf8)
        #expect(throws: JOSEError.invalidSignature) {
            try claims("\(parts[0]).\(payload).\(parts[2])", key)
        }
    }

    @Test("RFC 8725 §2.1: no signature's algorithm, and not none, passes for a code")
    func algorithms() throws {
        let names = SignatureAlgorithm.allCases.map(\.rawValue) + ["none", "hs512", "HS1", ""]
        for name in names {
            let text = token(.hs512, header: #"{"alg":"\#(name)","kid":"k1"}"#)
            #expect(throws: JOSEError.algorithmNotAllowed) { try HMACToken(parsing: text.utf8) }
        }
        for algorithm in HMACAlgorithm.allCases {
            #expect(throws: JOSEError.algorithmNotAllowed) {
                try JWS(parsing: token(algorithm).utf8)
            }
        }
        let critical = token(.hs512, header: #"{"alg":"HS512","crit":["exp"]}"#)
        #expect(throws: JOSEError.criticalHeader) { try HMACToken(parsing: critical.utf8) }
    }

    @Test("RFC 7519 §7.2: a payload that is no object is shown to no one")
    func payloads() throws {
        let key = try HMACKey(.hs512, secret: secret, keyID: "k1")
        for payload in ["", "[]", "7", #"{"a":1,"a":2}"#] {
            let text = token(.hs512, payload: payload)
            #expect(throws: JOSEError.invalidClaims) { try claims(text, key) }
        }
    }

    @Test("RFC 7518 §3.2: a secret shorter than the hash is refused")
    func shortSecrets() throws {
        for (algorithm, length) in [(HMACAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64)] {
            #expect(throws: Never.self) {
                try HMACKey(algorithm, secret: Array(secret[..<length]), keyID: nil)
            }
            #expect(throws: JWKError.weakKey) {
                try HMACKey(algorithm, secret: Array(secret[..<(length - 1)]), keyID: nil)
            }
        }
        #expect(throws: JWKError.keyIDTooLong) {
            try HMACKey(.hs256, secret: secret, keyID: String(repeating: "k", count: 257))
        }
        #expect("\(try HMACKey(.hs256, secret: secret, keyID: "k1"))" == "HMACKey(HS256)")
    }
}
