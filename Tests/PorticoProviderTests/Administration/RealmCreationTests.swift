@testable import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoProvider

@Suite("Realm creation")
struct RealmCreationTests {
    private func create(
        _ name: String,
        _ baseURL: String = "https://op.example.com",
        displayName: String? = nil
    ) throws -> NewRealm {
        try RealmCreation(ring: try Fixture.ring())(
            name: name,
            displayName: displayName,
            baseURL: baseURL,
            at: Fixture.noon
        )
    }

    @Test("OpenID Connect Discovery §3: a new realm signs with ES256 and with RS256 at once")
    func keys() throws {
        let new = try create("demo")
        #expect(Set(new.keys.map(\.algorithm)) == [.es256, .rs256])
        #expect(new.keys.allSatisfy { $0.activeFrom <= Fixture.noon.seconds })
        #expect(new.keys.allSatisfy { $0.realmID == new.realm.id && $0.retiredFrom == nil })
        #expect(Set(new.keys.map(\.keyID)).count == 2)
        #expect(new.realm.signingAlgorithm == .es256)
        #expect(!new.realm.signsOutByHintAlone, "RP-Initiated Logout §2")
        #expect(new.roles.isEmpty && new.clients.isEmpty && new.people.isEmpty)
        #expect(new.realm.displayName == "demo")
    }

    @Test(
        "Decision 0036: the issuer is the public URL with the realm's path, fixed at creation",
        arguments: [
            ("https://op.example.com", "https://op.example.com/realms/demo"),
            ("https://op.example.com/", "https://op.example.com/realms/demo"),
            ("https://op.example.com:8443/auth", "https://op.example.com:8443/auth/realms/demo"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/realms/demo"),
            ("http://[::1]:8080", "http://[::1]:8080/realms/demo"),
            ("http://localhost:8080", "http://localhost:8080/realms/demo"),
        ]
    )
    func issuer(base: String, issuer: String) throws {
        #expect(try RealmCreation.issuer(of: "demo", baseURL: base) == issuer)
    }

    @Test(
        "RFC 8414 §2: a public URL that makes no https issuer is refused",
        arguments: [
            ("http://op.example.com", RealmCreation.Refusal.insecureBaseURL),
            ("http://localhost.evil.example:8080", .insecureBaseURL),
            ("https://op.example.com?x=1", .baseURL),
            ("https://op.example.com#f", .baseURL), ("op.example.com", .baseURL), ("", .baseURL),
            ("https://u:p@op.example.com", .baseURL), ("ftp://op.example.com", .baseURL),
        ]
    )
    func refusedIssuer(base: String, refusal: RealmCreation.Refusal) {
        #expect(throws: refusal) { try create("demo", base) }
    }

    @Test(
        "A realm's name is one plain segment of a path",
        arguments: [
            "", ".", "..", ".demo", "a/b", "a b", "demo%2f", "dé", "a\u{0}", "demo?",
            String(repeating: "a", count: 65),
        ]
    )
    func names(name: String) {
        #expect(throws: RealmCreation.Refusal.name) { try create(name) }
    }

    @Test("What people read as the realm's name has no control or turning characters")
    func displayName() throws {
        #expect(try create("demo", displayName: "Übung 日本 👩‍💻").realm.displayName == "Übung 日本 👩‍💻")
        for name in ["a\u{202E}b", "a\nb", "a\u{1B}[31m", String(repeating: "é", count: 101)] {
            #expect(throws: RealmCreation.Refusal.displayName) {
                try create("demo", displayName: name)
            }
        }
    }

    @Test("Lifetimes have bounds: a code ten minutes, a pushed request 5 to 600 seconds")
    func lifetimes() {
        #expect(Realm.Lifetimes().withinBounds == Realm.Lifetimes())
        var lifetimes = Realm.Lifetimes()
        lifetimes.code = 601
        lifetimes.pushedRequest = 4
        lifetimes.accessToken = .max
        lifetimes.sessionIdle = .min
        var expected = lifetimes
        expected.code = 600
        expected.pushedRequest = 5
        expected.accessToken = 86_400
        expected.sessionIdle = 60
        #expect(lifetimes.withinBounds == expected)
    }

    @Test("A role's name is one line without spaces around it")
    func roles() throws {
        for (name, isAllowed) in [
            ("Manager", true), ("shop: read all", true), ("", false), (" a", false), ("a\n", false),
            ("a\u{200B}", false),
        ] {
            let role = Role(id: "i", realmID: "r", clientID: nil, name: name, description: "")
            let check = { try RoleRegistration.check(role) }
            if isAllowed {
                try check()
            } else {
                #expect(throws: RoleRegistration.Refusal.name, performing: check)
            }
        }
    }

    @Test("attack H14: what is shown of foreign text has nothing that a terminal obeys")
    func shown() {
        #expect(PlainText.shown("a\u{1B}[31mred\r\nb") == "a\\u{1b}[31mred\\u{d}\\u{a}b")
        #expect(PlainText.shown("x\u{202E}y") == "x\\u{202e}y")
        #expect(PlainText.shown(String(repeating: "a", count: 500)).count == 201)
    }
}
