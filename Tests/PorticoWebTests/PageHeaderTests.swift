import HTTPTypes
import NIOCore
import PorticoProtocol
import Testing

@testable import PorticoWeb

@Suite("Content security policy and security headers")
struct PageHeaderTests {
    let style = "'sha256-abc='"

    private func directives(_ policy: PagePolicy) -> [Substring: Substring] {
        var directives: [Substring: Substring] = [:]
        for directive in policy.value.split(separator: "; ") {
            let name = directive.prefix { $0 != " " }
            #expect(directives[name] == nil, "A second directive of a name is ignored.")
            directives[name] = directive.dropFirst(name.count + 1)
        }
        return directives
    }

    @Test("WEB-CSP-1, attack B12: a page may do nothing but show its style and post to us")
    func page() {
        let directives = directives(.page(style: style))
        #expect(directives["default-src"] == "'none'")
        #expect(directives["script-src"] == "'none'")
        #expect(directives["object-src"] == "'none'")
        #expect(directives["base-uri"] == "'none'")
        #expect(directives["frame-ancestors"] == "'none'")
        #expect(directives["form-action"] == "'self'")
        #expect(directives["style-src"] == "'sha256-abc='")
        for word in ["unsafe", "*", "data:"] {
            #expect(!PagePolicy.page(style: style).value.contains(word))
        }
    }

