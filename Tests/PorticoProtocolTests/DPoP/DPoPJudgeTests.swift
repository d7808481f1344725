import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Proofs of possession, judged")
struct DPoPJudgeTests {
    private let judge = DPoPJudge(nonce: nil)

    @discardableResult
    private func judged(
        _ proof: String...,
        for request: DPoPJudge.Request = ProofForge.request,
        at now: Int64 = ProofForge.now
    ) throws -> DPoPProof? {
        try judge(proof, for: request, at: now)
    }

    /// The header of the RFC's proofs, which have one key.
    private static let header =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0"
        + "VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG1"
        + "0NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"

    private struct Example {
        let claims: String
        let signature: String
        let request: DPoPJudge.Request
        let at: Int64

        var proof: String {
            [DPoPJudgeTests.header, Base64URL.encode(claims.utf8), signature]
                .joined(separator: ".")
        }
    }

    private static let examples = [
        Example(
            claims: #"{"jti":"-BwC3ESc6acc2lTc","htm":"POST","#
                + #""htu":"https://server.example.com/token","iat":1562262616}"#,
            signature: "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NV"
                + "Y-FNyJK70nfbV37xRZT3Lg",
            request: DPoPJudge.Request(method: .post, address: "https://server.example.com/token"),
            at: 1_562_262_616
        ),
        Example(
            claims: #"{"jti":"e1j3V_bKic8-LAEB","htm":"GET","#
                + #""htu":"https://resource.example.org/protectedresource","iat":1562262618,"#
                + #""ath":"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"}"#,
            signature: "2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6"
                + "Fy1dqd-jfxSYoMxhAJpLjA",
            request: DPoPJudge.Request(
                method: .get,
                address: "https://resource.example.org/protectedresource",
                token: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
            ),
            at: 1_562_262_618
        ),
    ]

