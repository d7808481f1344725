import PorticoProtocol
import Testing

@testable import PorticoATProtocol

@Suite("Handles") struct HandleTests {
    private func refusal(_ text: String, _ rules: IdentityRules = .production)
        -> HostName.Refusal?
    {
        do {
            _ = try Handle(text, rules)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "ATP-ID-2: a handle is a name of two labels or more, in letters, digits and hyphens",
        arguments: [
            "alice.bsky.social", "a.co", "a.b.c.d.e.f.example.com", "8.cn", "007.example.com",
            "xn--ls8h.example.com", "a-b.example.com", "a--b.example.com", "john.test-2.com",
            "example.xn--p1ai", "0-0.example.com", "laptop.co.uk", "1.0.0.127.com", "e.c0",
            String(repeating: "a", count: 63) + ".com",
            String(repeating: "a123456789.", count: 22) + "abcdefgh.co",
        ]
    )
    func valid(text: String) throws {
        #expect(try Handle(text).text == text)
    }

    @Test("ATP-ID-2: capitals mean nothing in a handle: it is lower-cased")
    func capitals() throws {
        let handle = try Handle("Alice.BSKY.Social")
        #expect(handle.text == "alice.bsky.social")
        #expect(try handle == Handle("alice.bsky.social"))
    }

    @Test(
        "ATP-ID-2: what is no host name is no handle, and says why",
        arguments: [
            ("", HostName.Refusal.tooFewLabels), ("alice", .tooFewLabels), ("com", .tooFewLabels),
            (".", .label), ("alice.", .label), (".alice.com", .label), ("alice..com", .label),
            ("-alice.com", .label), ("alice-.com", .label), ("alice.-com", .label),
            ("alice.com-", .label), (String(repeating: "a", count: 64) + ".com", .label),
            ("alice.0", .topLevel), ("127.0.0.1", .topLevel), ("alice.1com", .topLevel),
            ("1.2.3.4", .topLevel), ("al_ice.com", .character), ("alice.com ", .character),
            (" alice.com", .character), ("@alice.com", .character), ("al ice.com", .character),
            ("alice.com/", .character), ("alice.com:443", .character), ("[::1]", .character),
            ("älice.com", .character), ("alice。com", .character), ("alice.com\0", .character),
            ("alice.\u{202E}com", .character), ("аlice.com", .character), ("a%2eb.c", .character),
            ("did:plc:abc", .character), ("https://alice.com", .character),
            ("alice.com\n", .character), ("alice@bsky.social", .character), ("*.com", .character),
            (String(repeating: "a.", count: 126) + "co", .tooLong),
            (String(repeating: "ä", count: 127), .tooLong),
        ]
    )
    func invalid(text: String, refusal: HostName.Refusal) {
        #expect(self.refusal(text) == refusal, "\(text)")
    }

    @Test("ATP-ID-2: a handle has at most 253 bytes")
    func length() throws {
        let labels = String(repeating: "a23456789.", count: 25)
        #expect(try Handle(labels + "abc").text.utf8.count == 253)
        #expect(refusal(labels + "abcd") == .tooLong)
    }

    @Test(
        "ATP-ID-3: names that are not of the public internet are refused",
        arguments: [
            "alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion", "test",
            "LOCAL", "Test",
        ]
    )
    func reserved(name: String) {
        #expect(refusal("alice.\(name)") == .reserved)
        #expect(refusal("a.b.alice.\(name)") == .reserved)
    }

    @Test("ATP-ID-3: names under .test are for tests, and no others become theirs")
    func test() throws {
        var rules = IdentityRules()
        rules.allowsTest = true
        #expect(try Handle("alice.test", rules).text == "alice.test")
        #expect(refusal("alice.localhost", rules) == .reserved)
        // Only the last label counts.
        #expect(try Handle("alice.test.com").text == "alice.test.com")
        #expect(refusal(Handle.invalid) == .reserved)
    }

    @Test("WEB-INPUT-1: two megabytes are refused by their length alone")
    func long() {
        #expect(refusal(String(repeating: "a\u{301}", count: 700_000)) == .tooLong)
    }
}

@Suite("DIDs") struct DIDTests {
    private static let lax: IdentityRules = {
        var rules = IdentityRules()
        rules.allowsTest = true
        return rules
    }()

