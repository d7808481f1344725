import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("What apps ask by the cookie sid") struct HandleSessionEndpointTests {
    private let server: HostedBackend

    init() async throws {
        server = try await HostedBackend()
    }

    private static let session = "/api/auth/session"
    private static let restore = "/mobile/refresh-token"

    @Test("ATP-M-10: the session read says DID and handle, and is kept nowhere")
    func read() async throws {
        let (session, seal) = try await server.signedIn()
        let encoded = seal.replacing("~", with: "%7E").replacing("*", with: "%2A")
        let ways: [HTTPFields] = [
            [.cookie: "sid=\(seal)"], [.cookie: "theme=dark; sid=\(encoded)"],
            [.authorization: "Bearer \(seal)"], [.authorization: "bearer \(seal)"],
        ]
        for fields in ways {
            let reply = try await server.send(.get, Self.session, fields)
            #expect(reply.status == 200)
            let expected: JSONObject = [
                "authenticated": true, "did": .string(session.did),
                "handle": "ann.example.com", "userHandle": "ann.example.com",
                "scope": "atproto transition:generic",
            ]
            #expect(reply.json == expected)
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(reply.headers[.contentType] == "application/json")
            #expect(reply.sid == nil)
        }
        // A session is here, whatever the host does.
        #expect(server.network.isUntouched)
        #expect(!server.logged.contains("Fe26"))
    }

    @Test("ATP-SC-3: what the host did not grant is told, until it grants it")
    func smallerScope() async throws {
        let (session, seal) = try await server.signedIn(accessLives: 0, granted: "x:y atproto")
        func read() async throws -> JSONObject {
            try await server.send(.get, Self.session, [.cookie: "sid=\(seal)"]).json
        }
        let smaller = try await read()
        #expect(smaller.string("scope") == "x:y atproto")
        #expect(smaller.string("missingScope") == "transition:generic")
        _ = try await server.backend.handleTokens.tokens(for: session)
        let whole = try await read()
        #expect(whole.string("scope") == "atproto transition:generic")
        #expect(whole["missingScope"] == nil)
    }

    @Test("The restore of the iOS package: DID and seal, by cookie or bearer")
    func restored() async throws {
        let (session, seal) = try await server.signedIn()
        for fields: HTTPFields in [[.cookie: "sid=\(seal)"], [.authorization: "Bearer \(seal)"]] {
            let reply = try await server.send(.get, Self.restore, fields)
            #expect(reply.status == 200)
            let expected: JSONObject = [
                "success": true,
                "payload": ["did": .string(session.did), "sid": .string(seal)],
            ]
            #expect(reply.json == expected)
            #expect(reply.headers[.cacheControl] == "no-store")
        }
    }

    @Test("IRON-S-14: after 15 minutes each address gives a newer seal, with createdAt as it was")
    func rolling() async throws {
        let (session, seal) = try await server.signedIn()
        let first = try server.content(seal)
        server.clock.advance(by: 901)
        for path in [Self.session, Self.restore, "/xrpc/com.atproto.server.getSession"] {
            let reply = try await server.call(path, seal)
            #expect(reply.status == 200, "\(path)")
            let renewed = try #require(reply.sid)
            let content = try server.content(renewed)
            #expect(content.createdAt == first.createdAt && content.did == session.did)
            #expect(content.lastAccessed == server.clock.seconds * 1000)
            #expect(content.session == session.sessionID)
            #expect(reply.headers[.cacheControl] == "no-store")
            if path == Self.restore {
                #expect(reply.json.object("payload")?.string("sid") == renewed)
            }
            // The one before is as good, as long as the session is.
            #expect(try await server.call(Self.session, renewed).sid == nil)
        }
        let app = try await server.send(.get, Self.restore, [.authorization: "Bearer \(seal)"])
        #expect(app.sid == nil)
        let kept = try #require(app.json.object("payload")?.string("sid"))
        #expect(try server.content(kept).createdAt == first.createdAt)
        #expect(kept != seal)
    }

    @Test(
        "decision 0029: without a session each address says why, and asks no host",
        arguments: ["/api/auth/session", "/mobile/refresh-token", "/xrpc/com.example.method"]
    )
    func absent(_ path: String) async throws {
        let (session, seal) = try await server.signedIn()
        let (over, copied) = try await server.signedIn()
        try await server.scene.signOut(over.sessionID)
        let unknown = try server.seal(session, names: false)
        let wrong: [(HTTPFields, String, String?)] = [
            ([:], "NO_COOKIE", nil), ([.cookie: "other=1"], "NO_COOKIE", nil),
            ([.cookie: "sid=\(seal); sid=\(seal)"], "INVALID_COOKIE", nil),
            ([.cookie: "sid=Fe26.2*1*x"], "INVALID_COOKIE", nil),
            ([.cookie: "sid=\(seal.dropLast(3))~2"], "INVALID_COOKIE", nil),
            ([.authorization: "Bearer x", .cookie: "sid=\(seal)"], "INVALID_COOKIE", nil),
            ([.authorization: "Basic \(seal)"], "INVALID_COOKIE", nil),
            ([.authorization: seal], "INVALID_COOKIE", nil),
            ([.cookie: "sid=\(copied)"], "SESSION_EXPIRED", "ann.example.com"),
            // Of another system, without a row.
            ([.cookie: "sid=\(unknown)"], "SESSION_EXPIRED", "ann.example.com"),
        ]
        for (fields, reason, handle) in wrong {
            var fields = fields
            fields[.portico] = "1"
            let reply = try await server.send(.get, path, fields)
            #expect(reply.status == 401, "\(reason)")
            #expect(reply.json.bool("authenticated") == false)
            #expect(reply.json.string("error") == "unauthorized")
            #expect(reply.json.string("reason") == reason)
            #expect(reply.json.string("handle") == handle)
            #expect(reply.json.string("message") != nil)
            // By this an app tells it from a host's (docs/decisions/0063).
            #expect(reply.headers[.wwwAuthenticate] == "Bearer")
            #expect(reply.headers[.cacheControl] == "no-store")
        }
        #expect(server.network.isUntouched)
        var good: HTTPFields = [.cookie: "sid=\(seal)"]
        good[.portico] = "1"
        #expect(try await server.send(.get, path, good).status == 200)
    }

    @Test("Whoever opens such an address in a browser is led to sign in, with their handle typed")
    func people() async throws {
        let (session, seal) = try await server.signedIn()
        try await server.scene.signOut(session.sessionID)
        let html = "text/html,application/xhtml+xml,*/*;q=0.8"
        let reply = try await server.send(
            .get,
            Self.session,
            [.cookie: "sid=\(seal)", .accept: html]
        )
        #expect(reply.status == 303)
        #expect(reply.location == "/mobile-auth?handle=ann.example.com")
        let stranger = try await server.send(.get, Self.session, [.accept: html])
        #expect(stranger.status == 303 && stranger.location == "/mobile-auth")
        // Apps ask for anything, or for JSON.
        for accept in ["*/*", "application/json"] {
            let app = try await server.send(
                .get,
                Self.session,
                [.cookie: "sid=\(seal)", .accept: accept]
            )
            #expect(app.status == 401)
        }
    }

    @Test("decision 0066: another system's seal opens the row that was brought, until a sign-out")
    func foreign() async throws {
        let (session, _) = try await server.signedIn(foreignSealsUntil: .max)
        let foreign = try server.seal(session, names: false)
        let reply = try await server.send(.get, Self.restore, [.cookie: "sid=\(foreign)"])
        #expect(reply.status == 200)
        let own = try #require(reply.sid)
        #expect(try server.content(own).session == session.sessionID)
        // At each launch the first one again, which an app keeps.
        for seal in [own, foreign, own] {
            #expect(try await server.call(Self.session, seal).status == 200)
        }
        let logout = try await server.send(.post, "/api/auth/logout", [.cookie: "sid=\(foreign)"])
        #expect(logout.status == 200)
        for seal in [own, foreign] {
            #expect(try await server.call(Self.session, seal).status == 401)
        }
    }

    @Test("A session of an app that was taken away is over")
    func withdrawn() async throws {
        let server = try await HostedBackend(apps: [BackendUnderTest.notes])
        let state = RefreshState(
            generation: 1,
            secret: Array(repeating: 1, count: 32),
            keyID: Array(repeating: 2, count: 4),
            rotatedAt: 0,
            idempotencyKey: nil
        )
        let (_, seal) = try await server.signedIn(form: .app(name: "notes", refresh: state))
        #expect(try await server.call(Self.session, seal).status == 200)
        var off = BackendUnderTest.notes
        off.isEnabled = false
        try await server.scene.database.put(off)
        try await server.backend.signIn.directory.refresh()
        let reply = try await server.call(Self.session, seal)
        #expect(reply.status == 401 && reply.json.string("reason") == "SESSION_EXPIRED")
    }

    @Test("Without sign-in by handle, none of it is there")
    func notConfigured() async throws {
        let server = try await BackendUnderTest()
        for (method, path) in [
            (HTTPRequest.Method.get, Self.session), (.get, Self.restore),
            (.post, "/api/auth/logout"), (.get, "/xrpc/com.example.method"),
        ] {
            let reply = try await server.send(method, path, headers: [.portico: "1"])
            #expect(reply.status == 404, "\(path)")
            #expect(reply.json.string("error") == "not_found")
        }
    }
}