    @Test("RFC 9449 §4.1, §7.1: the RFC's own proofs are right at their time, and wrong today")
    func examplesOfTheRFC() throws {
        for example in Self.examples {
            let proof = try #require(
                try judged(example.proof, for: example.request, at: example.at)
            )
            #expect(proof.thumbprint.text == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
            #expect(proof.algorithm == .es256)
            #expect(throws: DPoPRefusal.time) {
                try judged(example.proof, for: example.request)
            }
        }
    }

    @Test("RFC9449-4.3: a right proof of each algorithm says whose it is, and none says nothing")
    func right() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let text = try ProofForge.proof(header: ProofForge.header(algorithm), by: algorithm)
            let proof = try #require(try judged(text))
            #expect(proof.algorithm == algorithm)
            #expect(
                try proof.thumbprint == JWKThumbprint(TokenForge.key(algorithm).verificationKey.jwk)
            )
        }
        #expect(try judge([], for: ProofForge.request, at: ProofForge.now) == nil)
    }

    @Test("RFC9449-4.2-2: neither a long jti nor members that no one knows are asked about")
    func lenient() throws {
        let header = try ProofForge.header().with("kid", "k").with("x5u", "https://x.example")
        let claims = ProofForge.claims.with("jti", "0123456789").with("aud", "x").with("scope", "x")
        #expect(try judged(ProofForge.proof(header: header, claims)) != nil)
        // A fraction of a second is left out.
        let late = ProofForge.claims.with("iat", .number(Double(ProofForge.now) + 0.75))
        #expect(try judged(ProofForge.proof(late)) != nil)
    }

    @Test("RFC9449-4.3-1: two DPoP fields are refused, even if they hold the same proof")
    func several() throws {
        let proof = try ProofForge.proof()
        #expect(throws: DPoPRefusal.several) { try judged(proof, proof) }
        #expect(throws: DPoPRefusal.several) { try judged(proof, "") }
    }

    @Test("RFC9449-4.3-2: a field is one well-formed JWT of at most 8,192 bytes")
    func malformed() throws {
        let proof = try ProofForge.proof()
        let parts = proof.split(separator: ".").map(String.init)
        for text in [
            "", ".", "..", "a.b.c", "\(proof), \(proof)", "\(proof),", " \(proof)", "\(proof)=",
            "\(proof)\u{301}", parts[0], "\(parts[0]).\(parts[1])", "\(proof).x", "\(proof).x.y",
            "{}", String(repeating: ".", count: 8_192),
        ] {
            #expect(throws: DPoPRefusal.malformed, "\(text.prefix(20))") { try judged(text) }
        }
        func filled(_ count: Int) throws -> String {
            try ProofForge.proof(
                ProofForge.claims.with("x", .string(String(repeating: "x", count: count)))
            )
        }
        let longest = try filled((8_192 - filled(0).utf8.count) * 3 / 4)
        #expect(longest.utf8.count > 8_188)
        #expect(try judged(longest) != nil)
        #expect(throws: DPoPRefusal.malformed) { try judged(filled(8_192)) }
        // Not JSON, or with a name twice.
        for header in ["x", "[]", #"{"typ":"dpop+jwt","typ":"dpop+jwt","alg":"ES256"}"#] {
            #expect(throws: DPoPRefusal.malformed) { try judged(TokenForge.token(header)) }
        }
    }

    @Test("RFC9449-4.3-3: jti, htm, htu and iat are there, and of the right type")
    func claims() throws {
        for name in ["jti", "htm", "htu", "iat"] {
            for value in [nil, .null, true, 1.5e300, .integer(-1), ["x"], [:], ""] as [JSONValue?] {
                if value == "" && name != "jti" && name != "iat" { continue }
                let claims = ProofForge.claims.with(name, value)
                #expect(throws: DPoPRefusal.claims, "\(name)") {
                    try judged(ProofForge.proof(claims))
                }
            }
        }
        let header = try ProofForge.text(ProofForge.header())
        for payload in ["", "x", "[]", #"{"jti":"a","jti":"b"}"#] {
            #expect(throws: DPoPRefusal.claims) { try judged(TokenForge.token(header, payload)) }
        }
    }

    @Test("RFC9449-4.3-4, RFC9449-11.5-1: another JWT of the same key is no proof")
    func type() throws {
        for type in [
            nil, "JWT", "jwt", "", "at+jwt", "client-authentication+jwt", "dpop", "dpop+jwt ",
            "application/application/dpop+jwt", "oauth-authz-req+jwt",
        ] as [String?] {
            let header = try ProofForge.header().with("typ", type.map { JSONValue.string($0) })
            #expect(throws: DPoPRefusal.type, "\(type ?? "")") {
                try judged(ProofForge.proof(header: header))
            }
        }
        // A media type, with the prefix that may be left out (RFC 7515 §4.1.9).
        let header = try ProofForge.header().with("typ", "application/DPoP+JWT")
        #expect(try judged(ProofForge.proof(header: header)) != nil)
    }

    @Test("RFC9449-4.3-5, RFC9449-11.6-1: an algorithm is asymmetric, and one of those allowed")
    func algorithm() throws {
        for name in [
            "none", "None", "", "HS256", "HS384", "HS512", "ES256K", "ES384", "es256", "RSA1_5",
        ] {
            let header = try ProofForge.header().with("alg", .string(name))
            #expect(throws: DPoPRefusal.algorithm, "\(name)") {
                try judged(ProofForge.proof(header: header))
            }
            let input = TokenForge.input(ProofForge.text(header))
            #expect(throws: DPoPRefusal.algorithm) { try judged(input + ".") }
        }
        #expect(throws: DPoPRefusal.algorithm) {
            try judged(ProofForge.proof(header: ProofForge.header().with("alg", nil)))
        }
        let strict = DPoPJudge(nonce: nil, algorithms: [.es256])
        let other = try ProofForge.proof(header: ProofForge.header(.edDSA), by: .edDSA)
        #expect(throws: DPoPRefusal.algorithm) {
            try strict([other], for: ProofForge.request, at: ProofForge.now)
        }
    }

    @Test("RFC9449-4.3-6: a proof that was changed, or signed by another key, is refused")
    func signature() throws {
        let parts = try ProofForge.proof().split(separator: ".").map(String.init)
        let other = try ProofForge.proof(ProofForge.claims.with("jti", "j-2")).split(separator: ".")
        #expect(throws: DPoPRefusal.signature) {
            try judged("\(parts[0]).\(other[1]).\(parts[2])")
        }
        #expect(throws: DPoPRefusal.signature) { try judged("\(parts[0]).\(parts[1]).") }
        let stranger = try DPoPKey(random: .system)
        let header = try ProofForge.header().with("jwk", .object(stranger.jwk.object))
        #expect(throws: DPoPRefusal.signature) { try judged(ProofForge.proof(header: header)) }
        // What is not signed is not read: the claims are wrong as well.
        #expect(throws: DPoPRefusal.signature) {
            try judged("\(parts[0]).\(Base64URL.encode("x".utf8)).\(parts[2])")
        }
    }

    @Test("a proof that was changed in any one character is refused, and nothing traps")
    func damaged() throws {
        let proof = Array(try ProofForge.proof().utf8)
        var random = SeededGenerator(seed: 9449)
        for index in proof.indices {
            for byte in [UInt8.random(in: 0x21...0x7E, using: &random), UInt8(ascii: ".")] {
                var changed = proof
                changed[index] = byte
                guard changed != proof else { continue }
                let text = String(decoding: changed, as: UTF8.self)
                #expect(throws: DPoPRefusal.self, "\(text)") { try judged(text) }
            }
        }
    }

    @Test("RFC9449-4.3-7: a key with any private member is refused, though its signature is right")
    func privateKey() throws {
        for member in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
            for value in ["AQ", "", .null, []] as [JSONValue] {
                let key = try ProofForge.publicKey().with(member, value)
                let header = try ProofForge.header().with("jwk", .object(key))
                #expect(throws: DPoPRefusal.key, "\(member)") {
                    try judged(ProofForge.proof(header: header))
                }
            }
        }
    }

    @Test("RFC9449-4.2-1: the key is in the proof, public, and fits the algorithm")
    func key() throws {
        let key = try ProofForge.publicKey()
        let wrong: [JSONValue?] = [
            nil, .null, "x", [], [:], .object(key.with("kty", "RSA")),
            .object(key.with("crv", "secp256k1")), .object(key.with("crv", "P-384")),
            .object(key.with("x", key["y"])), .object(key.with("y", nil)),
            .object(key.with("alg", "RS256")), .object(key.with("alg", "ES384")),
            .object(key.with("use", "enc")), .object(key.with("key_ops", ["sign"])),
            .object(["kty": "oct", "k": "c2VjcmV0"]),
            .object(try ProofForge.publicKey(.edDSA)), .object(try ProofForge.publicKey(.rs256)),
        ]
        for (index, jwk) in wrong.enumerated() {
            let header = try ProofForge.header().with("jwk", jwk)
            #expect(throws: DPoPRefusal.key, "\(index)") {
                try judged(ProofForge.proof(header: header))
            }
        }
        let labelled = key.with("alg", "ES256").with("use", "sig").with("key_ops", ["verify"])
        let header = try ProofForge.header().with("jwk", .object(labelled))
        #expect(try judged(ProofForge.proof(header: header)) != nil)
        // Keys beside it are never asked.
        let elsewhere = try ProofForge.header().with("jwk", nil).with("x5c", ["AQ"])
            .with("jku", "https://x.example/jwks")
        #expect(throws: DPoPRefusal.key) { try judged(ProofForge.proof(header: elsewhere)) }
    }

    @Test("RFC9449-4.3-8: htm is the method, letter for letter")
    func method() throws {
        for method in ["post", "Post", "GET", "POST ", "", "POSTX"] {
            #expect(throws: DPoPRefusal.method, "\(method)") {
                try judged(ProofForge.proof(ProofForge.claims.with("htm", .string(method))))
            }
        }
    }

    @Test("RFC9449-4.3-9: htu is the address, in any spelling of scheme, host and port")
    func target() throws {
        for same in [
            "https://op.example.com/token", "HTTPS://OP.EXAMPLE.COM:443/token",
            "https://op.example.com/token?a=b", "https://op.example.com/token#x",
            "https://op.example.com/token?#?",
        ] {
            let claims = ProofForge.claims.with("htu", .string(same))
            #expect(try judged(ProofForge.proof(claims)) != nil, "\(same)")
        }
        for other in [
            "https://op.example.com/other", "https://op.example.com/token/",
            "https://op.example.com/Token", "https://op.example.com/", "https://op.example.com",
            "http://op.example.com/token", "https://op.example.com:8443/token",
            "https://op.example.com.evil.example/token", "https://evil.example/token",
            "https://op.example.com@evil.example/token", "https://u@op.example.com/token",
            "https://op.example.com/t%6Fken", "https://op.example.com//token", "/token", "",
            "https://op.example.com/x/../token", "https://op.example.com/token ",
            "https://op.example.com/tok\u{1D5BE}n", "https://op.example.com/token?\u{E9}",
        ] {
            #expect(throws: DPoPRefusal.target, "\(other)") {
                try judged(ProofForge.proof(ProofForge.claims.with("htu", .string(other))))
            }
        }
    }

    @Test("RFC9449-4.3-11, RFC9449-8-4, RFC9449-11.3-1: no nonce, or an old one, is refused last")
    func nonce() throws {
        let judge = DPoPJudge(nonce: { nonce, now in nonce == "fresh" && now == ProofForge.now })
        func judged(_ claims: JSONObject) throws -> DPoPProof? {
            try judge([ProofForge.proof(claims)], for: ProofForge.request, at: ProofForge.now)
        }
        #expect(try judged(ProofForge.claims.with("nonce", "fresh")) != nil)
        for nonce in [nil, .null, "", "old", 1, ["fresh"]] as [JSONValue?] {
            #expect(throws: DPoPRefusal.nonce) {
                try judged(ProofForge.claims.with("nonce", nonce))
            }
        }
        // What a new nonce does not mend is said first.
        #expect(throws: DPoPRefusal.method) { try judged(ProofForge.claims.with("htm", "GET")) }
        let hashed = ProofForge.claims.with("ath", "x")
        #expect(throws: DPoPRefusal.unexpectedHash) { try judged(hashed) }
        // Where none is demanded, none is looked at.
        #expect(try self.judged(ProofForge.proof(ProofForge.claims.with("nonce", "old"))) != nil)
        let long = DPoPJudge(nonce: { _, _ in true })
        func proof(_ count: Int) throws -> String {
            let nonce = JSONValue.string(String(repeating: "n", count: count))
            return try ProofForge.proof(ProofForge.claims.with("nonce", nonce))
        }
        #expect(try long([proof(1_024)], for: ProofForge.request, at: ProofForge.now) != nil)
        #expect(throws: DPoPRefusal.nonce) {
            try long([proof(1_025)], for: ProofForge.request, at: ProofForge.now)
        }
    }

    @Test("RFC9449-4.3-12: iat is at most 190 seconds ago and 180 ahead")
    func time() throws {
        for (offset, isGood) in [
            (-190, true), (-191, false), (180, true), (181, false), (-600, false), (600, false),
        ] as [(Int64, Bool)] {
            let claims = ProofForge.claims.with("iat", .integer(ProofForge.now + offset))
            if isGood {
                let proof = try #require(try judged(ProofForge.proof(claims)))
                // From then on, and not before, a repeat is refused by its age.
                #expect(proof.expiresAt == ProofForge.now + offset + 191)
            } else {
                #expect(throws: DPoPRefusal.time) { try judged(ProofForge.proof(claims)) }
            }
        }
    }

    @Test(
        "RFC 7519 §4.1.4, §4.1.5: a proof that has exp or nbf is taken within them only",
        arguments: [
            ("exp", 0, false), ("exp", 1, true), ("exp", -600, false), ("nbf", -600, true),
            ("nbf", 180, true), ("nbf", 181, false),
        ] as [(String, Int64, Bool)]
    )
    func life(name: String, offset: Int64, isGood: Bool) throws {
        let claims = ProofForge.claims.with(name, .integer(ProofForge.now + offset))
        if isGood {
            #expect(try judged(ProofForge.proof(claims)) != nil)
        } else {
            #expect(throws: DPoPRefusal.time) { try judged(ProofForge.proof(claims)) }
        }
        let text = ProofForge.claims.with(name, "tomorrow")
        #expect(throws: DPoPRefusal.claims) { try judged(ProofForge.proof(text)) }
    }

    @Test("RFC9449-4.2-3, RFC9449-4.3-13: ath is the hash of the token, if there is a token")
    func hash() throws {
        let request = DPoPJudge.Request(
            method: .post,
            address: ProofForge.address,
            token: "token-1"
        )
        let right = JSONValue.string(Base64URL.encode(SHA256.hash(data: Array("token-1".utf8))))
        let proof = try ProofForge.proof(ProofForge.claims.with("ath", right))
        #expect(try judged(proof, for: request) != nil)
        #expect(throws: DPoPRefusal.unexpectedHash) { try judged(proof) }
        let other = Base64URL.encode(SHA256.hash(data: Array("token-2".utf8)))
        for wrong in [nil, .null, "", "token-1", .string(other), [right], 1] as [JSONValue?] {
            #expect(throws: DPoPRefusal.hash) {
                try judged(ProofForge.proof(ProofForge.claims.with("ath", wrong)), for: request)
            }
        }
    }

    @Test("RFC9449-11.1-2: a jti has at most 1,024 bytes, and is known by a hash of key and jti")
    func replay() throws {
        func key(_ jti: String, _ algorithm: SignatureAlgorithm = .es256) throws -> Hash256? {
            let claims = ProofForge.claims.with("jti", .string(jti))
            return try judged(
                ProofForge.proof(header: ProofForge.header(algorithm), claims, by: algorithm)
            )?.replayKey
        }
        #expect(try key("a") == key("a"))
        #expect(try key("a") != key("b"))
        #expect(try key("a") != key("a", .edDSA))
        // Two spellings of one letter are two texts.
        #expect(try key("\u{E9}") != key("e\u{301}"))
        #expect(try key(String(repeating: "j", count: 1_024)) != nil)
        #expect(throws: DPoPRefusal.claims) { try key(String(repeating: "j", count: 1_025)) }
    }

    @Test("RFC9449-5-3, RFC9449-8-1: only what a nonce mends is told as use_dpop_nonce")
    func errors() {
        for refusal in DPoPRefusal.allCases {
            let error = refusal.error
            #expect(error.code == (refusal == .nonce ? .useDPoPNonce : .invalidDPoPProof))
            #expect(error.description.utf8.allSatisfy { $0.isVisible || $0 == 0x20 })
            #expect(!error.description.utf8.contains { $0 == 0x22 || $0 == 0x5C })
        }
        #expect(Set(DPoPRefusal.allCases.map(\.error.description)).count == 13)
    }
}