    private func refusal(_ text: String, _ rules: IdentityRules = .production) -> DID.Refusal? {
        do {
            _ = try DID(text, rules)
            return nil
        } catch {
            return error
        }
    }

    @Test("ATP-ID-8: the two methods in use, and what they hold")
    func valid() throws {
        let plc = try DID("did:plc:z72i7hdynmk6r22z27h6tvur")
        #expect(plc.method == .plc)
        #expect(plc.text == "did:plc:z72i7hdynmk6r22z27h6tvur")
        let web = try DID("did:web:pds.example.com")
        #expect(web.method == .web(try HostName("pds.example.com")))
        // As long as its host may be.
        let host = String(repeating: "a23456789.", count: 25) + "abc"
        #expect(try DID("did:web:\(host)").text.utf8.count == 261)
    }

    @Test(
        "ATP-ID-8: what does not have a DID's syntax is told from what does",
        arguments: [
            "", "did", "did:", "did:plc", "did:plc:", "did::abc", ":plc:abc", "DID:plc:abc",
            "Did:plc:abc", "did:PLC:abc", "did:Plc:abc", "did:p1c:abc", "did:p-c:abc", "did:web:",
            "did:method:abc:", "did:method:abc/", "did:method:abc/path", "did:method:abc?q",
            "did:method:abc#f", "did:method:a b", "did:method:é", "did:method:a%", "did:method:a%1",
            "did:method:%zz", "did:method:abc\n", " did:plc:z72i7hdynmk6r22z27h6tvur",
            "did:plc:z72i7hdynmk6r22z27h6tvur ", "did:method:a@b", "did:web:user@evil.example",
            "didplcabc", "https://example.com", "did:method:\0",
        ]
    )
    func syntax(text: String) {
        #expect(refusal(text) == .syntax, "\(text)")
    }

    @Test(
        "ATP-ID-8: a DID of another method is no error of syntax, but not usable",
        arguments: [
            "did:key:zQ3shcJU6sYrzz9BZBSxdFzEXEfHJaxCbMrGnfDjrLhopteVv", "did:method:val",
            "did:method:val:two", "did:m:v", "did:method::::val", "did:method:-:_:.%ab",
            "did:plcx:z72i7hdynmk6r22z27h6tvur", "did:onion:2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu",
            "did:webs:example.com", "did:pl:abc",
        ]
    )
    func method(text: String) {
        #expect(refusal(text) == .method, "\(text)")
    }

    @Test(
        "ATP-ID-8: a did:plc has 24 characters of base32, in lower case",
        arguments: [
            "did:plc:z72i7hdynmk6r22z27h6tvu", "did:plc:z72i7hdynmk6r22z27h6tvurr",
            "did:plc:z72i7hdynmk6r22z27h6tvu1", "did:plc:z72i7hdynmk6r22z27h6tvu8",
            "did:plc:Z72I7HDYNMK6R22Z27H6TVUR", "did:plc:z72i7hdynmk6r22z27h6tv:r",
            "did:plc:z72i7hdynmk6r22z27h6t%41", "did:plc:victim",
        ]
    )
    func identifier(text: String) {
        #expect(refusal(text) == .identifier, "\(text)")
    }

    @Test(
        "ATP-ID-7: a did:web is a public host in lower case, without a path and a port",
        arguments: [
            "did:web:localhost", "did:web:localhost%3A8080", "did:web:10.0.0.1",
            "did:web:169.254.169.254", "did:web:evil.com:path", "did:web:evil.com:u:alice",
            "did:web:evil.com%2f..", "did:web:evil.com%3A8443", "did:web:evil.com%3a443",
            "did:web:Evil.com", "did:web:evil", "did:web:evil.internal", "did:web:evil.test",
            "did:web:-evil.com", "did:web:evil..com", "did:web:ev_il.com", "did:web:%65vil.com",
        ]
    )
    func web(text: String) {
        #expect(refusal(text) == .identifier, "\(text)")
    }