@Suite("Refreshes while the server stops") struct HandleStopTests {
    /// A host that answers when it is told to.
    private struct LateHost {
        let scene: HandleScene
        let isAsked = Locked(false)
        let mayAnswer = Locked(false)

        init() throws {
            let scene = try HandleScene()
            self.scene = scene
            let (isAsked, mayAnswer) = (isAsked, mayAnswer)
            scene.host.before {
                isAsked.withLock { $0 = true }
                while !mayAnswer.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            }
        }

        func asked(for session: HandleSession) async throws
            -> Task<HandleTokens.Open, any Error>
        {
            let tokens = scene.tokens
            let refresh = Task<HandleTokens.Open, any Error> {
                try await tokens.tokens(for: session)
            }
            try await waitUntil("the host is asked") { isAsked.withLock { $0 } }
            return refresh
        }
    }

    @Test("decision 0057: a refresh whose token went out is waited for, and what came is stored")
    func waited() async throws {
        let late = try LateHost()
        let (scene, hasEnded) = (late.scene, Locked(false))
        let session = try await scene.signedIn(accessLives: 0)
        let refresh = try await late.asked(for: session)
        let end = Task {
            await scene.tokens.stop()
            hasEnded.withLock { $0 = true }
        }
        try await waitUntil("it stops") { await scene.tokens.isStopping }
        try await Task.sleep(for: .milliseconds(20))
        #expect(!hasEnded.withLock { $0 })
        late.mayAnswer.withLock { $0 = true }
        await end.value
        #expect(try await scene.stored(session.sessionID) == ["A2", "R2"])
        #expect(try await refresh.value.access.reveal() == "A2")
    }

