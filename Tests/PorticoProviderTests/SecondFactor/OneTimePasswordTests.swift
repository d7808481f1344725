import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import Testing

@Suite("One-time passwords (RFC 6238)") struct OneTimePasswordTests {
    private static let digits = "1234567890"

    /// The keys of RFC 6238 appendix B.
    private static func key(_ digest: OneTimePassword.Digest) -> [UInt8] {
        let length =
            switch digest {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        return Array(String(repeating: digits, count: 7).utf8.prefix(length))
    }

    private static func password(
        _ digest: OneTimePassword.Digest = .sha1,
        digits: Int = 6,
        period: Int64 = 30
    ) throws -> OneTimePassword {
        try #require(
            OneTimePassword(key: key(digest), digest: digest, digits: digits, period: period)
        )
    }

    @Test(
        "RFC 6238 appendix B: its codes",
        arguments: [
            (59, "94287082", "46119246", "90693936"),
            (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ] as [(Int64, String, String, String)]
    )
    func vectors(time: Int64, sha1: String, sha256: String, sha512: String) throws {
        for (digest, code) in zip(OneTimePassword.Digest.allCases, [sha1, sha256, sha512]) {
            let password = try Self.password(digest, digits: 8)
            #expect(password.code(at: time / 30) == code)
            #expect(password.step(of: code, at: time) == time / 30)
        }
    }

    @Test("RFC 4226 appendix D: its codes")
    func counters() throws {
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
            "399871", "520489",
        ]
        let password = try Self.password()
        for (counter, code) in codes.enumerated() {
            #expect(password.code(at: Int64(counter)) == code)
        }
    }

    @Test(
        "RFC 6238 §5.2: the code of this period and of the one before is right",
        arguments: [
            (-3, nil), (-2, nil), (-1, -1), (0, 0), (1, nil), (2, nil),
        ] as [(Int64, Int64?)]
    )
    func window(from offset: Int64, found: Int64?) throws {
        let password = try Self.password()
        let now: Int64 = 1_700_000_010
        let step = now / 30
        #expect(
            password.step(of: password.code(at: step + offset), at: now)
                == found.map { step + $0 }
        )
    }

    @Test(
        "WEB-MFA-1: a realm may allow for clocks that are wrong by one period, and no more",
        arguments: [-1, 0, 1, 2, 3, 1000, Int64.max]
    )
    func drift(_ drift: Int64) throws {
        let password = try Self.password()
        let now: Int64 = 1_700_000_010
        let right = (-4...4).filter { offset in
            password.step(of: password.code(at: now / 30 + offset), at: now, drift: drift) != nil
        }
        #expect(right == (drift > 0 ? [-1, 0, 1] : [-1, 0]))
    }

    @Test("What is typed may have blanks, and is otherwise exact")
    func typed() throws {
        let password = try Self.password()
        let code = password.code(at: 100)
        func isRight(_ text: String) -> Bool { password.step(of: text, at: 3000) != nil }
        #expect(isRight(code))
        #expect(isRight(" \(code.prefix(3)) \(code.suffix(3)) "))
        for wrong in [
            "", " ", String(code.dropLast()), code + "0", "٣٤٥٦٧٨", code + "\u{301}",
            String(repeating: " ", count: 1000) + code, String(repeating: "1", count: 100_000),
        ] {
            #expect(!isRight(wrong))
        }
    }

    @Test("decision 0050: an imported key is the bytes of its text, unless it says base32")
    func imported() throws {
        let secret = SecretText(#"{"value":"12345678901234567890"}"#)
        var parameters: JSONObject = [
            "subType": "totp", "digits": 6, "counter": 0, "period": 30, "algorithm": "HmacSHA1",
        ]
        let password = try #require(OneTimePassword(parameters, secret: secret))
        #expect(password.code(at: 1) == "287082")
        parameters["secretEncoding"] = "BASE32"
        let encoded = SecretText(#"{"value":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}"#)
        #expect(OneTimePassword(parameters, secret: encoded)?.code(at: 1) == "287082")
        #expect(OneTimePassword(parameters, secret: secret) == nil)
        parameters["secretEncoding"] = "BASE64"
        #expect(OneTimePassword(parameters, secret: encoded) == nil)
        // What is not said is as usual.
        #expect(OneTimePassword([:], secret: secret)?.code(at: 1) == "287082")
    }

    @Test(
        "decision 0050: what no app can show is refused, and nothing traps",
        arguments: [
            ("algorithm", "HmacMD5"), ("algorithm", "hmacsha1"), ("digits", 7), ("digits", 0),
            ("digits", -6), ("digits", 6_000_000_000_000), ("digits", 6.5), ("period", 0),
            ("period", -30), ("period", 301), ("period", 9_223_372_036_854_775_807),
        ] as [(String, JSONValue)]
    )
    func refused(name: String, value: JSONValue) {
        var parameters: JSONObject = ["digits": 6, "period": 30, "algorithm": "HmacSHA1"]
        let secret = SecretText(#"{"value":"12345678901234567890"}"#)
        #expect(OneTimePassword(parameters, secret: secret) != nil)
        parameters[name] = value
        if name == "digits", value == 6.5 {
            // No whole number: as if it were not there.
            #expect(OneTimePassword(parameters, secret: secret)?.digits == 6)
        } else {
            #expect(OneTimePassword(parameters, secret: secret) == nil)
        }
    }

    @Test(
        "A secret that is none is refused",
        arguments: [
            "", "{}", "[]", "{", #"{"value":""}"#, #"{"value":"123456789"}"#, #"{"value":1}"#,
            #"{"value":""# + String(repeating: "a", count: 600) + #""}"#,
            String(repeating: "[", count: 5000),
        ]
    )
    func secrets(_ secret: String) {
        #expect(OneTimePassword([:], secret: SecretText(secret)) == nil)
    }
}
