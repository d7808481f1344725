import PorticoProtocol
import Testing

@testable import PorticoATProtocol

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
