import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Hidden frames of Keycloak's adapter for browsers") struct AdapterFrameTests {
    private static let moved = Task { try await MovedServer() }

    private func policy(_ reply: Reply, _ directive: String) -> String? {
        reply.headers[.contentSecurityPolicy]?.split(separator: "; ").map(String.init)
            .first { $0.hasPrefix(directive + " ") }
    }

    @Test(
        "decision 0049: only registered origins may frame the pages, and only their script runs",
        arguments: ["3p-cookies/step1.html", "3p-cookies/step2.html", "login-status-iframe.html"]
    )
    func frames(_ name: String) async throws {
        let moved = try await Self.moved.value
        let reply = try await moved.get(MovedServer.path(name))
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
        #expect(reply.headers[try #require(HTTPField.Name("X-Frame-Options"))] == nil)
        // Not the asterisk's, nor that of a client that is off.
        #expect(
            policy(reply, "frame-ancestors")
                == "frame-ancestors http://localhost:3000 https://plain.example.com "
                + "https://spa.example.com"
        )
        #expect(policy(reply, "default-src") == "default-src 'none'")
        #expect(policy(reply, "form-action") == "form-action 'none'")
        let script = try #require(
            reply.text.firstMatch(of: /<script>((?s:.)*?)<\/script>/).map { String($0.1) }
        )
        #expect(policy(reply, "script-src") == "script-src \(InlineHash.of(script))")
        // Session Management §3.2: a frame of the app's own asks it beside, not only the page around.
        #expect(!script.contains("!== parent"))
        #expect(reply.headers[values: .setCookie].isEmpty)
        #expect(reply.headers[.cacheControl] == "no-store")
    }

    @Test("decision 0049: the origin of the framing page comes first, if it is registered")
    func framingPage() async throws {
        let moved = try await Self.moved.value
        for (referer, first) in [
            ("https://spa.example.com/app?x", "https://spa.example.com"),
            ("https://evil.example/", "http://localhost:3000"), ("x", "http://localhost:3000"),
        ] {
            let path = MovedServer.path("login-status-iframe.html")
            let reply = try await moved.get(path, [.referer: referer])
            let ancestors = self.policy(reply, "frame-ancestors")
            #expect(ancestors?.hasPrefix("frame-ancestors \(first) ") == true, "\(referer)")
            #expect(ancestors?.contains("evil") == false)
        }
    }

    private func status(
        _ client: String,
        _ origin: String,
        _ session: String,
        _ browser: TestBrowser,
        _ headers: HTTPFields = [:]
    ) async throws -> Reply {
        try await browser.get(
            FormEncoding.appending(
                [
                    (name: "client_id", value: client), (name: "origin", value: origin),
                    (name: "session_state", value: session),
                ],
                to: MovedServer.path("login-status-iframe.html/init")
            ),
            headers: headers
        )
    }

    @Test("decision 0049: the status page tells whether the browser's session is the app's")
    func statuses() async throws {
        let moved = try await Self.moved.value
        let browser = TestBrowser(moved.server)
        let origin = "https://spa.example.com"
        #expect(try await status("spa", origin, "", browser).status == 204)
        #expect(try await status("spa", origin, "gone", browser).status == 200)
        let tokens = try await moved.tokens("ann", "spa", browser: browser).json
        let session = try #require(tokens.string("session_state"))
        #expect(try await status("spa", origin, session, browser).status == 204)
        for other in ["", "x", session + "x", String(session.dropLast())] {
            let reply = try await status("spa", origin, other, browser)
            #expect(reply.status == 200)
            #expect(reply.json.string("session") == "changed")
            #expect(!reply.text.contains(session))
        }
        let hint = try #require(tokens.string("id_token"))
        _ = try await browser.get(MovedServer.path("logout") + "?id_token_hint=" + hint)
        #expect(try await status("spa", origin, session, browser).status == 200)
        #expect(try await status("spa", origin, "", browser).status == 204)
    }

    @Test("decision 0049: asking for the status does not keep a session alive")
    func noUse() async throws {
        let moved = try await MovedServer()
        let browser = TestBrowser(moved.server)
        let tokens = try await moved.tokens("ann", "spa", browser: browser).json
        let session = try #require(tokens.string("session_state"))
        let origin = "https://spa.example.com"
        for _ in 0..<4 {
            moved.server.clock.advance(by: 600)
            _ = try await status("spa", origin, session, browser)
            try await moved.server.provider.activity.flush()
        }
        #expect(try await status("spa", origin, session, browser).status == 200)
    }

    @Test("decision 0049: no other page learns whether somebody is signed in")
    func strangers() async throws {
        let moved = try await Self.moved.value
        let browser = TestBrowser(moved.server)
        let session = try #require(
            try await moved.tokens("ann", "spa", browser: browser).json.string("session_state")
        )
        for (client, origin) in [
            ("spa", "https://evil.example"), ("spa", "https://plain.example.com"),
            ("spa", "null"), ("spa", ""), ("any", "https://evil.example"), ("any", "*"),
            ("off", "https://off.example.com"), ("nobody", "https://spa.example.com"),
            ("", "https://spa.example.com"),
        ] {
            let reply = try await status(client, origin, session, browser)
            #expect(reply.status == 403, "\(client) \(origin)")
            #expect(reply.json.string("error") == "access_denied")
        }
        let fetchSite = try #require(HTTPField.Name("Sec-Fetch-Site"))
        for site in ["cross-site", "same-site", "none"] {
            let headers: HTTPFields = [fetchSite: site, .origin: "https://spa.example.com"]
            let reply = try await status(
                "spa",
                "https://spa.example.com",
                session,
                browser,
                headers
            )
            #expect(reply.status == 403, "\(site)")
            #expect(reply.headers[.accessControlAllowOrigin] == nil)
        }
        let twice =
            MovedServer.path("login-status-iframe.html/init")
            + "?client_id=spa&origin=https://evil.example&origin=https://spa.example.com"
        #expect(try await browser.get(twice).status == 400)
        let own = try await status(
            "spa",
            "https://spa.example.com",
            session,
            browser,
            [fetchSite: "same-origin"]
        )
        #expect(own.status == 204)
    }
}

private enum InlineHash {
    static func of(_ script: String) -> String { InlineSource.hash(of: script) }
}
