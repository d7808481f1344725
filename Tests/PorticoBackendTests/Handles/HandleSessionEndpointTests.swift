import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

@Suite("What apps ask by the cookie sid") struct HandleSessionEndpointTests {
    private static let session = "/api/auth/session"
    private static let restore = "/mobile/refresh-token"

    @Test("ATP-M-10: the session read says DID and handle, and is kept nowhere")
    func read() async throws {
        let server = try await HostedBackend()
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
        let server = try await HostedBackend()
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
        let server = try await HostedBackend()
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
        let server = try await HostedBackend()
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
        let server = try await HostedBackend()
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
        let server = try await HostedBackend()
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

    @Test(
        "decision 0066: another system's seal opens the row that was brought, at each launch, until a sign-out"
    )
    func foreign() async throws {
        let server = try await HostedBackend()
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
        try await server.backend.directory.refresh()
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
