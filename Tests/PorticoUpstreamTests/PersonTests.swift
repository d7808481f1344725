import Portico
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("What a provider says of a person")
struct PersonTests {
    private func person(_ claims: JSONObject) throws -> ProvenPerson {
        let provider = try IdentityProvider(
            name: "x",
            kind: .oidc,
            settings: Scene.settings(.oidc, [:])
        )
        return ProvenPerson(claims, subject: "alice", of: provider)
    }

    @Test(
        "A name is words: bounded, on one line, without what turns or hides text",
        arguments: [
            ("Alice", "Alice"), ("  A \n\t B ", "A B"), ("A\u{0}\u{1B}[31mB", "A[31mB"),
            ("\u{202E}evil\u{2066}", "evil"), ("\u{200B}\u{FEFF}", nil), ("", nil), ("   ", nil),
            ("أليس", "أليس"), ("王 小明", "王 小明"), ("A\u{2028}B", "AB"),
        ] as [(String, String?)]
    )
    func name(words: String, expected: String?) throws {
        #expect(try person(["name": .string(words)]).name == expected)
    }

    @Test("A name is at most 200 characters, and made of its parts where it is missing")
    func parts() throws {
        let long = String(repeating: "a", count: 5000)
        #expect(try person(["name": .string(long)]).name?.count == 200)
        // A reader accepts no more of what is not ASCII, however few characters it is.
        let family = String(repeating: "\u{1F469}\u{1F3FD}", count: 150)
        let name = try #require(try person(["name": .string("Ann é" + family)]).name)
        #expect(name.hasPrefix("Ann é") && (1000...1024).contains(name.utf8.count))
        let marks = "A" + String(repeating: "\u{301}", count: 2000)
        #expect(try person(["name": .string("Ann \(marks)")]).name == "Ann")
        #expect(try person(["name": .string(marks)]).name == nil)
        #expect(try person(["given_name": "Ann", "family_name": "Lee"]).name == "Ann Lee")
        #expect(try person(["family_name": "Lee"]).name == "Lee")
        #expect(try person(["name": 7]).name == nil)
    }

    @Test(
        "What is no address is none",
        arguments: [
            "a", "@example.com", "a@", "a@b@c", "a b@example.com", "a@example.com\n",
            "a,b@c.example",
            "\"a\"@example.com", "<a@example.com>", "a@exa\u{0}mple.com",
            String(repeating: "a", count: 250) + "@x.example",
        ]
    )
    func address(text: String) throws {
        let person = try person(["email": .string(text), "email_verified": true])
        #expect(person.email == nil && person.matchesEmail == .never)
    }

    @Test("A picture is an https address, or none")
    func picture() throws {
        #expect(try person(["picture": "https://a.example/b.png"]).picture != nil)
        for text in [
            "http://a.example/b.png", "javascript:alert(1)", "data:image/png;base64,AA", "",
        ] {
            #expect(try person(["picture": .string(text)]).picture == nil)
        }
    }

    @Test("OIDCBCL-2.1-1: the provider's session is kept where it names one")
    func session() throws {
        #expect(try person(["sid": "s1"]).providerSessionID == "s1")
        for sid in ["", 7, .null, .string(String(repeating: "s", count: 256))] as [JSONValue] {
            #expect(try person(["sid": sid]).providerSessionID == nil)
        }
    }
}
