import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("JWT claims and types")
struct JWTClaimsTests {
    private static let header = #"{"alg":"ES256","kid":"ec1"}"#

    @Test(
        "attack D09: claims that are not an object, or name one twice, are refused though signed",
        arguments: [
            #"{"sub":"alice","sub":"bob"}"#, #"{"aud":"web1","aud":"x"}"#,
            #"{"sub":"alice","\u0073ub":"bob"}"#, #"{"realm_access":{"roles":[],"roles":["x"]}}"#,
            "[]", "\"alice\"", "null", "", "{", "{}{}", "{\"a\":1e400}", "{\"a\":\"\\u0000\"}",
        ]
    )
    func refusesClaims(payload: String) throws {
        let token = try TokenForge.token(Self.header, payload)
        #expect(throws: JOSEError.invalidClaims) { try TokenForge.verify(token) }
        #expect(throws: JOSEError.invalidClaims) { try JWT(parsing: token).uncheckedClaims() }
    }

    @Test("attack D10: claims nested ten thousand deep are refused without a crash")
    func limitsDepth() throws {
        let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
        let token = try TokenForge.token(Self.header, #"{"a":\#(deep)}"#)
        #expect(throws: JOSEError.invalidClaims) { try TokenForge.verify(token) }
    }

    @Test(
        "attack D10: an exp that is no moment reads as none, never as a trap",
        arguments: [
            "9223372036854775808", "\"1700000000\"", "null", "-1", "1e300", "true", "[]", "{}",
        ]
    )
    func refusesExpiry(exp: String) throws {
        let token = try TokenForge.token(Self.header, #"{"exp":\#(exp)}"#)
        let value = try #require(TokenForge.verify(token).claims["exp"])
        #expect(NumericDate.date(value) == nil)
    }

    @Test("RFC 7519 §2: an exp with a fraction is a moment")
    func readsFraction() throws {
        let token = try TokenForge.token(Self.header, #"{"exp":1700000000.9}"#)
        let value = try #require(TokenForge.verify(token).claims["exp"])
        #expect(NumericDate.date(value) == Date(timeIntervalSince1970: 1_700_000_000.9))
    }

    @Test("RFC 7515 §5.2: claims with odd but valid spacing verify as they were received")
    func keepsSpacing() throws {
        let payload = "\r\n{ \"sub\"\t:\n\"alice\" ,\"iss\":\"https:\\/\\/op.example.com\" }  "
        let claims = try TokenForge.verify(TokenForge.token(Self.header, payload)).claims
        #expect(claims == ["sub": "alice", "iss": "https://op.example.com"])
    }

    @Test(
        "RFC 7519 §5.2: a token within a token is not unpacked silently",
        arguments: ["JWT", "jwt", "application/jwt", "at+jwt", "application/AT+JWT"]
    )
    func refusesNested(contentType: String) throws {
        let inner = try TokenForge.token(Self.header)
        let header = #"{"alg":"ES256","kid":"ec1","cty":"\#(contentType)"}"#
        #expect(throws: JOSEError.nested) {
            try TokenForge.verify(TokenForge.token(header, inner))
        }
        #expect(throws: JOSEError.nested) { try TokenForge.verify(TokenForge.token(header)) }
        // Without the header it is claims that are no object.
        #expect(throws: JOSEError.invalidClaims) {
            try TokenForge.verify(TokenForge.token(Self.header, inner))
        }
    }

    @Test("RFC 7515 §4.1.10: another content type, as Microsoft and others write it, does no harm")
    func acceptsOtherContentType() throws {
        let header = #"{"alg":"ES256","kid":"ec1","cty":"application/json"}"#
        #expect(throws: Never.self) { try TokenForge.verify(TokenForge.token(header)) }
    }

    @Test(
        "RFC 8725 §3.12: a token of one type is taken by its own validator and by no other",
        arguments: JWTType.allCases,
        JWTType.allCases
    )
    func typesExclude(made: JWTType, expected: JWTType) throws {
        let token = try TokenForge.p256.sign(claims: ["sub": "alice"], type: made)
        if made == expected {
            #expect(try TokenForge.verify(token, types: [expected]).type == made)
        } else {
            #expect(throws: JOSEError.typeNotAccepted) {
                try TokenForge.verify(token, types: [expected])
            }
        }
        #expect(throws: JOSEError.typeNotAccepted) { try TokenForge.verify(token, types: []) }
        #expect(throws: Never.self) { try TokenForge.verify(token, types: [made, expected]) }
    }

    @Test(
        "RFC 7515 §4.1.9: a typ is a media type: case and application/ do not matter",
        arguments: [
            (nil, .jwt), ("JWT", .jwt), ("jwt", .jwt), ("application/jwt", .jwt),
            ("at+jwt", .accessToken), ("AT+JWT", .accessToken),
            ("application/at+jwt", .accessToken), ("Application/At+Jwt", .accessToken),
            ("logout+jwt", .logoutToken), ("dpop+jwt", .dpopProof),
            ("client-authentication+jwt", .clientAuthentication),
        ] as [(String?, JWTType)]
    )
    func readsType(typ: String?, type: JWTType) throws {
        let member = typ.map { #","typ":"\#($0)""# } ?? ""
        let token = try TokenForge.token(#"{"alg":"ES256","kid":"ec1"\#(member)}"#)
        #expect(try TokenForge.verify(token, types: [type]).type == type)
    }

    @Test(
        "RFC 8725 §3.11: a type that is none of ours is refused by every validator",
        arguments: [
            "", "JWS", "jose", "at+jwt ", " at+jwt", "text/at+jwt", "application/", "at+jwt;v=1",
            "application/application/jwt", "at_jwt", "ａt+jwt", "secevent+jwt",
        ]
    )
    func refusesOtherTypes(typ: String) throws {
        let token = try TokenForge.token(#"{"alg":"ES256","kid":"ec1","typ":"\#(typ)"}"#)
        #expect(throws: JOSEError.typeNotAccepted) {
            try TokenForge.verify(token, types: Set(JWTType.allCases))
        }
    }
}
