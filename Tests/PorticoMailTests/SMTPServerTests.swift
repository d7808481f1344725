import PorticoMail
import Testing

@Suite("Where mail is handed in")
struct SMTPServerTests {
    @Test(
        "RFC 8314 §3: what an address of a mail server says",
        arguments: [
            ("smtps://mail.example.com", "mail.example.com", 465, SMTPServer.Security.tls, nil),
            ("smtp://mail.example.com", "mail.example.com", 587, .startTLS, nil),
            ("smtps://ann@mail.example.com:4465", "mail.example.com", 4465, .tls, "ann"),
            (
                "smtp://ann%40example.com@mail.example.com", "mail.example.com", 587, .startTLS,
                "ann@example.com"
            ),
            ("smtp://localhost:25", "localhost", 25, .startTLS, nil),
            ("smtp://127.0.0.1", "127.0.0.1", 25, .none, nil),
            ("smtp://127.9.0.1:2525", "127.9.0.1", 2525, .none, nil),
            ("smtp://[::1]:2525", "::1", 2525, .none, nil),
            ("smtp://[2001:db8::1]", "2001:db8::1", 587, .startTLS, nil),
            ("smtp://127.0.0.1.example.com", "127.0.0.1.example.com", 587, .startTLS, nil),
        ] as [(String, String, UInt16, SMTPServer.Security, String?)]
    )
    func good(
        text: String,
        host: String,
        port: UInt16,
        security: SMTPServer.Security,
        user: String?
    )
        throws
    {
        let server = try SMTPServer(text)
        #expect(server.host == host)
        #expect(server.port == port)
        #expect(server.security == security)
        #expect(server.user == user)
        #expect(try SMTPServer(server.text) == server)
    }

    @Test(
        "RFC 3986 §3.2: nothing but a user, a host and a port",
        arguments: [
            "mail.example.com", "http://mail.example.com", "SMTP://mail.example.com", "smtps://",
            "smtps://mail.example.com/x", "smtps://mail.example.com?x", "smtps://a b",
            "smtps://mail.example.com:", "smtps://mail.example.com:0",
            "smtps://mail.example.com:70000",
            "smtps://mail.example.com:+1", "smtps://@mail.example.com",
            "smtps://a%4@mail.example.com",
            "smtps://a%0D%0A@mail.example.com", "smtps://a;AUTH=NTLM@mail.example.com",
            "smtps://[mail.example.com]", "smtps://mäil.example.com",
            "smtps://a@b@mail.example.com",
            "smtps://a%ff@mail.example.com", "smtps://[::1", "smtps://mail.example.com\n",
        ]
    )
    func malformed(text: String) {
        #expect(throws: SMTPServer.Refusal.malformed) { try SMTPServer(text) }
    }

    @Test("A password has no place in an address, and no encryption only on this machine")
    func refused() {
        #expect(throws: SMTPServer.Refusal.password) {
            try SMTPServer("smtps://ann:secret@mail.example.com")
        }
        for host in [
            "mail.example.com", "localhost", "10.0.0.1", "128.0.0.1", "127.0.0.1.example.com",
        ] {
            #expect(throws: SMTPServer.Refusal.exposed) {
                try SMTPServer(host: host, port: 25, security: .none, user: nil)
            }
        }
    }

    @Test("A user and a password belong together")
    func credentials() throws {
        let server = try SMTPServer("smtps://ann@mail.example.com")
        #expect(throws: SMTPSubmission.Refusal.credentials) {
            try SMTPSubmission(to: server, password: nil)
        }
    }
}
