import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("Nonces and refreshes in calls of a person's host") struct XRPCRefreshTests {
    private let server: HostedBackend

    init() async throws {
        server = try await HostedBackend()
    }

    private static let method = "/xrpc/com.atproto.repo.createRecord"
    private static let body = Array(#"{"a":1}"#.utf8)

    private func post(_ server: HostedBackend, _ seal: String) async throws -> Reply {
        try await server.call(Self.method, seal, .post, body: Self.body)
    }

    @Test("RFC 9449 §9: a new nonce costs one more try, with the same body, and is kept")
    func nonce() async throws {
        let (_, seal) = try await server.signedIn()
        for nonce in ["n-1", "n-2"] {
            server.network.state.withLock { $0.nonce = nonce }
            #expect(try await post(server, seal).status == 200)
            #expect(try await post(server, seal).status == 200)
        }
        let calls = server.network.calls
        let nonces = calls.map { $0.claims.string("nonce") }
        #expect(nonces == [nil, "n-1", "n-1", "n-1", "n-2", "n-2"])
        #expect(calls.allSatisfy { $0.body == Self.body })
        #expect(Set(calls.compactMap { $0.claims.string("jti") }).count == 6)
        #expect(server.network.refreshes.isEmpty)
    }

    @Test("attack G12: a host that asks for nonces without end is asked twice")
    func endless() async throws {
        let (_, seal) = try await server.signedIn()
        server.network.answer(
            .success(.challenge("use_dpop_nonce", nonce: "a")),
            .success(.challenge("use_dpop_nonce", nonce: "b")),
            .success(.challenge("use_dpop_nonce", nonce: "c"))
        )
        let reply = try await post(server, seal)
        #expect(reply.refusal == "401 use_dpop_nonce")
        #expect(reply.headers[.known("DPoP-Nonce")] == nil)
        #expect(server.network.calls.count == 2 && server.network.refreshes.isEmpty)
    }

    @Test("A refused access token is refreshed once, and the call made again, with the new one")
    func refused() async throws {
        let (session, seal) = try await server.signedIn()
        server.network.answer(.success(.challenge("invalid_token")))
        #expect(try await post(server, seal).status == 200)
        #expect(server.network.calls.map { $0.fields[.authorization] } == ["DPoP A1", "DPoP A2"])
        #expect(server.network.calls.allSatisfy { $0.body == Self.body && $0.proof != nil })
        #expect(server.network.refreshes.count == 1)
        #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"])
        #expect(try await post(server, seal).status == 200)
        #expect(server.network.calls.count == 3)
        let events = server.scene.database.events
        #expect(try await events.latest([.handleRefreshed]).count == 1)
    }

    @Test("What is refused again is not refreshed again: the answer is the host's")
    func refusedTwice() async throws {
        let (session, seal) = try await server.signedIn()
        server.network.answer(
            .success(.challenge("invalid_token")),
            .success(.challenge("invalid_token"))
        )
        let reply = try await post(server, seal)
        #expect(reply.refusal == "401 invalid_token")
        #expect(reply.json["authenticated"] == nil && reply.headers[.wwwAuthenticate] == nil)
        #expect(server.network.calls.count == 2 && server.network.refreshes.count == 1)
        #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"])
    }

    @Test("A host that refuses the tokens it has just given is asked for others once in 30 s")
    func refusesNew() async throws {
        let (_, seal) = try await server.signedIn()
        for (wait, refreshes) in [(0, 1), (0, 1), (29, 1), (1, 2)] as [(Double, Int)] {
            server.clock.advance(by: wait)
            server.network.answer(
                .success(.challenge("invalid_token")),
                .success(.challenge("invalid_token"))
            )
            #expect(try await post(server, seal).status == 401)
            #expect(server.network.refreshes.count == refreshes)
        }
        #expect(server.network.calls.count == 6)
    }

    @Test("A host whose tokens are over at once is asked for others once a minute")
    func overAtOnce() async throws {
        let (_, seal) = try await server.signedIn(accessLives: 0)
        server.network.state.withLock {
            $0.refusal = Self.tokens(["expires_in": 0])
            $0.generation = 2
        }
        for (wait, refreshes) in [(0, 1), (0, 1), (59, 1), (1, 2)] as [(Double, Int)] {
            server.clock.advance(by: wait)
            #expect(try await post(server, seal).status == 200)
            #expect(server.network.refreshes.count == refreshes)
        }
    }

    @Test("One call makes four requests at most")
    func four() async throws {
        let (_, seal) = try await server.signedIn()
        server.network.answer(
            .success(.challenge("use_dpop_nonce", nonce: "a")),
            .success(.challenge("invalid_token", nonce: "b")),
            .success(.challenge("use_dpop_nonce", nonce: "c")),
            .success(.challenge("invalid_token", nonce: "d")),
            .success(.challenge("use_dpop_nonce", nonce: "e"))
        )
        #expect(try await post(server, seal).status == 401)
        #expect(server.network.calls.count == 4 && server.network.refreshes.count == 1)
        #expect(server.network.answersLeft == 1)
    }

    @Test("ATP-TL-4: of 20 calls with a token that is over, one refreshes, 10 times")
    func together() async throws {
        for _ in 1...10 {
            let server = try await HostedBackend()
            let (_, seal) = try await server.signedIn(accessLives: 10)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await post(server, seal).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 20))
            #expect(server.network.refreshes.count == 1)
            #expect(server.network.calls.allSatisfy { $0.fields[.authorization] == "DPoP A2" })
        }
    }

    @Test("ATP-CA-1: a refresh has the session's proof, and an assertion by the key it began with")
    func assertion() async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0)
        let key = try #require(server.scene.vault.open(session)).key
        #expect(try await post(server, seal).status == 200)
        let refresh = try #require(server.network.refreshes.first)
        #expect(refresh.proof?.thumbprint == key.thumbprint)
        #expect(refresh.form["grant_type"] == "refresh_token")
        #expect(refresh.form["client_assertion"] != nil)
        let call = try #require(server.network.calls.first)
        #expect(call.proof?.thumbprint == key.thumbprint)
    }

    @Test(
        "ATP-TL-7: a refresh that fails otherwise is 503, and the session stays",
        arguments: [
            HTTPReply.json(500, #"{"error":"server_error"}"#, nonce: "n"),
            .json(503, "", nonce: "n"), .json(400, #"{"error":"invalid_client"}"#, nonce: "n"),
            .json(401, #"{"error":"invalid_client"}"#, nonce: "n"),
            .json(400, #"{"error":"invalid_client_metadata"}"#, nonce: "n"),
            .json(429, "{}", nonce: "n"), .json(500, #"{"error":"invalid_grant"}"#, nonce: "n"),
        ]
    )
    func kept(_ refusal: HTTPReply) async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0)
        server.network.state.withLock { $0.refusal = refusal }
        let reply = try await post(server, seal)
        #expect(reply.refusal == "503 provider_unreachable")
        #expect(reply.headers[.retryAfter] != nil)
        #expect(server.network.calls.isEmpty)
        #expect(try await server.call("/api/auth/session", seal).status == 200)
        server.network.state.withLock { $0.refusal = nil }
        server.clock.advance(by: 60)
        #expect(try await post(server, seal).status == 200)
        #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"])
    }

    @Test("ATP-TL-7: after invalid_grant the session is over, with the handle to sign in again by")
    func ended() async throws {
        let (_, seal) = try await server.signedIn()
        server.network.state.withLock {
            $0.answers = [.success(.challenge("invalid_token"))]
            $0.refusal = .json(400, #"{"error":"invalid_grant"}"#, nonce: "n")
        }
        let reply = try await post(server, seal)
        #expect(reply.status == 401 && reply.json.string("reason") == "SESSION_EXPIRED")
        #expect(reply.json.string("handle") == "ann.example.com")
        #expect(reply.json.bool("authenticated") == false)
        let session = try await server.call("/api/auth/session", seal)
        #expect(session.status == 401 && session.json.string("reason") == "SESSION_EXPIRED")
        #expect(server.network.calls.count == 1)
        let events = try await server.scene.database.events.latest([.handleEnded])
        #expect(events.map(\.reason) == ["invalid_grant"])
    }

    private static func tokens(_ changes: JSONObject) -> HTTPReply {
        var json: JSONObject = [
            "access_token": "A2", "refresh_token": "R2", "token_type": "DPoP", "expires_in": 900,
            "scope": "atproto", "sub": .string(HandleScene.did),
        ]
        for (name, value) in changes { json[name] = value }
        return .json(200, String(decoding: json.serialized(), as: UTF8.self), nonce: "n")
    }

    @Test(
        "ATP-CB-5, ATP-CB-7: tokens that are no use are not used, and their refresh token is kept",
        arguments: [
            ["token_type": "Bearer"], ["scope": "transition:generic"], ["access_token": ""],
            ["sub": "ann.example.com"], ["scope": .null],
        ] as [JSONObject]
    )
    func unusable(_ changes: JSONObject) async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0)
        server.network.state.withLock { $0.refusal = Self.tokens(changes) }
        #expect(try await post(server, seal).status == 503)
        #expect(server.network.calls.isEmpty && server.network.refreshes.count == 1)
        #expect(try await server.scene.stored(session.sessionID) == [nil, "R2"])
        server.network.state.withLock {
            $0.refusal = nil
            $0.generation = 2
        }
        server.clock.advance(by: 60)
        #expect(try await post(server, seal).status == 200)
        #expect(try await server.scene.stored(session.sessionID) == ["A3", "R3"])
    }

    @Test("RFC 6749 §6: a host that gives no new refresh token leaves the old one in place")
    func sameRefreshToken() async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0)
        server.network.state.withLock {
            $0.refusal = Self.tokens(["refresh_token": .null])
            $0.generation = 2
        }
        #expect(try await post(server, seal).status == 200)
        #expect(server.network.refreshes.count == 1)
        #expect(try await server.scene.stored(session.sessionID) == ["A2", "R1"])
    }

    @Test("ATP-TL-5: tokens of another person are revoked, and the session is over")
    func otherSubject() async throws {
        let (_, seal) = try await server.signedIn(accessLives: 0)
        let other = "did:plc:zyxwvutsrqponmlkjihgfedc"
        server.network.state.withLock { $0.refusal = Self.tokens(["sub": .string(other)]) }
        let reply = try await post(server, seal)
        #expect(reply.status == 401 && reply.json.string("reason") == "SESSION_EXPIRED")
        #expect(server.network.calls.isEmpty)
        try await waitUntil("they are revoked") { !server.network.revocations.isEmpty }
        #expect(server.network.revocations.map { $0.form["token"] } == ["R2"])
        #expect(try await server.call("/api/auth/session", seal).status == 401)
    }

    @Test("Whose host is another by now has to sign in again, and no one is asked")
    func movedAway() async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0)
        server.network.state.withLock { $0.issuer = "https://other.example.com" }
        let reply = try await post(server, seal)
        #expect(reply.status == 401 && reply.json.string("reason") == "OAUTH_ERROR")
        #expect(reply.json.string("handle") == "ann.example.com")
        #expect(server.network.calls.isEmpty && server.network.refreshes.isEmpty)
        #expect(try await server.call("/api/auth/session", seal).status == 200)
        #expect(try await server.scene.stored(session.sessionID) == ["A1", "R1"])
    }

    @Test("After a move under the same server, calls go to the new host")
    func moved() async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0)
        server.network.state.withLock { $0.host = "new.example.com" }
        // The refresh that this one begins with finds it out.
        #expect(try await post(server, seal).status == 404)
        #expect(try await post(server, seal).status == 200)
        #expect(
            server.network.calls.map(\.url) == [
                "https://pds.example.com\(Self.method)", "https://new.example.com\(Self.method)",
            ]
        )
        let stored = try #require(try await server.scene.session(session.sessionID))
        #expect(stored.host == "https://new.example.com")
        // What could not be confirmed now stays.
        #expect(stored.handle == session.handle)
    }

    @Test("ATP-ID-10: after a refresh, a handle that became another's is said no more")
    func lostHandle() async throws {
        let (_, seal) = try await server.signedIn(accessLives: 0)
        let other = "did:plc:zyxwvutsrqponmlkjihgfedc"
        for (owner, handle) in [
            (other, "handle.invalid"), (HandleScene.did, "ann.example.com"),
            (other, "handle.invalid"),
        ] {
            server.network.state.withLock { $0.owner = owner }
            server.clock.advance(by: 901)
            #expect(try await post(server, seal).status == 200)
            let read = try await server.call("/api/auth/session", seal)
            #expect(read.json.string("handle") == handle)
        }
        // Nor is it what to sign in again by.
        server.network.state.withLock {
            $0.refusal = .json(400, #"{"error":"invalid_grant"}"#, nonce: "n")
        }
        server.clock.advance(by: 901)
        let ended = try await post(server, seal)
        #expect(ended.status == 401 && ended.json.string("handle") == HandleScene.did)
    }

    @Test("Without a refresh, a call writes nothing")
    func transactions() async throws {
        let (_, seal) = try await server.signedIn()
        let before = server.scene.database.database.commitCounts.writes
        for path in [Self.method, "/api/auth/session", "/mobile/refresh-token"] {
            #expect(try await server.call(path, seal).status == 200)
        }
        #expect(server.scene.database.database.commitCounts.writes == before)
    }
}