    @Test("SEED-TIJS-6, WEB-CSP-1: a page's script is admitted by a nonce that cannot be guessed")
    func nonce() {
        let directives = directives(.page(style: style, nonce: "AbCdEfGhIjKlMnOpQrSt-_"))
        #expect(directives["script-src"] == "'nonce-AbCdEfGhIjKlMnOpQrSt-_'")
        for name in ["default-src", "object-src", "base-uri", "form-action", "frame-ancestors"] {
            #expect(directives[Substring(name)] == "'none'", "\(name)")
        }
        let others = [
            "", "short", "AbCdEfGhIjKlMnOpQrStU", "AbCdEfGhIjKlMnOpQrSt' *",
            "AbCdEfGhIjKlMnOpQrSt; script-src *",
        ]
        for nonce in others {
            #expect(
                self.directives(.page(style: style, nonce: nonce))["script-src"] == "'none'",
                "\(nonce)"
            )
        }
    }

    @Test("decision 0049: a hidden frame runs one script, for origins that can be written and fit")
    func framed() {
        let origins = ["https://a.example", "http://localhost:3000", "capacitor://localhost"]
        let directives = directives(.framed(by: origins, script: "'sha256-abc='"))
        #expect(directives["frame-ancestors"] == Substring(origins.joined(separator: " ")))
        #expect(directives["script-src"] == "'sha256-abc='")
        #expect(directives["connect-src"] == "'self'")
        for name in ["default-src", "object-src", "base-uri", "form-action"] {
            #expect(directives[Substring(name)] == "'none'", "\(name)")
        }
        let many = (0..<400).map { "https://app\($0).example.com" }
        let long = PagePolicy.framed(by: many, script: "'none'").value
        #expect(long.utf8.count < 5000)
        #expect(long.hasSuffix(".example.com"))
        for origins in [[], ["https://a.example; script-src *", "a b", "https://*.example", ""]] {
            let policy = PagePolicy.framed(by: origins, script: "'none'").value
            #expect(policy.hasSuffix("frame-ancestors 'none'"), "\(origins)")
        }
    }

    @Test(
        "WEB-CSP-3, decision 0101: what leads to another's server may be led on by it, and no more"
    )
    func onward() {
        var ours = directives(.page(style: style, to: .ours))
        #expect(ours["form-action"] == "'self'")
        ours["form-action"] = nil
        #expect(directives(.page(style: style, to: .onward)) == ours)
        ours["script-src"] = "'sha256-xyz='"
        #expect(directives(.formPost(style: style, script: "'sha256-xyz='")) == ours)
    }

    @Test("WEB-CSP-5 to 7, WEB-REF-1, WEB-CACHE-1: every answer has the headers")
    func everywhere() throws {
        let headers = SecurityHeaders(try PublicURL("https://id.example.com"))
        let redirect = try #require(Redirect(to: "https://app.example.com/cb?code=x"))
        for response in [
            Response(page: [], policy: .page(style: style), headers: headers),
            Response(json: .object([:]), headers: headers),
            Response(redirect, headers: headers),
            Response(empty: .noContent, headers: headers),
            Response(methodNotAllowedBut: [.get], headers: headers),
            OAuthError(.invalidGrant, "x").response(headers: headers),
            BearerChallenge(nil, issuer: "x").response(headers: headers),
        ] {
            let fields = response.headers
            #expect(fields[.xContentTypeOptions] == "nosniff")
            #expect(fields[.cacheControl] == "no-store")
            for (name, value) in [
                ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ] {
                #expect(fields[values: try #require(HTTPField.Name(name))] == [value])
            }
            #expect(fields[.strictTransportSecurity] == "max-age=63072000; includeSubDomains")
            #expect(fields[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("WEB-TLS-1: HSTS only under https")
    func hsts() throws {
        let headers = SecurityHeaders(try PublicURL("http://127.0.0.1:8080"))
        #expect(headers.plain[.strictTransportSecurity] == nil)
        #expect(headers.page(.page(style: style))[.strictTransportSecurity] == nil)
    }

    @Test("RFC 6797 §6.1.2: names below the host are only named where the operator lets them be")
    func subdomains() throws {
        var url = try PublicURL("https://id.example.com")
        let standard = SecurityHeaders(url).plain[.strictTransportSecurity]
        #expect(standard == "max-age=63072000; includeSubDomains")
        url.coversSubdomains = false
        #expect(SecurityHeaders(url).plain[.strictTransportSecurity] == "max-age=63072000")
        #expect(SecurityHeaders(url).json[.strictTransportSecurity] == "max-age=63072000")
    }

    @Test("A page says what it is, has its policy, and brings its cookies")
    func pageResponse() throws {
        let url = try PublicURL("https://id.example.com")
        let cookies = CookiePolicy(url)
        let response = Response(
            page: Array("<p>".utf8),
            status: .badRequest,
            policy: .page(style: style),
            headers: SecurityHeaders(url),
            cookies: [try cookies.set(CookieName("a"), to: "1"), cookies.remove(CookieName("b"))]
        )
        #expect(response.status == .badRequest)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(
            response.headers[.contentSecurityPolicy]
                == PagePolicy.page(style: style).value
        )
        #expect(response.headers[values: .setCookie].count == 2)
        #expect(response.body.readableBytes == 3)
    }

    @Test("WEB-CACHE-2: metadata and key sets may be kept for a while")
    func publicDocuments() throws {
        let headers = SecurityHeaders(try PublicURL("https://id.example.com"))
        let response = Response(publicJSON: [0x7B, 0x7D], for: 300, headers: headers)
        #expect(response.headers[values: .cacheControl] == ["public, max-age=300"])
        #expect(response.headers[.contentType] == "application/json")
    }

    @Test("Attack H04: a method that is not allowed is 405 and names those that are")
    func methods() throws {
        let headers = SecurityHeaders(try PublicURL("https://id.example.com"))
        let response = Response(methodNotAllowedBut: [.get, .post], headers: headers)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == "GET, POST")
    }

    @Test(
        "WEB-REDIR-2: a redirect cannot hold CR, LF, NUL, a blank or anything but ASCII",
        arguments: [
            "", "https://a.example/\r\nSet-Cookie: a=b", "https://a.example/\n", "/a\0",
            "/a b", "/é", "/\t/evil.example", "/\u{7F}",
        ]
    )
    func redirects(location: String) {
        #expect(Redirect(to: location) == nil)
    }

    @Test("RFC 9700 §4.12: redirects are 303")
    func seeOther() throws {
        let headers = SecurityHeaders(try PublicURL("https://id.example.com"))
        let location = "com.example.app:/cb?code=%0D%0A&state=%C3%BC"
        let response = Response(try #require(Redirect(to: location)), headers: headers)
        #expect(response.status == .seeOther)
        #expect(response.headers[.location] == location)
    }

    @Test(
        "Retry-After is whole seconds, at least one, whatever the number",
        arguments: [
            (0.2, "1"), (0, "1"), (-5, "1"), (1.2, "2"), (60, "60"), (1e300, "86400"),
            (.nan, "86400"), (.infinity, "86400"),
        ] as [(Double, String)]
    )
    func retryAfter(seconds: Double, expected: String) {
        #expect(Response.retryAfter(seconds)[.retryAfter] == expected)
    }
}
