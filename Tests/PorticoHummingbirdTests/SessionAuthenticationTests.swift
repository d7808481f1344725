import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico
@testable import PorticoHummingbird

@Suite("A service that admits sessions")
struct SessionAuthenticationTests {
    private let backend = ScriptedBackend()
    private let clock = StoppedClock()

    private func authenticator(
        _ address: String = ScriptedBackend.address,
        cachedFor: Duration = .zero,
        allowInsecureLoopback: Bool = false
    ) throws -> PersonAuthenticator<BasicPersonContext> {
        let clock = clock
        return PersonAuthenticator(
            try .session(
                backend: address,
                cachedFor: cachedFor,
                allowInsecureLoopback: allowInsecureLoopback,
                transport: backend,
                clock: Clock { clock.now }
            )
        )
    }

    @Test("A live session is admitted, by token and by cookie, and the route knows the person")
    func live() async throws {
        try await RunningService.run(authenticator()) { service in
            let byToken = try await service.send("/me", bearer: "S1")
            #expect(byToken.status == 200)
            #expect(byToken.body == "u-1 session ann@example.com")
            let byCookie = try await service.send("/me", "GET", ["Cookie: a=b; __Host-session=C1"])
            #expect(byCookie.body == "u-1 session ann@example.com")
            #expect(try await service.send("/open").body == "open")
        }
    }