/// Refreshing and revoking at the servers that sign-ins found.
@Suite struct ATTokenServerTests {
    private let server: BackendUnderTest

    init() async throws {
        server = try await BackendUnderTest.withHandles()
    }

    private func signedIn() async throws -> HandleSession {
        let back = try await TestVisitor(server).byHandle()
        server.clock.advance(by: 3600)
        server.hosts.forgetRequests()
        return try #require(try await server.handleSession(back)?.handle)
    }

    @Test("ATP-TL-4, ATP-CA-5: a session is refreshed at its own server, with its own keys")
    func refresh() async throws {
        let session = try await signedIn()
        let before = try #require(HandleTokenVault(ring: server.ring).open(session))
        let open = try await server.backend.handleTokens.tokens(for: session)
        #expect(open.session.revision == session.revision + 1)
        let asked = try #require(server.hosts.asked.last)
        #expect(server.hosts.asked.count == 1)
        #expect(asked.host == "pds.example.com")
        #expect(asked.form["refresh_token"] == before.refresh?.reveal())
        #expect(asked.thumbprint == before.key.thumbprint.text)
        #expect(asked.assertion?.header.string("kid") == session.clientKeyID)
    }

    @Test("Decision 0057: an account that has moved keeps its session, and nothing is sent")
    func moved() async throws {
        let session = try await signedIn()
        server.hosts.move(.ann, to: "other.example.com")
        #expect(await server.backend.handleTokens.failure(for: session) == .signInAgain)
        #expect(server.hosts.asked.isEmpty)
        #expect(
            try await server.database.handles.live(session.sessionID, at: server.clock.seconds)
                != nil
        )
    }

    @Test("decision 0056: the server of before a move is told that its session is over")
    func former() async throws {
        let session = try await signedIn()
        let token = try #require(HandleTokenVault(ring: server.ring).open(session)?.refresh)
        server.hosts.move(.ann, to: "other.example.com")
        let live = try await server.database.handles.live(
            session.sessionID,
            at: server.clock.seconds
        )
        _ = try await server.database.sessions.signOut(
            session.sessionID,
            of: try #require(live).live.person.id,
            at: server.clock.seconds
        )
        try await server.backend.revokeHandleTokens()
        let asked = server.hosts.asked.filter { $0.path == "/oauth/revoke" }
        #expect(asked.map(\.host) == ["pds.example.com"])
        #expect(asked.first?.form["token"] == token.reveal())
        let events = try await server.database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == [nil])
    }

    @Test("ATP-TL-7: while the directory is away, the last known server is asked")
    func directoryAway() async throws {
        let session = try await signedIn()
        server.hosts.setAway("plc.directory")
        _ = try await server.backend.handleTokens.tokens(for: session)
        #expect(server.hosts.asked.last?.isGrant("refresh_token") == true)
    }

    @Test(
        "ATP-TL-5, ATP-TL-7: only invalid_grant and another's tokens end a session",
        arguments: [
            (TestHosts.Fault.refusesClient, true), (.serverError, true), (.bearer, true),
            (.withoutScope, true), (.otherSubject(TestHosts.Person.bob.did), false),
        ]
    )
    func faults(_ fault: TestHosts.Fault, _ isKept: Bool) async throws {
        let session = try await signedIn()
        server.hosts.set(fault)
        #expect(await server.backend.handleTokens.failure(for: session) != nil)
        let left = try await server.database.handles.live(
            session.sessionID,
            at: server.clock.seconds
        )
        #expect((left != nil) == isKept)
        guard isKept else { return }
        // What the answer brought in its place is used the next time.
        server.hosts.set(nil)
        server.clock.advance(by: 61)
        let next = try #require(left?.handle)
        let open = try await server.backend.handleTokens.tokens(for: next)
        #expect(open.access.reveal().hasPrefix("access-"))
    }

    @Test("ATP-CA-1, sign-out: tokens are revoked with the session's proof and an assertion")
    func revocation() async throws {
        let session = try await signedIn()
        let before = try #require(HandleTokenVault(ring: server.ring).open(session))
        let live = try #require(
            try await server.database.handles.live(session.sessionID, at: server.clock.seconds)
        )
        _ = try await server.database.sessions.signOut(
            session.sessionID,
            of: live.live.person.id,
            at: server.clock.seconds
        )
        try await server.backend.revokeHandleTokens()
        #expect(server.hosts.revoked == [before.refresh?.reveal()])
        let asked = try #require(server.hosts.asked.last)
        #expect(asked.path == "/oauth/revoke")
        #expect(asked.thumbprint == before.key.thumbprint.text)
        #expect(asked.assertion?.header.string("kid") == session.clientKeyID)
        try await server.backend.revokeHandleTokens()
        #expect(server.hosts.revoked.count == 1)
    }

    @Test("ATP-TL-7: each error of a server becomes what a session makes of it")
    func translation() {
        func word(_ error: ATError) -> String {
            switch HandleRefreshFailure(error) {
            case .invalidGrant: "ended"
            case .otherSubject(let token): "other \(token?.reveal() ?? "-")"
            case .unusable(let token): "unusable \(token?.reveal() ?? "-")"
            case .busy: "busy"
            case .failed(let isUnspent): isUnspent ? "unspent" : "unknown"
            }
        }
        #expect(word(.invalidGrant) == "ended")
        #expect(word(.unusable(.otherSubject, successor: SecretText("r"))) == "other r")
        #expect(word(.unusable(.scope, successor: SecretText("r"))) == "unusable r")
        #expect(word(.unusable(.tooLarge, successor: nil)) == "unusable -")
        #expect(word(.client(.invalidClient)) == "unspent")
        #expect(word(.server(status: 429)) == "unspent")
        #expect(word(.server(status: 500)) == "unknown")
        #expect(word(.network(.unreachable)) == "unknown")
        #expect(word(.network(.busy)) == "busy")
        #expect(word(.signing) == "unspent")
    }
}
