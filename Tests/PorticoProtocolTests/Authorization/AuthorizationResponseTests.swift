import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Authorization responses, as the client reads them")
struct AuthorizationResponseTests {
    private static let redirect = "https://app.example.com/cb"
    private static let issuer = "https://op.example.com"

    private func read(
        _ uri: String,
        redirect: String = redirect,
        announced: Bool = true
    ) throws -> AuthorizationResponse {
        try AuthorizationResponse(
            uri,
            expecting: AuthorizationResponse.Expectation(
                redirectURI: redirect,
                state: SecretText("STATE"),
                issuer: Issuer(Self.issuer),
                isIssuerAnnounced: announced
            )
        )
    }

    private func refusal(_ uri: String, announced: Bool = true) -> AuthorizationResponse.Refusal? {
        do {
            _ = try read(uri, announced: announced)
            return nil
        } catch {
            return error as? AuthorizationResponse.Refusal
        }
    }

    private func code(_ response: AuthorizationResponse) -> String? {
        if case .code(let code) = response { code.reveal() } else { nil }
    }

    @Test("RFC 6749 §4.1.2: a response with state and iss yields its code, whatever else it holds")
    func code() throws {
        let query = "code=a%2Bb&state=STATE&iss=https%3A%2F%2Fop.example.com&session_state=x&y="
        #expect(code(try read("\(Self.redirect)?\(query)")) == "a+b")
    }

    @Test("RFC 6749 §4.1.2: a code may be long")
    func longCode() throws {
        let long = String(repeating: "c", count: 4096)
        let uri = "\(Self.redirect)?code=\(long)&state=STATE&iss=\(Self.issuer)"
        #expect(code(try read(uri)) == long)
    }

    @Test(
        "RFC 8252 §8.9: a response without the state of the request is ignored",
        arguments: [
            "code=c&iss=https://op.example.com", "code=c&state=&iss=https://op.example.com",
            "code=c&state=state&iss=https://op.example.com",
            "code=c&state=STATE%20&iss=https://op.example.com",
            "code=c&state=STATE&state=STATE&iss=https://op.example.com",
            "error=access_denied", "error=access_denied&state=other", "", "code=c&state=%FF",
            "x#code=c&state=STATE&iss=https://op.example.com",
        ]
    )
    func state(query: String) throws {
        let found = try #require(refusal("\(Self.redirect)?\(query)"))
        #expect(found == .otherState)
        #expect(found.isIgnored)
    }

    @Test(
        "RFC 8252 §8.10, attack E16: a response on another URI is ignored",
        arguments: [
            "https://app.example.com/CB?", "https://app.example.com/cb/?",
            "https://app.example.com:8443/cb?", "https://www.app.example.com/cb?",
            "http://app.example.com/cb?", "https://user@app.example.com/cb?",
            "https://app.example.com/cb2?", "https://app.example.com/cb/x?",
            "https://app.example.com/cb#", "com.example:/cb?", "",
        ]
    )
    func redirect(base: String) throws {
        let uri = "\(base)code=c&state=STATE&iss=https://op.example.com"
        let found = try #require(refusal(uri))
        #expect(found == .otherRedirect)
        #expect(found.isIgnored)
    }

    @Test("A fragment that a browser kept is cut off, and never read")
    func fragment() throws {
        let query = "?code=c&state=STATE&iss=https://op.example.com"
        for fragment in ["#_=_", "#", "#state=other&code=d", "#a#b", "#\u{301}x"] {
            #expect(code(try read(Self.redirect + query + fragment)) == "c", "\(fragment)")
        }
        #expect(refusal("\(Self.redirect)#\(query)") == .otherRedirect)
    }

    @Test("RFC 9110 §4.2.2: the default port may be written or not")
    func defaultPort() throws {
        let query = "?code=c&state=STATE&iss=https://op.example.com"
        #expect(code(try read("https://app.example.com:443/cb\(query)")) == "c")
    }

