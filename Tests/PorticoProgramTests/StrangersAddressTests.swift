import Foundation
import PorticoProtocol
import PorticoTestSupport
import Testing

/// What strangers type and present, at a server that is wired as in production: without a test
/// network, and with the system's names.
@Suite("Addresses of strangers that lead to this machine") struct StrangersAddressTests {
    private static let typed = [
        "localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "[::1]", "a.localhost",
        "https://localhost", "https://localhost:PORT", "https://127.0.0.1", "https://[::1]:PORT",
        "https://127.0.0.1:PORT/", "http://127.0.0.1:PORT/", "https://u:p@127.0.0.1:PORT/",
        "https://a.localhost:PORT/", "https://127.1/", "https://0x7f000001/", "https://2130706433/",
        "did:web:localhost", "did:web:localhost%3APORT", "did:web:127.0.0.1", "did:web:[::1]",
        "did:web:127.0.0.1%3APORT", "did:web:a.localhost:path", "did:web:evil.example%2f..",
        "DID:web:localhost", "did:key:zQ3sh", "at://127.0.0.1:PORT/x", "@localhost",
    ]

    /// What is taken in a test network only. Here it is not looked up, which would end otherwise.
    private static let typedInTests = [
        "ann.test", "did:web:pds.test", "https://pds.test", "did:plc:short",
    ]

    private static let clientInTests = "https://app.test/x"

    private static let clientIDs = [
        "https://localhost/x", "https://localhost:PORT/x", "https://127.0.0.1/x",
        "https://127.0.0.1:PORT/x", "https://[::1]/x", "https://[::1]:PORT/x",
        "https://[fd00::1]/x", "https://[::ffff:127.0.0.1]/x", "https://127.1/x",
        "https://0x7f000001/x", "https://2130706433/x", "https://a.localhost/x",
        "https://u:p@localhost/x", "https://localhost/a/../x", "https://localhost/x#f",
        "http://localhost:PORT", "http://localhost/path", "http://127.0.0.1:PORT",
        "http://127.0.0.1:PORT/x", "http://[::1]:PORT/x",
    ]

    @Test(
        "WEB-SSRF-1: the next test sees port 443 of this machine, too",
        .enabled("\(Victims.needs443)") { await Victims.areAt443() }
    )
    func watched() async {
        #expect(await Victims.areAt443())
    }

    @Test("WEB-SSRF-1, attack G05, attack G16: no one is led to this machine by what they send")
    func untouched() async throws {
        let victims = try await Victims()
        defer { victims.stop() }
        let server = try await EarnestServer(["--trusted-proxy", "127.0.0.1"])
        let host = "pds.localhost:\(server.port)"
        try server.command(["provider", "add", "atproto", "--public-url", server.url])
        try server.command([
            "realm", "create", "hosted", "--public-url", server.url, "--host",
            "http://\(host)", "--atproto",
        ])
        let metadata = "/.well-known/oauth-authorization-server"
        try await server.wait {
            let hosted = try await server.request("GET", metadata, host: host)
            let page = try await server.request("GET", "/mobile-auth")
            return hosted.status == 200 && page.status == 200
        }
        // Each from an address of its own: limits are for an address.
        var count = 0
        func fields() -> [String] {
            count += 1
            return ["X-Forwarded-For: 198.51.100.\(count)", "X-Forwarded-Proto: http"]
        }
        for typed in Self.typed + Self.typedInTests {
            let typed = typed.replacing("PORT", with: "\(victims.port)")
            let query = FormEncoding.appending([("handle", typed)], to: "/login")
            let reply = try await server.request("GET", query, fields())
            #expect((400..<500).contains(reply.status), "\(typed): \(reply.status)")
            if Self.typedInTests.contains(typed) {
                #expect(reply.status == 400, "\(typed): \(reply.status)")
            }
        }
        let path = "/oauth/par"
        for id in Self.clientIDs + [Self.clientInTests] {
            let id = id.replacing("PORT", with: "\(victims.port)")
            let form = FormEncoding.encode([
                ("client_id", id), ("response_type", "code"), ("scope", "atproto"),
                ("redirect_uri", "http://127.0.0.1/"), ("code_challenge_method", "S256"),
                ("code_challenge", TestFlow.challenge),
            ])
            let body = String(decoding: form, as: UTF8.self)
            let reply = try await server.request("POST", path, fields(), body: body, host: host)
            let error = try JSONObject(parsing: Array(reply.body.utf8)).string("error")
            let isRefused = error == "invalid_client_metadata" || error == "invalid_client_id"
            #expect(reply.status == 400 && isRefused, "\(id): \(reply.body)")
            // It would be asked, and not found.
            if id == Self.clientInTests {
                #expect(error == "invalid_client_id", "\(id): \(reply.body)")
            }
        }
        #expect(victims.isUntouched)
        // A visitor who does come is seen.
        let visit = try #require(RawSocket.connect(port: victims.port))
        RawSocket.close(visit)
        try await waitUntil("the request is seen") { !victims.isUntouched }
    }

    @Test(
        "WEB-SSRF-1, attack G05, attack G16: a public name that leads to this machine leads nobody here",
        .enabled("needs root, for names of its own") { PorticoProcess.mayChangeHosts }
    )
    func names() async throws {
        let victims = try await Victims()
        defer { victims.stop() }
        let portico = try PorticoProcess()
        let name = "inside.example.com"
        let server = try await EarnestServer(
            in: portico,
            ["--trusted-proxy", "127.0.0.1"],
            hosts: "127.0.0.1 localhost\n127.0.0.1 \(name)\n::1 \(name)\n"
        )
        let host = "pds.localhost:\(server.port)"
        try server.command(["provider", "add", "atproto", "--public-url", server.url])
        try server.command([
            "realm", "create", "hosted", "--public-url", server.url, "--host",
            "http://\(host)", "--atproto",
        ])
        try await server.wait {
            let metadata = "/.well-known/oauth-authorization-server"
            let hosted = try await server.request("GET", metadata, host: host)
            let page = try await server.request("GET", "/mobile-auth")
            return hosted.status == 200 && page.status == 200
        }
        let fields = ["X-Forwarded-For: 198.51.100.9", "X-Forwarded-Proto: http"]
        for typed in [name, "did:web:\(name)", "https://\(name)", "https://\(name)/"] {
            let query = FormEncoding.appending([("handle", typed)], to: "/login")
            let reply = try await server.request("GET", query, fields)
            #expect(reply.status >= 400, "\(typed): \(reply.status)")
        }
        let form = FormEncoding.encode([
            ("client_id", "https://\(name)/client.json"), ("response_type", "code"),
            ("scope", "atproto"), ("redirect_uri", "https://\(name)/cb"),
            ("code_challenge_method", "S256"), ("code_challenge", TestFlow.challenge),
        ])
        let body = String(decoding: form, as: UTF8.self)
        let pushed = try await server.request("POST", "/oauth/par", fields, body: body, host: host)
        #expect(pushed.status == 400, "\(pushed.body)")
        #expect(victims.isUntouched)
        #expect(victims.areAt443, "otherwise nothing is proven")
    }
}
