import Testing

@testable import PorticoATProtocol

@Suite("What a person types as their handle") struct HandleInputTests {
    private static let did = "did:plc:z72i7hdynmk6r22z27h6tvur"

    private func start(_ typed: String) -> HandleInput.Start? {
        if case .start(let start) = HandleInput(typed) { start } else { nil }
    }

    @Test("ATP-ID-1: a sign-in begins with a handle, a DID or a server")
    func entries() throws {
        #expect(start("alice.bsky.social") == .handle(try Handle("alice.bsky.social")))
        #expect(start(Self.did) == .did(try DID(Self.did)))
        #expect(start("did:web:pds.example.com") == .did(try DID("did:web:pds.example.com")))
        let server = HandleInput.Start.server(try ServerOrigin("https://pds.example.com"))
        #expect(start("https://pds.example.com") == server)
        #expect(start("https://pds.example.com/") == server)
        #expect(start(" HTTPS://PDS.Example.com/ ") == server)
    }

    @Test(
        "ATP-ID-1: what does not change the meaning is forgiven",
        arguments: [
            "alice.bsky.social", "Alice.Bsky.Social", "ALICE.BSKY.SOCIAL", " alice.bsky.social ",
            "\talice.bsky.social\r\n", "\u{A0}alice.bsky.social\u{3000}", "@alice.bsky.social",
            "\u{FF20}alice.bsky.social", " @alice.bsky.social", "alice.bsky.social.",
            "@alice.bsky.social.", "at://alice.bsky.social", "AT://Alice.bsky.social",
            "at://alice.bsky.social/app.bsky.feed.post/3k", "at://alice.bsky.social/",
            "\u{200E}alice.bsky.social\u{200F}", "\u{2068}@alice.bsky.social\u{2069}",
            "\u{202A}alice.bsky.social\u{202C}", "ali\u{200B}ce.bsky.social",
            "alice.bsky\u{AD}.social", "\u{FEFF}alice.bsky.social", "alice\u{2060}.bsky.social",
            "\u{61C}alice.bsky.social", "\u{202E}@alice.bsky.social",
            "https://bsky.app/profile/alice.bsky.social",
            "https://bsky.app/profile/alice.bsky.social/",
            "https://bsky.app/profile/alice.bsky.social/post/3kabc",
            "https://bsky.app/profile/alice.bsky.social?x=y",
            "https://bsky.app/profile/alice.bsky.social#top",
            "http://bsky.app/profile/alice.bsky.social",
            "https://www.bsky.app/profile/alice.bsky.social",
            "HTTPS://BSKY.APP/profile/Alice.bsky.social", "bsky.app/profile/alice.bsky.social",
            "www.bsky.app/profile/alice.bsky.social/post/1",
        ]
    )
    func forgiven(typed: String) throws {
        #expect(start(typed) == .handle(try Handle("alice.bsky.social")), "\(typed)")
    }

    @Test(
        "ATP-ID-1: a DID is taken as it is, also out of an address",
        arguments: [
            "%@", " %@\n", "at://%@", "at://%@/app.bsky.actor.profile/self",
            "https://bsky.app/profile/%@", "\u{2068}%@\u{2069}", "@%@",
        ]
    )
    func dids(pattern: String) throws {
        let typed = pattern.replacing("%@", with: Self.did)
        #expect(start(typed) == .did(try DID(Self.did)), "\(typed)")
    }

    @Test(
        "ATP-ID-1: what may be meant is proposed, and never used before the person says so",
        arguments: [
            ("alice@bsky.social", "alice.bsky.social"), ("alice@example.com", "alice.example.com"),
            ("Alice.B@Example.com", "alice.b.example.com"),
            ("@alice@social.org", "alice.social.org"),
            ("alice", "alice.bsky.social"), ("@Alice", "alice.bsky.social"),
            ("alice.", "alice.bsky.social"), ("alice-b", "alice-b.bsky.social"),
            ("alice. bsky. social", "alice.bsky.social"), ("@ alice", "alice.bsky.social"),
            ("alice .bsky\u{A0}.social", "alice.bsky.social"),
            ("alice。bsky。social", "alice.bsky.social"),
            ("alice．bsky．social", "alice.bsky.social"),
            ("alice｡bsky｡social", "alice.bsky.social"),
            ("ａｌｉｃｅ.bsky.social", "alice.bsky.social"),
            ("ａｌｉｃｅ", "alice.bsky.social"), ("alice＠bsky.social", "alice.bsky.social"),
        ]
    )
    func proposed(typed: String, handle: String) throws {
        #expect(HandleInput(typed) == .propose(try Handle(handle)), "\(typed)")
    }

    @Test("ATP-ID-1: where a bare name belongs is a setting")
    func domain() throws {
        let input = HandleInput("alice", defaultDomain: "people.example.com")
        #expect(input == .propose(try Handle("alice.people.example.com")))
        #expect(HandleInput("alice", defaultDomain: "localhost") == .unreadable)
    }

    @Test(
        "ATP-ID-1: the rest is unreadable, and no request is made for it",
        arguments: [
            "", " ", "@", ".", "..", "@.", "al ice.bsky.social", "alice bsky social",
            "al_ice.bsky.social",
            "alice.bsky.social, bob.bsky.social", "älice.bsky.social", "алиса.example.com",
            "alice..social", "-alice.bsky.social", "alice.local", "alice.test", "127.0.0.1",
            "alice@bsky", "a@b@c.d", "@@alice.bsky.social", "alice@", "mailto:alice@example.com",
            "https://pds.example.com/path", "https://pds.example.com?q",
            "https://pds.example.com:8443", "https://u@pds.example.com", "http://pds.example.com",
            "https://localhost", "https://10.0.0.1", "https://[::1]", "https://", "ftp://a.com",
            "did:key:zQ3sh", "did:plc:short", "did:web:10.0.0.1", "DID:plc:abc", "did:",
            "at://", "at:///x", "https://bsky.app/profile/", "https://bsky.app/profile/?x",
            "javascript:alert(1)", "alice.bsky.social\u{0}", "alice\u{0}.bsky.social",
            "ｄｉｄ：ｐｌｃ：ｚ７２ｉ７ｈｄｙｎｍｋ６ｒ２２ｚ２７ｈ６ｔｖｕｒ",
            "https://pds。example。com", "😀.bsky.social", "alice.bsky.social@", "<alice.a.b>",
        ]
    )
    func unreadable(typed: String) {
        #expect(HandleInput(typed) == .unreadable, "\(typed)")
    }

    @Test("WEB-INPUT-1: more than 2,048 bytes are not looked at")
    func long() {
        let spaces = String(repeating: " ", count: 2048 - 17)
        #expect(start("alice.bsky.social" + spaces) != nil)
        #expect(HandleInput("alice.bsky.social" + spaces + " ") == .unreadable)
        #expect(HandleInput(String(repeating: "a\u{301}", count: 700_000)) == .unreadable)
        #expect(HandleInput(String(repeating: "@", count: 2_000_000)) == .unreadable)
    }

    @Test("ATP-ID-1: an origin over plain http is a server where it is named, and nowhere else")
    func plain() throws {
        var rules = IdentityRules()
        rules.plainOrigins = ["http://localhost:9000"]
        let server = try ServerOrigin("http://localhost:9000", rules)
        #expect(HandleInput("http://localhost:9000/", rules) == .start(.server(server)))
        #expect(HandleInput("http://localhost:9000/") == .unreadable)
    }
}