    @Test("A backend that breaks off in its head, or says more behind its body: 503, or admitted")
    func brokenOff() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        for (answer, status) in [
            (head, 503), (head + "Content-Le", 503),
            (
                head + "Transfer-Encoding: chunked\r\n\r\n"
                    + "32\r\n" + #"{"authenticated":true,"user":{"id":"u-1","x":"y"}}"#
                    + "\r\n0\r\nX-Sum: 1\r\n\r\n",
                200
            ),
        ] {
            let backend = try LocalServer { _ in .bytes(Array(answer.utf8)) }
            defer { backend.stop() }
            // With the transport that there is where none is given.
            let authenticator = PersonAuthenticator<BasicPersonContext>(
                try .session(
                    backend: "http://127.0.0.1:\(backend.port)",
                    allowInsecureLoopback: true
                )
            )
            try await RunningService.run(authenticator) { service in
                let answered = try await service.send("/me", bearer: "S1").status
                #expect(answered == status)
            }
        }
    }

    @Test("A sign-in by internet handle is admitted by its cookie, and by its seal as a bearer")
    func byHandle() async throws {
        let (seal, backend) = ("Fe26.2*1*ab_-*c*d*e~2", backend)
        backend.admit(["sid=\(seal)", "Bearer \(seal)", "__Host-session=C1; sid=\(seal)"])
        try await RunningService.run(authenticator()) { service in
            for fields in [
                ["Cookie: a=b; sid=\(seal)"], ["Authorization: Bearer \(seal)"],
                ["Cookie: sid=\(seal); __Host-session=C1"],
            ] {
                #expect(try await service.send("/me", "GET", fields).status == 200, "\(fields)")
            }
            // An app that is no browser has no field to add; a browser says where it comes from.
            let cookie = "Cookie: sid=\(seal)"
            #expect(try await service.send("/notes", "POST", [cookie]).status == 200)
            for field in [
                "Origin: https://evil.example", "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors",
            ] {
                #expect(try await service.send("/notes", "POST", [cookie, field]).status == 403)
            }
            let both = "Cookie: sid=\(seal); __Host-session=C1"
            #expect(try await service.send("/notes", "POST", [both]).status == 403)
            // WEB-COOKIE-7: two of one name, one of them planted.
            let two = try await service.send("/me", "GET", ["Cookie: sid=\(seal); sid=\(seal)"])
            #expect(two.status == 401)
        }
        #expect(backend.asked.allSatisfy { $0.headerFields.count == 2 })
    }

    @Test("Nothing of the request goes to the backend but what proves the session")
    func forwarded() async throws {
        let backend = backend
        try await RunningService.run(authenticator()) { service in
            _ = try await service.send(
                "/me?token=x",
                "GET",
                [
                    "Cookie: tracking=SECRET; __Host-session=C1", "X-Secret: SECRET",
                    "User-Agent: browser", "X-Forwarded-For: 192.0.2.1",
                ]
            )
            _ = try await service.send("/me", "GET", ["authorization: bearer  S1", "Cookie: a=b"])
        }
        let asked = backend.asked
        try #require(asked.count == 2)
        for request in asked {
            #expect(request.method == .get)
            #expect(request.address?.text == ScriptedBackend.address + "/v1/auth/session")
            #expect(request.headerFields.count == 2)
            #expect(request.headerFields[.accept] == "application/json")
        }
        #expect(asked[0].headerFields[.cookie] == "__Host-session=C1")
        #expect(asked[1].headerFields[.authorization] == "Bearer S1")
    }

    @Test(
        "Decision 0029: what is no session gets 401 and why",
        arguments: [
            ([], "NO_COOKIE"), (["Cookie: session=C1"], "NO_COOKIE"),
            (["Cookie: __Host-session="], "NO_COOKIE"),
            (["Cookie: __host-session=C1"], "NO_COOKIE"),
            (["Cookie: portico-dev-session=C1"], "NO_COOKIE"),
            // WEB-COOKIE-7: two of one name, one of them planted.
            (["Cookie: __Host-session=C1; __Host-session=C2"], "NO_COOKIE"),
            (["Cookie: __Host-session=C1", "Cookie: __Host-session=C1"], "NO_COOKIE"),
            (["Cookie: __Host-session=a b"], "NO_COOKIE"),
            (["Cookie: __Host-session=C2"], "SESSION_EXPIRED"),
            (["Authorization: Bearer S2"], "SESSION_EXPIRED"),
            (["Authorization: Basic UzE6"], "NO_COOKIE"),
            (["Authorization: Bearer"], "UNKNOWN"),
            (["Authorization: Bearer S1 x"], "UNKNOWN"),
            (["Authorization: Bearer S1", "Authorization: Bearer S1"], "UNKNOWN"),
            // A token counts alone: a cookie does not make up for a bad one.
            (["Authorization: Bearer S2", "Cookie: __Host-session=C1"], "SESSION_EXPIRED"),
        ] as [([String], String)]
    )
    func refused(fields: [String], reason: String) async throws {
        try await RunningService.run(authenticator()) { service in
            let answer = try await service.send("/me", "GET", fields)
            #expect(answer.status == 401)
            #expect(answer.json.bool("authenticated") == false)
            #expect(answer.error == "unauthorized")
            #expect(answer.json.string("reason") == reason)
            #expect(answer.json.string("message") == "Nobody is signed in.")
            #expect(answer.field("WWW-Authenticate")?.hasPrefix("Bearer realm=") == true)
            #expect(answer.field("Cache-Control") == "no-store")
            #expect(answer.field("Content-Type") == "application/json")
        }
    }

    @Test(
        "If the backend cannot be reached, or does not answer as one, no one is admitted: 503",
        arguments: [
            nil, ScriptedBackend.json(500, [:]), ScriptedBackend.json(429, [:]),
            ScriptedBackend.json(302, [:]), ScriptedBackend.json(403, [:]),
            ScriptedBackend.json(204, [:]), ScriptedBackend.json(200, [:]),
            ScriptedBackend.json(200, ["authenticated": true]),
            ScriptedBackend.json(200, ["authenticated": "true", "user": ["id": "u-1"]]),
            ScriptedBackend.json(200, ["authenticated": false, "user": ["id": "u-1"]]),
            ScriptedBackend.json(200, ["authenticated": true, "user": ["id": ""]]),
            HTTPReply(
                response: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]),
                body: ScriptedBackend.live().body
            ),
        ] as [HTTPReply?]
    )
    func unavailable(reply: HTTPReply?) async throws {
        backend.answer { () throws(HTTPTransportError) in
            guard let reply else { throw .unreachable }
            return reply
        }
        try await RunningService.run(authenticator()) { service in
            let answer = try await service.send("/me", bearer: "S1")
            #expect(answer.status == 503)
            #expect(answer.error == "temporarily_unavailable")
            #expect(answer.field("Retry-After") == "5")
        }
    }

    @Test("A session that has ended is refused from the next question on")
    func ended() async throws {
        let backend = backend
        try await RunningService.run(authenticator()) { service in
            let before = try await service.send("/me", bearer: "S1")
            #expect(before.status == 200)
            backend.endSessions()
            let after = try await service.send("/me", bearer: "S1")
            #expect(after.status == 401)
        }
        #expect(backend.asked.count == 2)
    }

    @Test("The backend's word holds for as long as was chosen, and only that of a live session")
    func cached() async throws {
        let (backend, clock) = (backend, clock)
        try await RunningService.run(authenticator(cachedFor: .seconds(3))) { service in
            for _ in 0..<3 { #expect(try await service.send("/me", bearer: "S2").status == 401) }
            #expect(backend.asked.count == 3)
            for _ in 0..<3 { #expect(try await service.send("/me", bearer: "S1").status == 200) }
            #expect(backend.asked.count == 4)
            backend.endSessions()
            // Another way to prove the same person is another question.
            let cookie = try await service.send("/me", "GET", ["Cookie: __Host-session=S1"])
            #expect(cookie.status == 401)
            clock.advance(by: 2.5)
            #expect(try await service.send("/me", bearer: "S1").status == 200)
            clock.advance(by: 0.5)
            #expect(try await service.send("/me", bearer: "S1").status == 401)
        }
    }

    @Test("It holds no longer than the session, nor through a clock that is set back")
    func cachedEnd() async throws {
        let (backend, clock) = (backend, clock)
        let end = clock.seconds + 1
        backend.answer { ScriptedBackend.live(["id": "s-1", "expires_at": .integer(end)]) }
        try await RunningService.run(authenticator(cachedFor: .seconds(10))) { service in
            _ = try await service.send("/me", bearer: "S1")
            _ = try await service.send("/me", bearer: "S1")
            #expect(backend.asked.count == 1)
            clock.advance(by: 1)
            _ = try await service.send("/me", bearer: "S1")
            #expect(backend.asked.count == 2)
            clock.advance(by: -60)
            _ = try await service.send("/me", bearer: "S1")
            #expect(backend.asked.count == 3)
        }
    }

    @Test("Half a minute is the longest, and strangers cannot fill the memory")
    func bounded() throws {
        let long = try AuthenticationMethod.session(
            backend: ScriptedBackend.address,
            cachedFor: .seconds(86_400),
            transport: backend
        )
        guard case .session(let authentication) = long.kind else {
            Issue.record("it is a session's")
            return
        }
        let person = AuthenticatedPerson(
            id: AuthenticatedPerson.ID(issuer: "i", subject: "s"),
            origin: .session,
            claims: [:]
        )
        let answers = authentication.answers
        let now = clock.now
        for number in 0..<10_000 {
            answers.keep(person, for: Hash256(of: "\(number)"), asked: now, sessionEnd: nil)
            #expect(answers.count <= 4096)
        }
        #expect(answers.person(Hash256(of: "9999"), at: now.addingTimeInterval(29)) != nil)
        #expect(answers.person(Hash256(of: "9999"), at: now.addingTimeInterval(30)) == nil)
    }

    @Test(
        "What could change something needs more than the cookie: another page can send that along",
        arguments: [
            ([], 403), (["Sec-Fetch-Site: cross-site"], 403), (["Sec-Fetch-Site: same-site"], 403),
            (["Sec-Fetch-Site: same-origin"], 200), (["Sec-Fetch-Site: none"], 200),
            (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], 403),
            (["X-Portico: 1"], 200), (["X-Portico: 0"], 403), (["X-Portico:"], 403),
            (["Origin: https://notes.example.com"], 403), (["Origin: null"], 403),
        ] as [([String], Int)]
    )
    func crossSite(fields: [String], status: Int) async throws {
        let backend = backend
        try await RunningService.run(authenticator()) { service in
            let cookie = "Cookie: __Host-session=C1"
            for method in ["POST", "DELETE"] {
                let answer = try await service.send(
                    "/notes",
                    method,
                    fields + [cookie, "Content-Length: 0"]
                )
                #expect(answer.status == status, "\(method)")
                if status == 403 { #expect(answer.error == "access_denied") }
            }
            // The backend is not even asked.
            #expect(backend.asked.count == (status == 403 ? 0 : 2))
            // No page can send a token along, and reading changes nothing.
            let byToken = ["Authorization: Bearer S1", "Content-Length: 0"]
            #expect(try await service.send("/notes", "POST", fields + byToken).status == 200)
            #expect(try await service.send("/me", "GET", fields + [cookie]).status == 200)
            // What would become a WebSocket is not reading.
            let upgrade = [cookie, "Upgrade: websocket"]
            #expect(try await service.send("/me", "GET", fields + upgrade).status == status)
        }
    }

    @Test("On a loopback literal without https the cookie has its other name, and only there")
    func development() async throws {
        let address = "http://127.0.0.1:8080"
        let authenticator = try authenticator(address, allowInsecureLoopback: true)
        let backend = backend
        try await RunningService.run(authenticator) { service in
            let mine = try await service.send("/me", "GET", ["Cookie: portico-dev-session=C1"])
            #expect(mine.status == 200)
            let other = try await service.send("/me", "GET", ["Cookie: __Host-session=C1"])
            #expect(other.status == 401)
        }
        #expect(backend.asked.first?.address?.text == address + "/v1/auth/session")
    }

    @Test(
        "A backend that is no https address is told at the start",
        arguments: ["http://api.example.com", "http://127.0.0.1", "api", "https://a.example?x"]
    )
    func wrongBackend(address: String) {
        #expect(throws: SignInError(.misconfigured(.backendInvalid))) { try authenticator(address) }
    }

    @Test("A route without an authenticator by mistake serves no one")
    func forgotten() async throws {
        try await RunningService.run(authenticator()) { service in
            let answer = try await service.send("/forgotten", bearer: "S1")
            #expect(answer.status == 401)
            #expect(answer.error == "unauthorized")
        }
    }

    @Test("A session brings no roles")
    func roles() async throws {
        try await RunningService.run(authenticator()) { service in
            let answer = try await service.send("/edit", bearer: "S1")
            #expect(answer.status == 403)
            #expect(answer.error == "access_denied")
        }
    }
}