    @Test("attack G05: DIDs that lead elsewhere are refused, with errors that tell them apart")
    func disguised() {
        #expect(refusal("did:web:localhost%3A8080") == .identifier)
        #expect(refusal("did:web:10.0.0.1") == .identifier)
        #expect(refusal("did:web:evil.example:path") == .identifier)
        #expect(refusal("did:web:evil.example%2f..") == .identifier)
        #expect(refusal("DID:plc:x") == .syntax)
        #expect(refusal("did:key:zQ3sh") == .method)
    }

    @Test("ATP-ID-8: a DID has at most 2,048 bytes")
    func length() {
        #expect(refusal("did:method:" + String(repeating: "a", count: 2037)) == .method)
        #expect(refusal("did:method:" + String(repeating: "a", count: 2038)) == .tooLong)
        #expect(refusal("did:plc:" + String(repeating: "e\u{301}", count: 700_000)) == .tooLong)
    }

    @Test("ATP-ID-8: rules for tests take short names, and still no syntax of others")
    func lax() throws {
        #expect(try DID("did:plc:victim", Self.lax).method == .plc)
        #expect(refusal("did:plc:" + String(repeating: "a", count: 65), Self.lax) == .identifier)
        #expect(refusal("did:plc:a.b", Self.lax) == .identifier)
        #expect(try DID("did:web:pds.test", Self.lax).text == "did:web:pds.test")
        #expect(refusal("did:web:localhost", Self.lax) == .identifier)
    }
}

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

@Suite("Origins of servers") struct ServerOriginTests {
    private func refusal(_ text: String, _ rules: IdentityRules = .production)
        -> ServerOrigin.Refusal?
    {
        do {
            _ = try ServerOrigin(text, rules)
            return nil
        } catch {
            return error
        }
    }

    @Test("ATP-ID-11: a host is https and a public name, and nothing more")
    func valid() throws {
        let origin = try ServerOrigin("https://pds.example.com")
        #expect(origin.text == "https://pds.example.com")
        #expect(origin.host == "pds.example.com")
        #expect(origin.address("/x?y")?.text == "https://pds.example.com/x?y")
        #expect(try ServerOrigin(of: HostName("PDS.example.com")) == origin)
    }

    @Test(
        "attack G06: an endpoint that is no plain origin is refused, and says why",
        arguments: [
            ("http://pds.example.com", ServerOrigin.Refusal.scheme),
            ("HTTPS://pds.example.com", .scheme), ("https://pds.example.com/", .syntax),
            ("https://pds.example.com/xrpc", .syntax), ("https://pds.example.com?q", .syntax),
            ("https://pds.example.com#f", .syntax), ("https://u@pds.example.com", .syntax),
            ("https://u:p@pds.example.com", .syntax), ("https://", .syntax), ("", .syntax),
            ("pds.example.com", .syntax), ("ftp://pds.example.com", .syntax),
            ("https://pds.example.com:443", .port), ("https://pds.example.com:8443", .port),
            ("https://pds.example.com:443/", .syntax), ("https://[::1]", .host),
            ("https://127.0.0.1", .host), ("https://169.254.169.254", .host),
            ("https://2130706433", .host), ("https://localhost", .host),
            ("https://pds", .host), ("https://pds.local", .host), ("https://pds.test", .host),
            ("https://PDS.example.com", .host), ("https://pds_1.example.com", .host),
            ("https://pds.example.com.", .host), ("https://pds.exämple.com", .syntax),
            ("https://pds.example.com\\@evil.com", .syntax), ("https://pds.example.com ", .syntax),
        ]
    )
    func invalid(text: String, refusal: ServerOrigin.Refusal) {
        #expect(self.refusal(text) == refusal, "\(text)")
    }

    @Test("ATP-ID-11: an origin over plain http is one only where it is named, byte for byte")
    func plain() throws {
        var rules = IdentityRules()
        rules.plainOrigins = ["http://localhost:9000"]
        #expect(try ServerOrigin("http://localhost:9000", rules).host == "localhost")
        #expect(refusal("http://localhost:9001", rules) == .scheme)
        #expect(refusal("http://localhost", rules) == .scheme)
        #expect(refusal("https://localhost:9000", rules) == .port)
        #expect(refusal("http://localhost:9000/", rules) == .syntax)
        #expect(refusal("http://localhost:9000") == .scheme)
    }
}
