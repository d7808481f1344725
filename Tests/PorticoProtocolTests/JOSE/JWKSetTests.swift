import PorticoBytes
import PorticoProtocol
import Testing

@Suite("JWK set")
struct JWKSetTests {
    private static let ec = TokenForge.jwk(.es256)
    private static let rsa = TokenForge.jwk(.rs256)

    private func set(_ keys: [JSONValue]) throws -> JWKSet {
        let object: JSONObject = ["keys": .array(keys)]
        return try JWKSet(parsing: object.serialized())
    }

    @Test("RFC 7517 §5: keys that cannot be used are skipped, the others work")
    func skipsUnusable() throws {
        let set = try set([
            .object(Self.ec.with("kid", "enc").with("use", "enc")),
            .object(Self.ec.with("kid", "leaked").with("d", "AA")),
            .object(["kty": "XYZ", "kid": "new"]),
            "not a key", .null, [],
            .object(Self.rsa.with("kid", "weak").with("n", "s5U")),
            .object(Self.ec),
        ])
        #expect(set.keys.map(\.keyID) == ["ec1"])
        #expect(
            set.refusals == [
                .notForSignatures, .privateMembers, .unknownKeyType, .notAKey, .notAKey, .notAKey,
                .weakKey,
            ]
        )
    }

    @Test(
        "RFC 7517 §5, attack D21: what is not a set is refused",
        arguments: [
            "", "<html>", "[]", "null", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":"x"}"#,
            #"{"keys":[],"keys":[]}"#, #"{"KEYS":[]}"#, #"{"keys":[]"#,
        ]
    )
    func refusesOthers(text: String) {
        #expect(throws: JWKError.notASet) { try JWKSet(parsing: text.utf8) }
    }

    @Test("attack D21: a set of ten megabytes or of thousands of keys is refused")
    func limits() throws {
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 10 * 1024 * 1024)
        #expect(throws: JWKError.notASet) {
            try JWKSet(parsing: Array(#"{"keys":[]}"#.utf8) + large)
        }
        #expect(throws: JWKError.tooManyKeys) {
            try set([JSONValue](repeating: [:], count: 101))
        }
        #expect(try set([JSONValue](repeating: [:], count: 100)).keys.isEmpty)
    }

    @Test(
        "RFC 7517 §4.5, attack D21: of two keys with one kid neither is used, unless alg tells which"
    )
    func duplicateKeyIDs() throws {
        let other = try SigningKey(generating: .es256, keyID: "ec1", random: .system)
        let ambiguous = try set([.object(Self.ec), .object(other.verificationKey.jwk.object)])
        #expect(ambiguous.keys.isEmpty)
        #expect(ambiguous.refusals == [.ambiguousKeyID, .ambiguousKeyID])
        let token = try TokenForge.token(#"{"alg":"ES256","kid":"ec1"}"#)
        #expect(throws: JOSEError.unknownKey) {
            try JWT(parsing: token).verified(
                by: ambiguous.keys,
                allowing: [.es256],
                types: [.jwt]
            )
        }

        let told = try set([.object(Self.ec), .object(Self.rsa.with("kid", "ec1"))])
        #expect(told.keys.map(\.algorithm) == [.es256, .rs256])
        let header = try JWT(parsing: token).header
        #expect(try told.keys(fitting: header) == [TokenForge.p256.verificationKey])

        let repeated = try set([.object(Self.ec), .object(Self.ec)])
        #expect(try repeated.keys == [TokenForge.p256.verificationKey])
        #expect(repeated.refusals.isEmpty)

        let nameless = try set([
            .object(Self.ec.with("kid", nil)),
            .object(other.verificationKey.jwk.object.with("kid", nil)),
        ])
        #expect(nameless.keys.count == 2)
    }

    @Test(
        "OpenID Connect Core §10.1: a header finds the keys of its kid and algorithm, and no others"
    )
    func fitting() throws {
        let set = JWKSet(
            try SignatureAlgorithm.allCases.map { try TokenForge.key($0).verificationKey }
        )
        func found(_ header: String) throws -> [String?] {
            let token = TokenForge.token(TokenForge.input(header), signature: [1])
            return set.keys(fitting: try JWT(parsing: token).header).map(\.keyID)
        }
        #expect(try found(#"{"alg":"RS256","kid":"rs1"}"#) == ["rs1"])
        #expect(try found(#"{"alg":"RS256","kid":"ec1"}"#) == [])
        #expect(try found(#"{"alg":"RS256","kid":"nope"}"#) == [])
        #expect(try found(#"{"alg":"EdDSA"}"#) == ["ed1"])
    }

    @Test("JOSE-X-1: a published set has public members only")
    func serializes() throws {
        let keys = try SignatureAlgorithm.allCases.map { try TokenForge.key($0) }
        let text = JWKSet(keys.map(\.verificationKey)).serialized()
        let published = try JSONObject(parsing: text)
        let members = Set(
            (published.array("keys") ?? []).flatMap { $0.object.map { $0.map(\.name) } ?? [] }
        )
        #expect(members == ["kty", "kid", "use", "alg", "crv", "x", "y", "n", "e"])
        #expect(try JWKSet(parsing: text).keys == keys.map(\.verificationKey))
        for key in [try TokenForge.p256, try TokenForge.ed25519] {
            let secret = Base64URL.encode(key.revealStored())
            #expect(!String(decoding: text, as: UTF8.self).contains(secret))
        }
    }
}
