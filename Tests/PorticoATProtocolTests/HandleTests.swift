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