    @Test("decision 0057: a host that does not answer holds the stop up for a while only")
    func bounded() async throws {
        let late = try LateHost()
        let session = try await late.scene.signedIn(accessLives: 0)
        let refresh = try await late.asked(for: session)
        await late.scene.tokens.stop()
        #expect(try await late.scene.session(session.sessionID)?.sentAt != nil)
        late.mayAnswer.withLock { $0 = true }
        #expect(try await refresh.value.access.reveal() == "A2")
    }

    @Test("decision 0057: no refresh begins while the server stops; a token that works serves")
    func refused() async throws {
        let scene = try HandleScene()
        let over = try await scene.signedIn(accessLives: 0)
        let near = try await scene.signedIn(accessLives: 20)
        let fresh = try await scene.signedIn(accessLives: 900)
        await scene.tokens.stop()
        #expect(await scene.tokens.failure(for: over) == .busy)
        #expect(try await scene.tokens.tokens(for: near).access.reveal() == "A1")
        #expect(try await scene.tokens.tokens(for: fresh).access.reveal() == "A1")
        #expect(scene.host.looked == 0 && scene.host.sent.isEmpty)
        #expect(try await scene.session(over.sessionID)?.sentAt == nil)
    }

    @Test("decision 0057: a refresh whose token has not gone out gives its lease back")
    func unsent() async throws {
        let scene = try HandleScene()
        let session = try await scene.signedIn(accessLives: 0)
        let tokens = scene.tokens
        scene.host.whileLooking {
            Task { await tokens.stop() }
            while await !tokens.isStopping { await Task.yield() }
        }
        #expect(await tokens.failure(for: session) == .busy)
        #expect(scene.host.sent.isEmpty)
        #expect(try await scene.session(session.sessionID)?.sentAt == nil)
        let next = RefreshLease(id: [9], revision: 1, until: scene.clock.seconds + 30)
        let outcome = try await scene.handles.lease(
            session.sessionID,
            next,
            at: scene.clock.seconds
        )
        #expect(outcome == .leased(session))
    }
}

@Suite("Tokens of a session by handle, with a process that is killed") struct HandleKilledTests {
    @Test("decision 0057: a process killed in the middle of a refresh signs no one out, ten times")
    func killed() async throws {
        for _ in 0..<10 {
            let scene = try HandleScene(TestDatabase.inFile())
            let session = try await scene.signedIn(accessLives: 60)
            let file = try #require(scene.database.file)
            setenv(
                "TEST_HANDLE_KILLED",
                "\(file)|\(session.sessionID)|\(scene.clock.seconds)",
                1
            )
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try await DyingHost.refresh()
            }
            let left = try #require(try await scene.session(session.sessionID))
            #expect(left.sentAt == scene.clock.seconds)
            for seconds in [29, 2] as [Double] {
                scene.clock.advance(by: seconds)
                #expect(try await scene.tokens.tokens(for: left).access.reveal() == "A1")
            }
            #expect(scene.host.sent.isEmpty)
            scene.clock.advance(by: 29)
            #expect(try await scene.tokens.tokens(for: left).access.reveal() == "A2")
            #expect(scene.host.sent == ["R1"])
        }
    }
}

/// A host that ends the process that asks it.
private struct DyingHost: HandleTokenServers, HandleTokenServer {
    /// As the environment says.
    static func refresh() async throws {
        let text = ProcessInfo.processInfo.environment["TEST_HANDLE_KILLED"] ?? ""
        let parts = text.split(separator: "|").map(String.init)
        try #require(parts.count == 3)
        let (id, now) = (parts[1], try #require(Int64(parts[2])))
        let handles = HandleSessionStore(try SQLiteDatabase(file: parts[0]))
        let tokens = HandleTokens(
            handles: handles,
            vault: HandleTokenVault(ring: HandleScene.ring),
            servers: DyingHost(),
            clock: Clock { Date(timeIntervalSince1970: Double(now)) }
        )
        let session = try #require(try await handles.live(id, at: now)).handle
        _ = try await tokens.tokens(for: session, refused: SecretText("A1"))
    }

    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        self
    }

    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens
    {
        kill(getpid(), SIGKILL)
        throw .invalidGrant
    }

    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool { false }
}
