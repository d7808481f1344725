import PorticoProtocol
import Testing

@testable import PorticoATProtocol

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
