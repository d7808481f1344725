import PorticoBytes
import PorticoProtocol
import PorticoProvider
import Testing

@Suite("Recovery codes") struct RecoveryCodesTests {
    @Test("decision 0050: codes as Keycloak keeps them are found by their SHA-512")
    func imported() throws {
        // SHA-512 of K7PPRQ2XY4WZ and of ABCDEFGHJK23.
        let secret = SecretText(
            """
            {"codes":[{"number":3,"encodedHashedValue":"zc3rHtEr9w6E+X7PRNG1sb/fxEtVSuRtHXzN56/CRhJU\
            VSkI9hAMQjkHkhOScGAPkvZNfP06MaCdx80OivHqjg=="},\
            {"number":4,"encodedHashedValue":"jTKXbc2JeX9vtCYWhm49XC40BrsUxG4gpaJ8/5brfDW6\
            1acQjf1lK0FbonulMTNtGCnqHKxKh4/kHRN5nivBLg=="}]}
            """
        )
        let codes = try #require(
            RecoveryCodes(["algorithm": "SHA-512", "totalCodes": 12], secret: secret)
        )
        #expect(codes.count == 2)
        #expect(codes.place(of: "K7PPRQ2XY4WZ") == 0)
        #expect(codes.place(of: "abcd-efgh-jk23 ") == 1)
        #expect(codes.place(of: "ABCDEFGHJK24") == nil)
        #expect(codes.place(of: "") == nil)
        #expect(codes.place(of: String(repeating: "A", count: 100_000)) == nil)
        #expect(codes.left(used: 0) == 2)
        #expect(codes.left(used: 2) == 1)
        #expect(codes.left(used: 3) == 0)
        #expect(RecoveryCodes(["algorithm": "SHA-256"], secret: secret) == nil)
    }

    @Test("Twelve new codes of 60 random bits each, and only hashes are kept")
    func made() throws {
        let made = RecoveryCodes.make(.system)
        #expect(Set(made.codes).count == 12)
        let letters = Set("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
        #expect(made.codes.allSatisfy { $0.count == 12 && letters.isSuperset(of: $0) })
        let shown = String(decoding: made.parameters.serialized(), as: UTF8.self)
        let kept = made.secret.reveal() + shown
        #expect(made.codes.allSatisfy { !kept.contains($0) })
        let codes = try #require(RecoveryCodes(made.parameters, secret: made.secret))
        for (place, code) in made.codes.enumerated() { #expect(codes.place(of: code) == place) }
    }

    @Test(
        "decision 0050: what cannot be checked is refused",
        arguments: [
            "", "{}", #"{"codes":[]}"#, #"{"codes":[1]}"#, #"{"codes":[{"number":1}]}"#,
            #"{"codes":[{"number":1,"encodedHashedValue":"AAAA"}]}"#,
            #"{"codes":[{"number":1,"encodedHashedValue":"*"}]}"#, #"{"codes":{}}"#,
            String(repeating: "[", count: 20_000),
        ]
    )
    func refused(_ secret: String) {
        #expect(RecoveryCodes([:], secret: SecretText(secret)) == nil)
    }

    @Test("More codes than there are bits are refused")
    func tooMany() {
        let made = RecoveryCodes.make(.system)
        // `try?`: it is JSON, made here.
        let codes =
            (try? JSONValue(parsing: Array(made.secret.reveal().utf8)))?.object?
            .array("codes") ?? []
        func secret(_ count: Int) -> SecretText {
            let all: JSONObject = ["codes": .array((0..<count).map { codes[$0 % 12] })]
            return SecretText(String(decoding: all.serialized(), as: UTF8.self))
        }
        #expect(RecoveryCodes([:], secret: secret(62))?.count == 62)
        #expect(RecoveryCodes([:], secret: secret(63)) == nil)
    }
}
