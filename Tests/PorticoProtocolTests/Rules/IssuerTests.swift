import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Issuers")
struct IssuerTests {
    @Test(
        "OpenID Connect Discovery §4.1, RFC 8414 §3.1: the well-known addresses of an issuer",
        arguments: [
            (
                "https://op.example.com",
                "https://op.example.com/.well-known/openid-configuration",
                "https://op.example.com/.well-known/oauth-authorization-server"
            ),
            (
                "https://op.example.com/",
                "https://op.example.com/.well-known/openid-configuration",
                "https://op.example.com/.well-known/oauth-authorization-server"
            ),
            (
                "https://op.example.com/realms/a",
                "https://op.example.com/realms/a/.well-known/openid-configuration",
                "https://op.example.com/.well-known/oauth-authorization-server/realms/a"
            ),
            (
                "https://op.example.com:8443/realms/a/",
                "https://op.example.com:8443/realms/a/.well-known/openid-configuration",
                "https://op.example.com:8443/.well-known/oauth-authorization-server/realms/a"
            ),
        ]
    )
    func wellKnown(issuer: String, openID: String, oauth: String) throws {
        let issuer = try Issuer(issuer)
        #expect(issuer.openIDConfiguration?.text == openID)
        #expect(issuer.authorizationServerMetadata?.text == oauth)
    }

    @Test("Decision 0036: http is refused, except on this machine where that is allowed")
    func insecure() throws {
        for text in [
            "http://op.example.com", "http://127.0.0.1:8080", "http://[::1]:8080/r",
            "http://localhost:8080",
        ] {
            #expect(throws: Issuer.Refusal.insecure) { try Issuer(text) }
        }
        for text in [
            "http://op.example.com", "http://127.0.0.2", "http://localhost.evil.example",
            "http://evillocalhost:8080", "http://127.0.0.1.evil.example",
        ] {
            #expect(throws: Issuer.Refusal.insecure) {
                try Issuer(text, allowInsecureLoopback: true)
            }
        }
        #expect(
            try Issuer("http://127.0.0.1:8080/realms/demo", allowInsecureLoopback: true).text
                == "http://127.0.0.1:8080/realms/demo"
        )
        for text in ["http://[::1]:8080", "http://localhost:8080/r", "http://op.localhost"] {
            let issuer = try Issuer(text, allowInsecureLoopback: true)
            #expect(issuer.text == text)
            #expect(issuer.plainHTTP == .onLoopback)
        }
    }

    @Test("RFC 8414 §2: an issuer has no query, no fragment, no placeholder, no user information")
    func malformed() {
        #expect(throws: Issuer.Refusal.hasQuery) { try Issuer("https://op.example?x=1") }
        #expect(throws: Issuer.Refusal.hasQuery) { try Issuer("https://op.example?") }
        for text in ["https://op.example#f", "https://u@op.example", "https://op/{tenant}", "op"] {
            #expect(throws: Issuer.Refusal.notAnAddress) { try Issuer(text) }
        }
    }

    @Test(
        "RFC 9207 §2.4, RFC 8414 §4: issuers are equal to the byte or not at all",
        arguments: [
            "https://op.example.com/", "HTTPS://op.example.com", "https://OP.example.com",
            "https://op.example.com:443", "https://op.example.com/realms/other", "", " ",
            "https://op.example.com ",
        ]
    )
    func exact(other: String) throws {
        let issuer = try Issuer("https://op.example.com")
        #expect(issuer.isNamed("https://op.example.com"))
        #expect(!issuer.isNamed(other))
    }
}
