import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("The public address, as anyone reaches it")
struct PublicAddressTests {
    @Test(
        "the public address is asked as anyone reaches it, and a proxy that is set up wrongly found"
    )
    func publicAddress() throws {
        let portico = try PorticoProcess()
        let answer = Locked<(@Sendable (String, String) -> LocalServer.Answer)?>(nil)
        let server = try LocalServer { request in
            let path = String(request.split(separator: " ").dropFirst().first ?? "")
            let host = request.firstMatch(of: /[Hh]ost: (\S+)/).map { String($0.1) } ?? ""
            guard let answer = answer.withLock({ $0 }) else { return .silence }
            return answer(path, "http://\(host)")
        }
        let origin = "http://127.0.0.1:\(server.port)"
        try portico.done(["realm", "create", "acme", "--public-url", origin])
        try portico.done("client create notes --hand-off code --redirect-uri com.example.n:/c")
        @Sendable func well(_ path: String, _ origin: String) -> LocalServer.Answer {
            path == "/v1/auth/session"
                ? LocalServer.reply("401 Unauthorized", [], #"{"authenticated":false}"#)
                : LocalServer.reply("200 OK", [], #"{"issuer":"\#(origin)/realms/acme"}"#)
        }
        func doctor(_ next: @escaping @Sendable (String, String) -> LocalServer.Answer) throws
            -> Found
        {
            answer.withLock { $0 = next }
            return try Found(portico.run(["doctor", "--json", "--public-url", origin]))
        }
        let found = try doctor { well($0, $1) }
        #expect(found.status == 0)
        #expect(found.all("passed").contains { $0.string("check") == "issuer acme" })
        #expect(found.all("passed").contains { $0.string("check") == "backend" })

        func session(_ reply: LocalServer.Answer) throws -> Found {
            try doctor { $0 == "/v1/auth/session" ? reply : well($0, $1) }
        }
        try session(LocalServer.reply("308 P", ["Location: \(origin)/v1/auth/session"]))
            .expectProblem("is redirected to itself", fix: "X-Forwarded-Proto")
        try session(LocalServer.reply("302 Found", ["Location: https://www.example.com/"]))
            .expectProblem("answers 302", fix: "trusted-proxies")
        try session(LocalServer.reply("421 Misdirected Request"))
            .expectProblem("does not know the name it is asked by", fix: "pass Host on")
        try session(LocalServer.reply("404 Not Found"))
            .expectProblem("answers 404", fix: "pass every path on")
        try session(LocalServer.reply("200 OK", [], "Welcome to nginx"))
            .expectProblem("answered by another server", fix: "It must be this server")
        try session(.bytes(Array("nonsense\r\n\r\n".utf8)))
            .expectProblem("/v1/auth/session: ", fix: "Does the server run")
        // To the letter: a slash more is another issuer (RFC 8414 §3.3).
        try doctor { path, origin in
            path == "/v1/auth/session"
                ? well(path, origin)
                : LocalServer.reply("200 OK", [], #"{"issuer":"\#(origin)/realms/acme/"}"#)
        }.expectProblem("answered by another server, or with another name", fix: "public-url")
        try portico.done("doctor --json --offline --public-url http://127.0.0.1:9")
    }
}
