import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Proofs of possession, made")
struct DPoPKeyTests {
    private let moment = Moment(
        now: Date(timeIntervalSince1970: 1_800_000_000.75),
        random: .system
    )

    private func address(_ text: String) throws -> HTTPAddress {
        try #require(HTTPAddress(text))
    }

    private func claims(_ proof: String) throws -> JSONObject {
        try JWT(parsing: proof).uncheckedClaims()
    }

    @Test("RFC9449-4.2-1: the header has typ, alg and the public key, and nothing else")
    func header() throws {
        let key = try DPoPKey(random: .system)
        let proof = try key.proof(.post, address("https://op.example.com/token"), at: moment)
        let header = try JWT(parsing: proof).header.members
        #expect(header.map { $0.name } == ["typ", "alg", "jwk"])
        #expect(header.string("typ") == "dpop+jwt")
        #expect(header.string("alg") == "ES256")
        let jwk = try #require(header.object("jwk"))
        #expect(jwk.map { $0.name } == ["crv", "kty", "x", "y"])
        #expect(try JWKThumbprint(JWK(parsing: jwk)) == key.thumbprint)
    }

    @Test("RFC9449-4.2-2: jti is new for each proof; htm, htu and iat are those of the request")
    func claims() throws {
        let key = try DPoPKey(random: .system)
        let target = try address("HTTPS://Op.Example.com:443/a/%2Fb?x=y")
        let first = try claims(key.proof(.get, target, at: moment))
        #expect(first.map { $0.name } == ["jti", "htm", "htu", "iat"])
        #expect(first.string("htm") == "GET")
        #expect(first.string("htu") == "https://op.example.com/a/%2Fb")
        #expect(first.int64("iat") == 1_800_000_000)
        // 128 random bits.
        #expect(first.string("jti").flatMap { Base64URL.decode($0) }?.count == 16)
        let second = try claims(key.proof(.get, target, at: moment))
        #expect(first.string("jti") != second.string("jti"))
    }

    @Test("RFC9449-4.2-3, RFC9449-4.2-4: token and nonce are named if there are any")
    func tokenAndNonce() throws {
        let key = try DPoPKey(random: .system)
        let found = try claims(
            key.proof(
                .get,
                address("https://resource.example.org/protectedresource"),
                token: SecretText("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"),
                nonce: "n-1",
                at: moment
            )
        )
        // RFC 9449 §7.1.
        #expect(found.string("ath") == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(found.string("nonce") == "n-1")
        #expect(found.string("htm") == "GET")
    }

    @Test("RFC9449-5-6: a kept key makes proofs of the same thumbprint, which the judge takes")
    func kept() throws {
        let key = try DPoPKey(random: .system)
        let again = try DPoPKey(stored: key.revealStored())
        #expect(again.thumbprint == key.thumbprint)
        #expect(key.revealStored().count == 32)
        let proof = try again.proof(
            .post,
            address("https://op.example.com/token"),
            token: SecretText("t"),
            nonce: "n",
            at: moment
        )
        let judge = DPoPJudge(nonce: { nonce, _ in nonce == "n" })
        let request = DPoPJudge.Request(
            method: .post,
            address: "https://op.example.com/token",
            token: "t"
        )
        let judged = try judge([proof], for: request, at: 1_800_000_000)
        #expect(judged?.thumbprint == key.thumbprint)
        #expect(try DPoPKey(random: .system).thumbprint != key.thumbprint)
    }

    @Test("bytes that are no key are refused, and a source without chance gives none")
    func noKey() {
        let order =
            Hexadecimal.bytes(
                "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".utf8
            ) ?? []
        for bytes in [[], [1], [UInt8](repeating: 0, count: 32), order] {
            #expect(throws: JWKError.invalidPrivateKey) { try DPoPKey(stored: bytes) }
        }
        let zeros = RandomSource { [UInt8](repeating: 0, count: $0) }
        #expect(throws: JWKError.invalidPrivateKey) { try DPoPKey(random: zeros) }
    }

    @Test("a key shows nothing of itself")
    func redacts() throws {
        let key = try DPoPKey(random: .system)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "DPoPKey")
        #expect(String(reflecting: key) == "DPoPKey")
        #expect(!dumped.contains("P256"))
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}

@Suite("The address that a proof is for")
struct TargetURITests {
    @Test(
        "RFC9449-4.3-9, RFC 3986 §6.2: scheme, host, port and an empty path have one spelling",
        arguments: [
            ("https://op.example.com", "https://op.example.com/"),
            ("https://op.example.com:443", "https://op.example.com/"),
            ("http://op.example.com:80/a", "http://op.example.com/a"),
            ("https://op.example.com:80/a", "https://op.example.com:80/a"),
            ("HTTPS://OP.Example.com/A", "https://op.example.com/A"),
            ("https://[2001:DB8::1]:8443/a", "https://[2001:db8::1]:8443/a"),
            ("https://op.example.com/a%2fb", "https://op.example.com/a%2fb"),
            ("https://op.example.com/a?b#c", "https://op.example.com/a"),
            ("https://op.example.com?b", "https://op.example.com/"),
        ]
    )
    func normalized(text: String, expected: String) {
        #expect(TargetURI.normalized(text) == expected)
        #expect(TargetURI.normalized(expected) == expected)
    }

    @Test("what is no http address, longer than 2,048 bytes or not ASCII has none")
    func refused() {
        for text in [
            "", "op.example.com", "//op.example.com", "ftp://op.example.com/", "https:///a",
            "https://u@op.example.com/", "https://op.example.com:0/", "https://op.example.com/ a",
            "https://\u{F6}p.example.com/", "https://op.example.com/?\u{F6}",
        ] {
            #expect(TargetURI.normalized(text) == nil, "\(text)")
        }
        let base = "https://op.example.com/"
        let rest = String(repeating: "a", count: 2_048 - base.utf8.count)
        #expect(TargetURI.normalized(base + rest) == base + rest)
        #expect(TargetURI.normalized(base + rest + "a") == nil)
        #expect(TargetURI.normalized(base + "?" + rest) == nil)
    }
}
