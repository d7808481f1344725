import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("JWS in compact serialization")
struct JWSTests {
    @Test("RFC 7515 §7.1: a proper token is taken apart")
    func parses() throws {
        let token = try TokenForge.token(#"{"alg":"ES256","kid":"ec1","typ":"JWT","x":1}"#)
        let jws = try JWS(parsing: token.utf8)
        #expect(jws.header.algorithm == .es256)
        #expect(jws.header.keyID == "ec1")
        #expect(jws.header.type == "JWT")
        #expect(jws.header.members.int64("x") == 1)
        #expect(jws.uncheckedPayload == Array(TokenForge.claims.utf8))
    }

    private static let header = Base64URL.encode(#"{"alg":"ES256"}"#.utf8)

    @Test(
        "RFC 7515 §5.2: what is not three parts of strict base64url is refused",
        arguments: [
            ("", .notCompact),
            ("e30", .notCompact),
            ("\(header).e30", .notCompact),
            ("\(header).e30.AA.AA", .notCompact),
            ("\(header).e30.AA.", .notCompact),
            (".\(header).e30.AA", .notCompact),
            ("\(header).e30.AA.AA.AA.AA", .notCompact),
            ("\(header)=.e30.AA", .notBase64URL),
            ("\(header).e30=.AA", .notBase64URL),
            ("\(header).e30.AA==", .notBase64URL),
            ("\(header).e31.AA", .notBase64URL),
            ("\(header).e30.AB", .notBase64URL),
            ("\(header).e3 0.AA", .notBase64URL),
            (" \(header).e30.AA", .notBase64URL),
            ("\(header).e30.AA\n", .notBase64URL),
            ("\(header).e3+0.AAA", .notBase64URL),
            ("\(header).e3/0.AAA", .notBase64URL),
            ("\(header).é.AA", .notBase64URL),
            (".e30.AA", .invalidHeader),
            ("..", .invalidHeader),
        ] as [(String, JOSEError)]
    )
    func refusesMalformed(token: String, error: JOSEError) {
        #expect(throws: error) { try JWS(parsing: token.utf8) }
    }

    @Test("RFC 7515 §7.2: JSON serialization is refused")
    func refusesJSON() {
        let json = #"{"payload":"e30","protected":"\#(Self.header)","signature":"AA"}"#
        #expect(throws: JOSEError.jsonSerialization) { try JWS(parsing: json.utf8) }
    }

    @Test("JOSE-X-2, RFC 7516 §3.1: an encrypted token is refused with an error of its own")
    func refusesEncrypted() {
        let header = Base64URL.encode(#"{"alg":"RSA1_5","enc":"A128GCM"}"#.utf8)
        #expect(throws: JOSEError.encrypted) { try JWS(parsing: "\(header).AA.AA.AA.AA".utf8) }
        #expect(throws: JOSEError.encrypted) { try JWS(parsing: "\(header)..AA.AA.AA".utf8) }
    }

    @Test(
        "RFC 7515 §4: a header that is not a proper JSON object is refused",
        arguments: [
            "", "[]", "null", "\"ES256\"", "{", "{\"alg\":\"ES256\"}x", "{alg:ES256}",
            "{\"alg\":1}", "{\"alg\":[\"ES256\"]}",
            "{\"alg\":\"ES256\",\"kid\":1}", "{\"alg\":\"ES256\",\"kid\":[]}",
            "{\"alg\":\"ES256\",\"typ\":1}", "{\"alg\":\"ES256\",\"typ\":[\"JWT\"]}",
            "{\"alg\":\"ES256\",\"cty\":{}}", "{\"alg\":\"ES256\",\"kid\":\"\\ud800\"}",
        ]
    )
    func refusesHeader(header: String) throws {
        #expect(throws: JOSEError.invalidHeader) {
            try JWS(parsing: TokenForge.token(header).utf8)
        }
    }

    @Test("RFC 7515 §4: kid, typ and cty that are null are as absent")
    func nullHeader() throws {
        let header = #"{"alg":"ES256","kid":null,"typ":null,"cty":null}"#
        let read = try JWS(parsing: TokenForge.token(header).utf8).header
        #expect(read.keyID == nil && read.type == nil && read.contentType == nil)
    }

    @Test(
        "attack D09: a header that names a member twice is refused",
        arguments: [
            #"{"alg":"RS256","alg":"none"}"#, #"{"alg":"none","alg":"RS256"}"#,
            #"{"alg":"ES256","\u0061lg":"none"}"#, #"{"alg":"ES256","kid":"ec1","kid":"ec2"}"#,
            #"{"alg":"ES256","x":{"y":1,"y":2}}"#,
        ]
    )
    func refusesDuplicates(header: String) throws {
        #expect(throws: JOSEError.invalidHeader) {
            try JWS(parsing: TokenForge.token(header).utf8)
        }
    }

    @Test("RFC 7515 §4.1.1: alg must be there")
    func requiresAlgorithm() throws {
        #expect(throws: JOSEError.algorithmMissing) {
            try JWS(parsing: TokenForge.token(#"{"kid":"ec1"}"#).utf8)
        }
        #expect(throws: JOSEError.algorithmMissing) {
            try JWS(parsing: TokenForge.token(#"{"alg":null}"#).utf8)
        }
    }

    @Test(
        "RFC 7515 §4.1.11: crit makes a token invalid, whatever it holds",
        arguments: [
            #"["exp"]"#, #"["b64"]"#, "[]", #""exp""#, "null", "{}", #"["alg"]"#, #"["x"]"#,
        ]
    )
    func refusesCritical(crit: String) throws {
        let header = #"{"alg":"ES256","kid":"ec1","crit":\#(crit)}"#
        #expect(throws: JOSEError.criticalHeader) {
            try JWS(parsing: TokenForge.token(header).utf8)
        }
    }

    @Test("RFC 7797 §6: b64 is refused, false or true", arguments: ["false", "true", "null", "0"])
    func refusesUnencoded(b64: String) throws {
        let header = #"{"alg":"ES256","kid":"ec1","b64":\#(b64)}"#
        #expect(throws: JOSEError.unencodedPayload) {
            try JWS(parsing: TokenForge.token(header).utf8)
        }
    }

    @Test("RFC 7515 §4.1.4: a kid has at most 256 bytes")
    func limitsKeyID() throws {
        let longest = String(repeating: "k", count: 256)
        #expect(throws: Never.self) {
            try JWS(parsing: TokenForge.token(#"{"alg":"ES256","kid":"\#(longest)"}"#).utf8)
        }
        #expect(throws: JOSEError.keyIDTooLong) {
            try JWS(parsing: TokenForge.token(#"{"alg":"ES256","kid":"\#(longest)k"}"#).utf8)
        }
    }

    @Test("attack D10: a token over the limit is refused before it is read")
    func limitsSize() throws {
        let token = try TokenForge.token(#"{"alg":"ES256"}"#)
        #expect(throws: Never.self) { try JWS(parsing: token.utf8, limit: token.utf8.count) }
        #expect(throws: JOSEError.tooLarge) {
            try JWS(parsing: token.utf8, limit: token.utf8.count - 1)
        }
        let payload = [UInt8](repeating: UInt8(ascii: "A"), count: 5 * 1024 * 1024)
        #expect(throws: JOSEError.tooLarge) {
            try JWS(parsing: Array("\(Self.header).".utf8) + payload + Array(".AA".utf8))
        }
    }

    @Test("attack D10: a header nested ten thousand deep is refused without a crash")
    func limitsDepth() throws {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let token = try TokenForge.token(#"{"alg":"ES256","x":\#(deep)}"#)
        #expect(throws: JOSEError.invalidHeader) { try JWS(parsing: token.utf8, limit: .max) }
    }
}