    @Test("RFC 6749 §3.1.2: the query of a redirect URI stays, and is part of the comparison")
    func ownQuery() throws {
        let own = "https://app.example.com/cb?tenant=a"
        let rest = "code=c&state=STATE&iss=https://op.example.com"
        #expect(code(try read("\(own)&\(rest)", redirect: own)) == "c")
        for uri in ["https://app.example.com/cb?tenant=b&\(rest)", "\(Self.redirect)?\(rest)"] {
            #expect(throws: AuthorizationResponse.Refusal.otherRedirect) {
                try read(uri, redirect: own)
            }
        }
    }

    @Test(
        "RFC 9207 §2.4: a code with another iss ends the attempt, a forged error does not",
        arguments: [
            "https://op.example.com/", "https://evil.example", "HTTPS://op.example.com", "",
        ]
    )
    func issuer(iss: String) throws {
        for announced in [true, false] {
            let code = refusal(
                "\(Self.redirect)?code=c&state=STATE&iss=\(iss)",
                announced: announced
            )
            #expect(code == .otherIssuer)
            #expect(code?.isIgnored == false)
            let error = refusal(
                "\(Self.redirect)?error=access_denied&state=STATE&iss=\(iss)",
                announced: announced
            )
            #expect(error == .forgedError)
            #expect(error?.isIgnored == true)
        }
    }

    @Test("RFC 9207 §2.4: iss is required where it is announced, and only there")
    func missingIssuer() throws {
        #expect(refusal("\(Self.redirect)?code=c&state=STATE") == .otherIssuer)
        #expect(refusal("\(Self.redirect)?error=x&state=STATE") == .forgedError)
        #expect(
            refusal("\(Self.redirect)?code=c&state=STATE&iss=https://op.example.com&iss=x")
                == .otherIssuer
        )
        #expect(code(try read("\(Self.redirect)?code=c&state=STATE", announced: false)) == "c")
    }

    @Test("RFC 6749 §4.1.2.1: an error with state and iss is the answer")
    func error() throws {
        let words = "error_description=No+session&error_uri=https://op.example.com/e"
        let query = "error=login_required&\(words)&state=STATE&iss=\(Self.issuer)"
        guard case .error(let error) = try read("\(Self.redirect)?\(query)") else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .loginRequired)
        #expect(error.description == "No session")
        #expect(error.address == "https://op.example.com/e")
    }

    @Test(
        "attack E07: what is no single answer to a code request ends the attempt",
        arguments: [
            "code=c&error=access_denied", "code=c&code=d", "error=a&error=b", "", "code=",
            "error=", "error=" + String(repeating: "e", count: 257),
            "code=c&id_token=x", "code=c&access_token=x", "response=x",
            "code=c&x=1&x=2",
        ]
    )
    func malformed(query: String) {
        let uri = "\(Self.redirect)?\(query)&state=STATE&iss=https://op.example.com"
        #expect(refusal(uri) == .malformed)
    }

    @Test("RFC 6749 §3.1: an error without a value beside a code is none")
    func emptyError() throws {
        let uri = "\(Self.redirect)?error=&error_description=&code=c&state=STATE"
        guard case .code(let code) = try read(uri + "&iss=https://op.example.com") else {
            Issue.record("no code")
            return
        }
        #expect(code.reveal() == "c")
        #expect(refusal(uri + "&iss=https://evil.example") == .otherIssuer)
    }

    @Test(
        "RFC 8252 §7.1, §8.10: a private-use scheme comes back to its own path, to the byte",
        arguments: [
            ("com.example.notes:/signed-in", nil), ("com.example.notes:/signed", .otherRedirect),
            // RFC 3986 §6.2.2.1: the case of a scheme says nothing, and WebKit lowers it.
            ("Com.Example.NOTES:/signed-in", nil),
            ("com.example.notes:/", .otherRedirect),
            ("com.example.notes:/SIGNED-IN", .otherRedirect),
            ("com.example.notes:/signed-in2", .otherRedirect), ("notes:/signed-in", .otherRedirect),
            ("com.example.notes2:/signed-in", .otherRedirect),
            ("urn:example:notes", .otherRedirect),
            ("com.example.notes://signed-in", .otherRedirect),
        ] as [(String, AuthorizationResponse.Refusal?)]
    )
    func privateUse(base: String, expected: AuthorizationResponse.Refusal?) {
        #expect(refusal(base, of: "com.example.notes:/signed-in") == expected)
    }

    @Test(
        "RFC 8252 §7.3: a loopback answer comes to the address, port and path that are listened on",
        arguments: [
            ("http://127.0.0.1:49999/cb", nil), ("http://127.0.0.1:49998/cb", .otherRedirect),
            ("http://localhost:49999/cb", .otherRedirect),
            ("http://[::1]:49999/cb", .otherRedirect),
            ("http://127.0.0.1:49999/favicon.ico", .otherRedirect),
            ("http://127.0.0.1/cb", .otherRedirect), ("https://127.0.0.1:49999/cb", .otherRedirect),
        ] as [(String, AuthorizationResponse.Refusal?)]
    )
    func loopback(base: String, expected: AuthorizationResponse.Refusal?) {
        #expect(refusal(base, of: "http://127.0.0.1:49999/cb") == expected)
    }

    @Test(
        "RFC 3986 §6.2.3: a redirect URI without a path comes back with the slash that browsers add",
        arguments: [
            ("https://app.example.com", nil), ("https://app.example.com/", nil),
            ("https://app.example.com:443", nil), ("https://app.example.com:443/", nil),
            ("https://app.example.com//", .otherRedirect),
            ("https://app.example.com/cb", .otherRedirect),
            ("https://app.example.com.evil.example", .otherRedirect),
            ("https://app.example.comx/", .otherRedirect),
            ("http://app.example.com", .otherRedirect),
        ] as [(String, AuthorizationResponse.Refusal?)]
    )
    func pathless(base: String, expected: AuthorizationResponse.Refusal?) {
        #expect(refusal(base, of: "https://app.example.com") == expected)
    }

    private func refusal(_ base: String, of redirect: String) -> AuthorizationResponse.Refusal? {
        do {
            let query = "code=c&state=STATE&iss=https://op.example.com"
            _ = try read("\(base)?\(query)", redirect: redirect)
            return nil
        } catch {
            return error as? AuthorizationResponse.Refusal
        }
    }
}
