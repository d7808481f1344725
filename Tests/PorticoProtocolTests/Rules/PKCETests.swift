import PorticoBytes
import Testing

@testable import PorticoProtocol

@Suite("PKCE")
struct PKCETests {
    @Test("RFC 7636 appendix B: the challenge of the verifier in the example")
    func vector() throws {
        let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge.text == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let challenge = try #require(CodeChallenge(verifier.challenge.text))
        #expect(challenge.isMet(by: verifier))
    }

    @Test("RFC 7636 §4.1: ten thousand fresh verifiers have 43 allowed characters, none twice")
    func fresh() {
        var seen: Set<String> = []
        for _ in 0..<10_000 {
            let text = CodeVerifier(random: .system).reveal()
            #expect(Base64URL.decode(text)?.count == 32)
            #expect(CodeVerifier(text) != nil)
            seen.insert(text)
        }
        #expect(seen.count == 10_000)
    }

    @Test(
        "RFC 7636 §4.1: a verifier has 43 to 128 unreserved characters",
        arguments: [
            (String(repeating: "a", count: 42), false), (String(repeating: "a", count: 43), true),
            (String(repeating: "~", count: 128), true), (String(repeating: "a", count: 129), false),
            (String(repeating: "a", count: 100_000), false), ("", false),
            ("-._~" + String(repeating: "Z9", count: 20), true),
            (String(repeating: "a", count: 42) + " ", false),
            (String(repeating: "a", count: 42) + "=", false),
            (String(repeating: "a", count: 42) + "+", false),
            (String(repeating: "a", count: 42) + "é", false),
            (String(repeating: "a", count: 42) + "\u{0}", false),
        ]
    )
    func syntax(text: String, isVerifier: Bool) {
        #expect((CodeVerifier(text) != nil) == isVerifier)
    }

    @Test(
        "RFC 7636 §4.2: a challenge of S256 has exactly 43 characters of canonical base64url",
        arguments: [
            "", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM",
            // The last character with bits that are not used.
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM ",
        ]
    )
    func challengeSyntax(text: String) {
        #expect(CodeChallenge(text) == nil)
    }

    @Test("RFC 7636 §4.6: a verifier with one character changed does not meet the challenge")
    func mismatch() throws {
        let text = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = try #require(CodeVerifier(text)).challenge
        for index in text.indices {
            var changed = Array(text)
            let position = text.distance(from: text.startIndex, to: index)
            changed[position] = changed[position] == "x" ? "y" : "x"
            let verifier = try #require(CodeVerifier(String(changed)))
            #expect(!challenge.isMet(by: verifier))
        }
        // The challenge itself is a well-formed verifier, and a wrong one.
        #expect(!challenge.isMet(by: try #require(CodeVerifier(challenge.text))))
    }
}
