@testable import PorticoAdministration
import PorticoBytes
import PorticoStores
import Testing

@testable import PorticoProvider

@Suite("Person registration")
struct PersonRegistrationTests {
    private let registration: PersonRegistration

    // One pool for all: it is never shut down, so it must not be given back.
    private static let hashing = PasswordHashing(threads: 1, mostWaiting: 8, random: .system)

    init() throws {
        registration = PersonRegistration(hashing: Self.hashing)
    }

    private func ann() throws -> Person {
        try registration.person(username: "ann", realmID: "r", at: Fixture.noon)
    }

    @Test(
        "RFC 8265 §3.3: capitals, full width and composition make no second user name",
        arguments: [
            ("Ann", "ann"), (" ann ", "ann"), ("ＡＮＮ", "ann"), ("JOSE\u{301}", "jos\u{E9}"),
            ("jos\u{E9}", "jos\u{E9}"), ("ann@Example.com", "ann@example.com"), ("Ωmega", "ωmega"),
        ]
    )
    func folding(typed: String, kept: String) throws {
        let person = try registration.person(username: typed, realmID: "r", at: Fixture.noon)
        #expect(Array(person.username.utf8) == Array(kept.utf8))
        #expect(Array(LoginName.folded(typed).utf8) == Array(kept.utf8))
        #expect(LoginName.folded(kept) == kept)
    }

    @Test(
        "RFC 8264 §4.2: a user name has no spaces, nothing invisible and no second spelling",
        arguments: [
            "", " ", "ann example", "ann\u{0}", "ann\n\u{7F}", "a\u{200B}nn", "a\u{202E}nn",
            "a\u{AD}n",
            "ﬁona", "ann👩", "№1", String(repeating: "a", count: 201),
        ]
    )
    func usernames(username: String) {
        #expect(throws: PersonRegistration.Refusal.username) {
            try registration.person(username: username, realmID: "r", at: Fixture.noon)
        }
    }

    @Test(
        "An email address is ASCII of the form name@host and is kept in lower case",
        arguments: [
            ("Ann@Example.COM", "ann@example.com"), ("a.b+c@x-y.example", "a.b+c@x-y.example"),
            ("ann", nil), ("ann@", nil), ("@example.com", nil), ("a@b@c.example", nil),
            ("ann@-x.example", nil), ("ann@x..example", nil), ("ann@example.com\r\nBcc: x", nil),
            ("\"a b\"@example.com", nil), ("änn@example.com", nil), ("ann@exämple.com", nil),
        ] as [(String, String?)]
    )
    func emails(typed: String, kept: String?) throws {
        var person = try ann()
        person.email = typed
        if let kept {
            #expect(try registration.checked(person).email == kept)
        } else {
            #expect(throws: PersonRegistration.Refusal.email) { try registration.checked(person) }
        }
    }

    @Test("OpenID Connect Core §5.1: without an email address none is verified")
    func noEmail() throws {
        var person = try ann()
        person.email = ""
        person.isEmailVerified = true
        let checked = try registration.checked(person)
        #expect(checked.email == nil)
        #expect(!checked.isEmailVerified)
    }

    @Test("Names show as they read: no line breaks, no turning characters; joiners stay")
    func names() throws {
        var person = try ann()
        person.givenName = "Ann\u{202E}"
        #expect(throws: PersonRegistration.Refusal.givenName) { try registration.checked(person) }
        person.givenName = "می\u{200C}نا"
        person.familyName = ""
        let checked = try registration.checked(person)
        #expect(checked.givenName == "می\u{200C}نا")
        #expect(checked.familyName == nil)
        person.familyName = "O\nK"
        #expect(throws: PersonRegistration.Refusal.familyName) { try registration.checked(person) }
    }

    @Test("Attributes are bounded text")
    func attributes() throws {
        var person = try ann()
        person.attributes = ["formatted": ["1 Street\nTown"]]
        #expect(try registration.checked(person) == person)
        for attributes in [
            ["a": [String(repeating: "x", count: 2049)]], ["a\n": ["x"]], ["a": ["\u{0}"]],
            ["": ["x"]],
        ] {
            person.attributes = attributes
            #expect(throws: PersonRegistration.Refusal.attributes) {
                try registration.checked(person)
            }
        }
    }

    @Test("OpenID Connect Core §2: an id is 255 visible ASCII characters at most, and random")
    func subjects() throws {
        #expect(try ann().id != ann().id)
        for (id, isAllowed) in [
            ("8f2c1c0e-0000-4000-8000-000000000001", true), ("f:1c0e:ann", true), ("", false),
            ("client:web1", false), ("a b", false), ("é", false), ("a\"b", false),
            (String(repeating: "a", count: 256), false),
        ] {
            #expect(PersonRegistration.isSubject(id) == isAllowed)
        }
    }

    @Test("NIST SP 800-63B §3.1.1.2: a new password that the policy refuses is not hashed")
    func newPassword() async throws {
        let ann = try ann()
        await #expect(throws: PasswordPolicy.Refusal.tooShort) {
            try await registration.hash(
                SecretText("short"),
                for: ann,
                realmName: "demo",
                by: .server,
                random: .system
            )
        }
        let hash = try await registration.hash(
            SecretText("correct horse battery"),
            for: ann,
            realmName: "demo",
            by: .server,
            random: .system
        )
        #expect(hash.encoded.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    }

    @Test("A password in use is hashed as it is, and the rule that it breaks is told")
    func passwordInUse() async throws {
        let (hash, broken) = try await registration.hashInUse(
            SecretText("ann"),
            for: try ann(),
            realmName: "demo",
            random: .system
        )
        #expect(broken == .tooShort)
        #expect(StoredHash.verify(Array("ann".utf8), against: hash))
    }
    @Test("WEB-BRUTE-1: new passwords are hashed for whoever asks for them")
    func asker() async throws {
        let occupied = OccupiedHashing(places: 16)
        let registration = PersonRegistration(hashing: occupied.hashing)
        let ann = try ann()
        let asker = HashingAsker(address: "192.0.2.1", account: "ann")
        try await occupied.take(costly: 3, cheap: 4, for: asker)
        await #expect(throws: PasswordHashing.Busy.self) {
            try await registration.hash(
                SecretText("correct horse battery"),
                for: ann,
                realmName: "demo",
                by: asker,
                random: .system
            )
        }
        occupied.leave()
        await occupied.hashing.shutDown()
    }
}
