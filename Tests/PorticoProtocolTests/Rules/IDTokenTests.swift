import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("ID Tokens")
struct IDTokenTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let claims: JSONObject = [
        "iss": "https://op.example.com", "sub": "alice", "aud": "web1", "iat": 1_700_000_000,
        "exp": 1_700_000_600, "nonce": "NONCE",
    ]

    static func expectation() throws -> IDTokenExpectation {
        IDTokenExpectation(
            issuer: try Issuer("https://op.example.com"),
            clientID: "web1",
            nonce: .equal(SecretText("NONCE"))
        )
    }

    /// What the checks say to a token that is signed properly.
    static func refusal(
        _ claims: JSONObject,
        key: SigningKey? = nil,
        at now: Date = now,
        _ change: (inout IDTokenExpectation) -> Void = { _ in }
    ) throws -> IDTokenRefusal? {
        var expectation = try expectation()
        change(&expectation)
        let key = try key ?? TokenForge.p256
        let jwt = try TokenForge.verify(key.sign(claims: claims, type: .jwt))
        do throws(IDTokenRefusal) {
            _ = try VerifiedIDToken(jwt, meeting: expectation, at: now)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(with name: String, _ value: JSONValue?) throws -> IDTokenRefusal? {
        try Self.refusal(Self.claims.with(name, value))
    }

    @Test("OpenID Connect Core §3.1.3.7: a good token passes")
    func good() throws {
        #expect(try Self.refusal(Self.claims) == nil)
        #expect(try Self.refusal(Self.claims.with("unknown", ["x": 1])) == nil)
    }

    @Test(
        "attack D11, §3.1.3.7 (2): the issuer is equal to the byte",
        arguments: [
            "https://op.example.com/", "HTTPS://OP.example.com", "https://op.example.com/realms/o",
            nil, ["https://op.example.com"], 1, "",
        ] as [JSONValue?]
    )
    func issuer(value: JSONValue?) throws {
        #expect(try refusal(with: "iss", value) == .issuer)
    }

    @Test(
        "attack D12, §3.1.3.7 (3, 4, 5): the token is for this client and no unknown one",
        arguments: [
            ("web2", .audience), (["web1", "evil"], .audience), (["web2"], .audience),
            ("web1 ", .audience), ([], .audience), (["0": "web1"], .audience), (nil, .audience),
            (1, .audience), (["web1", 1], .audience), ("WEB1", .audience), ("web", .audience),
            (["web1"], nil), (["web1", "web1"], .authorizedParty),
        ] as [(JSONValue?, IDTokenRefusal?)]
    )
    func audience(value: JSONValue?, expected: IDTokenRefusal?) throws {
        #expect(try refusal(with: "aud", value) == expected)
    }

    @Test("§3.1.3.7 (3): further audiences only where they are trusted, and with azp")
    func trustedAudience() throws {
        let claims = Self.claims.with("aud", ["web1", "api"])
        #expect(try Self.refusal(claims.with("azp", "web1")) == .audience)
        let alone = Self.claims.with("aud", "api")
        #expect(try Self.refusal(alone) { $0.trustedAudiences = ["api"] } == .audience)
        #expect(try Self.refusal(claims) { $0.trustedAudiences = ["api"] } == .authorizedParty)
        #expect(
            try Self.refusal(claims.with("azp", "web1")) { $0.trustedAudiences = ["api"] } == nil
        )
    }

    @Test("attack D12, §3.1.3.7 (5): azp, where present, is this client")
    func authorizedParty() throws {
        #expect(try refusal(with: "azp", "web1") == nil)
        for value in ["other1", "", ["web1"], 1] as [JSONValue] {
            #expect(try refusal(with: "azp", value) == .authorizedParty)
        }
    }

    @Test(
        "attack D10, §3.1.3.7 (9): exp is a number of seconds to come; nothing traps",
        arguments: [
            (nil, .expiry), (.null, .expiry), ("1700000600", .expiry), (-1, .expiry),
            (.number(1e300), .expiry), (.number(9_223_372_036_854_775_808), .expiry),
            (.integer(.max), .expiry), (["x"], .expiry), (true, .expiry),
            (0, .expired), (1_699_999_940, .expired), (1_699_999_941, nil),
            (.number(1_699_999_940.9), nil), (.number(1_699_999_900.9), .expired),
            (253_402_300_799, nil),
        ] as [(JSONValue?, IDTokenRefusal?)]
    )
    func expiry(value: JSONValue?, expected: IDTokenRefusal?) throws {
        #expect(try refusal(with: "exp", value) == expected)
    }

    @Test(
        "attack D10, §3.1.3.7 (10): iat is a number of seconds close to now",
        arguments: [
            (nil, .issuedAt), ("1700000000", .issuedAt), (.null, .issuedAt), (-1, .issuedAt),
            (.integer(.min), .issuedAt), (.integer(.max), .issuedAt),
            (1_700_000_030, nil), (1_700_000_060, nil), (1_700_000_061, .issuedAtAnotherTime),
            (1_700_000_600, .issuedAtAnotherTime), (1_699_999_400, nil),
            (1_699_999_399, .issuedAtAnotherTime),
        ] as [(JSONValue?, IDTokenRefusal?)]
    )
    func issuedAt(value: JSONValue?, expected: IDTokenRefusal?) throws {
        #expect(try refusal(with: "iat", value) == expected)
    }

    @Test(
        "RFC 7519 §4.1.5: nbf, where present, has come",
        arguments: [
            (1_700_000_060, nil), (1_700_000_061, .notYetValid), (1_700_003_600, .notYetValid),
            ("1700000000", .notBefore), (true, .notBefore), ("", .notBefore),
        ] as [(JSONValue, IDTokenRefusal?)]
    )
    func notBefore(value: JSONValue, expected: IDTokenRefusal?) throws {
        #expect(try refusal(with: "nbf", value) == expected)
    }

    @Test("§3.1.3.7 (9): the leeway is never more than five minutes")
    func leeway() throws {
        let refused = try Self.refusal(Self.claims.with("exp", 1_699_999_699)) {
            $0.leeway = 100_000
            $0.maximumTokenAge = nil
        }
        #expect(refused == .expired)
        #expect(
            try Self.refusal(Self.claims.with("exp", 1_700_000_000)) { $0.leeway = -100 }
                == .expired
        )
    }

    @Test(
        "attack D14, §3.1.3.7 (11): the nonce is the one that was sent",
        arguments: [nil, "other", "nonce", "NONCE ", "", ["NONCE"], 1, .null] as [JSONValue?]
    )
    func nonce(value: JSONValue?) throws {
        #expect(try refusal(with: "nonce", value) == .nonce)
    }

    @Test("attack D15: a token of another sign-in of the same person is refused")
    func replay() throws {
        let other = Self.claims.with("nonce", "NONCE-OF-ANOTHER-SIGN-IN")
        #expect(try Self.refusal(other) == .nonce)
    }

    @Test("OpenID Connect Core §12.2: a refreshed token has no nonce or the old one")
    func refreshedNonce() throws {
        for (claim, original, expected) in [
            (nil, nil, nil), (nil, "NONCE", nil), ("NONCE", "NONCE", nil),
            ("NONCE", nil, .nonce), ("NONCE", "other", .nonce),
        ] as [(JSONValue?, String?, IDTokenRefusal?)] {
            let refused = try Self.refusal(Self.claims.with("nonce", claim)) {
                $0.nonce = .absentOr(original)
            }
            #expect(refused == expected)
        }
        #expect(try Self.refusal(Self.claims) { $0.nonce = .unchecked } == nil)
    }

    @Test("§3.1.3.7 (12): acr is one of those that were asked for")
    func acr() throws {
        let ask = { (expectation: inout IDTokenExpectation) in expectation.acr = ["phr", "phrh"] }
        #expect(try Self.refusal(Self.claims.with("acr", "phrh"), ask) == nil)
        for value in [nil, "0", "phrx", ["phr"], 1] as [JSONValue?] {
            #expect(try Self.refusal(Self.claims.with("acr", value), ask) == .acr)
        }
        #expect(try Self.refusal(Self.claims.with("acr", "0")) == nil)
    }

    @Test(
        "attack D18, §3.1.3.7 (13): auth_time is there and recent where max_age was asked for",
        arguments: [
            (60, nil, .authTime), (60, 1_699_999_940, nil), (60, 1_699_999_880, nil),
            (60, 1_699_999_879, .authTime), (60, 1_700_000_061, .authTime),
            (0, 1_700_000_000, nil), (0, 1_699_999_000, .authTime), (60, "1699999990", .authTime),
            (60, .number(1e300), .authTime), (.max, 0, nil),
        ] as [(Int64, JSONValue?, IDTokenRefusal?)]
    )
    func authTime(maxAge: Int64, value: JSONValue?, expected: IDTokenRefusal?) throws {
        let refused = try Self.refusal(Self.claims.with("auth_time", value)) { $0.maxAge = maxAge }
        #expect(refused == expected)
    }

    @Test(
        "§3.1.3.8: at_hash, where present, is that of the access token, by the token's algorithm",
        arguments: SignatureAlgorithm.allCases
    )
    func accessTokenHash(algorithm: SignatureAlgorithm) throws {
        let key = try TokenForge.key(algorithm)
        let hash = algorithm.leftHalfHash(of: "ACCESS")
        let ask = { (expectation: inout IDTokenExpectation) in
            expectation.accessToken = SecretText("ACCESS")
        }
        #expect(try Self.refusal(Self.claims.with("at_hash", .string(hash)), key: key, ask) == nil)
        #expect(try Self.refusal(Self.claims, key: key, ask) == nil)
        for value in [.string(algorithm.leftHalfHash(of: "OTHER")), "", 1, []] as [JSONValue] {
            let refused = try Self.refusal(Self.claims.with("at_hash", value), key: key, ask)
            #expect(refused == .accessTokenHash)
        }
    }

    @Test("OpenID Connect Core §2: sub is there and not without bounds")
    func subject() throws {
        let long = JSONValue.string(String(repeating: "s", count: 5000))
        for value in [nil, "", .null, 1, ["alice"], long] as [JSONValue?] {
            #expect(try refusal(with: "sub", value) == .subject)
        }
    }

    @Test(
        "OpenID Connect Core §12.2: a refreshed token continues the sign-in",
        arguments: [
            ("sub", "bob", .subject), ("iat", 1_699_999_999, .issuedBeforeSignIn),
            ("auth_time", 1_699_999_991, .authTime), ("auth_time", nil, nil),
            ("azp", nil, .authorizedParty), ("iat", 1_700_000_010, nil), ("acr", "1", nil),
            ("aud", ["web1"], nil),
        ] as [(String, JSONValue?, IDTokenRefusal?)]
    )
    func refreshed(name: String, value: JSONValue?, expected: IDTokenRefusal?) throws {
        let original = Self.claims.with("auth_time", 1_699_999_990).with("azp", "web1")
        let first = try IDTokenClaims(original)
        let refused = try Self.refusal(original.with(name, value)) { $0.original = first }
        #expect(refused == expected)
    }

    @Test(
        "BR87: null is as absent, and what no rule asks for may be anything",
        arguments: [
            ("acr", ["values": ["urn:x"]]), ("acr", .null), ("acr", 1), ("acr", ""),
            ("auth_time", .null), ("auth_time", "1700000000"), ("auth_time", [:]),
            ("auth_time", .number(1e300)), ("auth_time", -1), ("azp", .null), ("nbf", .null),
            ("at_hash", .null), ("at_hash", 7), ("at_hash", ""), ("amr", "pwd"), ("sid", 1),
        ] as [(String, JSONValue)]
    )
    func foreign(name: String, value: JSONValue) throws {
        let claims = Self.claims.with(name, value)
        #expect(try Self.refusal(claims) == nil)
        // Also where the sign-in was the same, and where it had the claim.
        for original in [claims, Self.claims] {
            let first = try IDTokenClaims(original)
            #expect(try Self.refusal(claims) { $0.original = first } == nil)
        }
        let wasText = try IDTokenClaims(Self.claims.with("auth_time", "1700000000"))
        let isDate = Self.claims.with("auth_time", 1_700_000_000)
        #expect(try Self.refusal(isDate) { $0.original = wasText } == nil)
    }

    @Test(
        "BR87: at_hash may be null beside an access token, and azp must be there for two audiences"
    )
    func nullWithRule() throws {
        let refused = try Self.refusal(Self.claims.with("at_hash", .null)) {
            $0.accessToken = SecretText("ACCESS")
        }
        #expect(refused == nil)
        let two = Self.claims.with("aud", ["web1", "api"]).with("azp", .null)
        #expect(try Self.refusal(two) { $0.trustedAudiences = ["api"] } == .authorizedParty)
    }

    @Test("BR77: a refreshed token's nonce may be null or empty, and is refused as anything else")
    func foreignNonce() throws {
        for original in [nil, "NONCE"] as [String?] {
            for value in [.null, ""] as [JSONValue] {
                let refused = try Self.refusal(Self.claims.with("nonce", value)) {
                    $0.nonce = .absentOr(original)
                }
                #expect(refused == nil)
            }
            for value in [1, ["NONCE"], "other", [:]] as [JSONValue] {
                let refused = try Self.refusal(Self.claims.with("nonce", value)) {
                    $0.nonce = .absentOr(original)
                }
                #expect(refused == .nonce)
            }
        }
        #expect(try Self.refusal(Self.claims.with("nonce", 1)) { $0.nonce = .unchecked } == nil)
    }

    @Test("OpenID Connect Core §12.2: a claim that the sign-in had must not change its type")
    func changedType() throws {
        let original = Self.claims.with("auth_time", 1_699_999_990).with("azp", "web1")
        let first = try IDTokenClaims(original)
        for (name, expected) in [("auth_time", .authTime), ("azp", .authorizedParty)]
            as [(String, IDTokenRefusal)]
        {
            let refused = try Self.refusal(original.with(name, ["x"])) { $0.original = first }
            #expect(refused == expected)
        }
    }

    @Test("OpenID Connect Core §12.2: a refreshed token is of the issuer of the sign-in")
    func refreshedIssuer() throws {
        let first = try IDTokenClaims(Self.claims.with("iss", "https://former.example.com"))
        #expect(try Self.refusal(Self.claims) { $0.original = first } == .issuer)
    }

    @Test("OpenID Connect Core §12.2: azp does not appear on refresh, and no audience is lost")
    func refreshedAudience() throws {
        let first = try IDTokenClaims(Self.claims)
        let ask = { (expectation: inout IDTokenExpectation) in expectation.original = first }
        #expect(try Self.refusal(Self.claims.with("azp", "web1"), ask) == .authorizedParty)
        let two = Self.claims.with("aud", ["web1", "api"]).with("azp", "web1")
        let firstOfTwo = try IDTokenClaims(two)
        let refused = try Self.refusal(two.with("aud", "web1")) {
            $0.original = firstOfTwo
            $0.trustedAudiences = ["api"]
        }
        #expect(refused == .audience)
    }
}
