import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("An app's session") struct AppSessionTests {
    private let server: BackendUnderTest

    init() async throws {
        server = try await BackendUnderTest()
    }

    private struct Tokens {
        var session: String
        var refresh: String

        init(_ reply: Reply) throws {
            session = try #require(reply.json.string("session_token"))
            refresh = try #require(reply.json.string("refresh_token"))
        }
    }

    private func signedIn() async throws -> Tokens {
        let app = TestApp()
        return try Tokens(try await app.redeem(try await app.code(at: server), at: server))
    }

    private func refresh(_ token: String, key: String? = nil) async throws -> Reply {
        var headers = HTTPFields()
        if let key { headers[.idempotencyKey] = key }
        return try await server.post(
            "/v1/auth/refresh",
            [("refresh_token", token)],
            headers: headers
        )
    }

    private func session(_ token: String) async throws -> Reply {
        try await server.session(of: token)
    }

    @Test("Decision 0029: a session token lasts 15 minutes; a refresh makes a new one")
    func lifetime() async throws {
        let tokens = try await signedIn()
        server.clock.advance(by: 899)
        #expect(try await session(tokens.session).status == 200)
        server.clock.advance(by: 2)
        let over = try await session(tokens.session)
        #expect(over.status == 401)
        #expect(over.json.string("reason") == "SESSION_EXPIRED")
        let next = try Tokens(try await refresh(tokens.refresh))
        #expect(try await session(next.session).status == 200)
        #expect(next.refresh != tokens.refresh)
    }

    @Test("Decision 0029: thirty days without use end it, and 180 days whatever is done")
    func ends() async throws {
        let idle = try await signedIn()
        server.clock.advance(by: 30 * 86_400 + 1)
        #expect(try await refresh(idle.refresh).json.string("error") == "invalid_grant")
        var tokens = try await signedIn()
        for _ in 0..<8 {
            server.clock.advance(by: 20 * 86_400)
            tokens = try Tokens(try await refresh(tokens.refresh))
        }
        server.clock.advance(by: 20 * 86_400 + 1)
        #expect(try await refresh(tokens.refresh).status == 400)
    }

    @Test("Decision 0035: an app that lost the answer asks again with its key, and gets the same")
    func idempotent() async throws {
        let tokens = try await signedIn()
        let first = try Tokens(try await refresh(tokens.refresh, key: "\"k1\""))
        server.clock.advance(by: 3600)
        let again = try Tokens(try await refresh(tokens.refresh, key: "\"k1\""))
        #expect(again.refresh == first.refresh)
        // Another key is another's: the session ends.
        let thief = try await refresh(tokens.refresh, key: "\"k2\"")
        #expect(thief.json.string("error") == "invalid_grant")
        #expect(try await refresh(first.refresh).status == 400)
        #expect(server.log.contains("refresh.replayed"))
    }

    @Test("Decision 0035: without a key there is a minute of grace, then reuse ends the session")
    func grace() async throws {
        let tokens = try await signedIn()
        let first = try Tokens(try await refresh(tokens.refresh))
        server.clock.advance(by: 59)
        #expect(try Tokens(try await refresh(tokens.refresh)).refresh == first.refresh)
        server.clock.advance(by: 2)
        #expect(try await refresh(tokens.refresh).status == 400)
        #expect(try await session(first.session).status == 401)
    }

    @Test("RFC 9700 §4.14.2: a token two generations old ends the session")
    func old() async throws {
        let tokens = try await signedIn()
        let second = try Tokens(try await refresh(tokens.refresh))
        let third = try Tokens(try await refresh(second.refresh))
        #expect(try await refresh(tokens.refresh).status == 400)
        #expect(try await refresh(third.refresh).status == 400)
    }

    @Test("Of concurrent refreshes with one key all get the same tokens")
    func race() async throws {
        for round in 0..<20 {
            let test = try await Self()
            let tokens = try await test.signedIn()
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await test.refresh(tokens.refresh, key: "\"r\(round)\"").text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
        }
    }

    @Test("A token of one kind, of another session, or altered, is no one's", arguments: 0..<4)
    func forged(_ kind: Int) async throws {
        let tokens = try await signedIn()
        var altered = try #require(Base64URL.decode(tokens.session))
        altered[altered.count - 1] ^= 1
        let token =
            switch kind {
            case 0: tokens.refresh
            case 1: Base64URL.encode(altered)
            case 2: "AQ" + tokens.session.dropFirst(2).reversed()
            default: String(tokens.session.prefix(40))
            }
        let reply = try await session(token)
        #expect(reply.status == 401)
        #expect(reply.json.string("reason") == "INVALID_COOKIE" || kind == 2)
        #expect(try await refresh(tokens.session).status == 400)
        #expect(try await session(tokens.session).status == 200)
    }

    @Test("WEB-SESS-4: signing out ends the session token and the refresh token")
    func signOut() async throws {
        let tokens = try await signedIn()
        let out = try await server.send(
            .post,
            "/v1/auth/logout",
            headers: [.authorization: "Bearer \(tokens.session)"]
        )
        #expect(out.status == 200)
        #expect(out.json.bool("success") == true)
        #expect(try await session(tokens.session).status == 401)
        #expect(try await refresh(tokens.refresh).status == 400)
    }

    @Test("A refresh token that was altered, or made up, is refused, and ends nothing")
    func forgedRefresh() async throws {
        let tokens = try await signedIn()
        var bytes = try #require(Base64URL.decode(tokens.refresh))
        bytes[bytes.count - 1] ^= 1
        // Of a generation before, which would end the session if it were genuine.
        var older = try #require(Base64URL.decode(tokens.refresh))
        older[28] = 0
        for forged in [Base64URL.encode(bytes), Base64URL.encode(older), "x"] {
            let reply = try await refresh(forged)
            #expect(reply.refusal == "400 invalid_grant")
        }
        #expect(!server.log.contains("refresh.replayed"))
        #expect(try await session(tokens.session).status == 200)
        #expect(try await refresh(tokens.refresh).status == 200)
    }

    @Test("RFC 6750 §2.1: two Authorization fields, or another scheme, are no one's")
    func twoFields() async throws {
        let tokens = try await signedIn()
        var twice = HTTPFields()
        for _ in 0..<2 {
            twice.append(HTTPField(name: .authorization, value: "Bearer \(tokens.session)"))
        }
        let reply = try await server.send(.get, "/v1/auth/session", headers: twice)
        #expect(reply.json.string("reason") == "INVALID_COOKIE")
        for value in ["Basic \(tokens.session)", tokens.session, "Bearer", "Bearer "] {
            let other = try await server.send(
                .get,
                "/v1/auth/session",
                headers: [.authorization: value]
            )
            #expect(other.status == 401)
        }
    }

    @Test("An Idempotency-Key without end, or twice, is refused before anything is rotated")
    func keys() async throws {
        let tokens = try await signedIn()
        let long = String(repeating: "k", count: 256)
        #expect(try await refresh(tokens.refresh, key: long).status == 400)
        var twice = HTTPFields()
        for key in ["a", "b"] { twice.append(HTTPField(name: .idempotencyKey, value: key)) }
        let form = [("refresh_token", tokens.refresh)]
        #expect(try await server.post("/v1/auth/refresh", form, headers: twice).status == 400)
        #expect(try await refresh(tokens.refresh, key: "k").status == 200)
    }
}

/// Neither a leaked database nor a leaked key alone forges one (docs/decisions/0014).
@Suite("Tokens of an app's session") struct KeyedTokenTests {
    private static let sessionID = UniqueID(random: .system).text

    private static func state(
        secret: [UInt8] = [UInt8](repeating: 7, count: 32),
        ring: KeyRing = TestRealm.ring
    ) -> RefreshState {
        RefreshState(
            generation: 3,
            secret: secret,
            keyID: ring.activeID.bytes,
            rotatedAt: 1_800_000_000,
            idempotencyKey: nil
        )
    }

    private static func text(
        _ kind: KeyedToken.Kind = .session,
        of id: String = sessionID,
        number: Int64 = 3,
        _ state: RefreshState = state(),
        ring: KeyRing = TestRealm.ring
    ) throws -> String {
        try #require(KeyedToken(kind, of: id, number: number, state: state, ring: ring)).text(kind)
    }

    private static func isGenuine(
        _ text: String,
        _ kind: KeyedToken.Kind = .session,
        _ state: RefreshState = state()
    ) -> Bool {
        KeyedToken(text, kind)?.isGenuine(kind, for: state, ring: TestRealm.ring) ?? false
    }

    @Test("A token is genuine for its own row, and says which session and which number it is of")
    func genuine() throws {
        let token = try #require(KeyedToken(try Self.text(), .session))
        #expect(token.sessionID == Self.sessionID && token.number == 3)
        #expect(token.isGenuine(.session, for: Self.state(), ring: TestRealm.ring))
    }

    @Test("WEB-CMP-1: the MAC is over kind, key, session, number and secret, each by itself")
    func bound() throws {
        let mac = { (text: String) in Array((Base64URL.decode(text) ?? []).suffix(32)) }
        let own = mac(try Self.text())
        #expect(mac(try Self.text(.refresh)) != own)
        #expect(mac(try Self.text(of: UniqueID(random: .system).text)) != own)
        #expect(mac(try Self.text(number: 4)) != own)
        let other = Self.state(secret: [UInt8](repeating: 8, count: 32))
        #expect(mac(try Self.text()) == own)
        #expect(mac(try Self.text(.session, of: Self.sessionID, number: 3, other)) != own)
        #expect(!Self.isGenuine(try Self.text(), .session, other))
        let ring = try KeyRing(random: .system)
        let elsewhere = try Self.text(
            .session,
            of: Self.sessionID,
            number: 3,
            Self.state(ring: ring),
            ring: ring
        )
        #expect(!Self.isGenuine(elsewhere))
    }

    @Test("With any one bit changed it is no one's, and of another length it is none")
    func altered() throws {
        let bytes = try #require(Base64URL.decode(try Self.text()))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(!Self.isGenuine(Base64URL.encode(changed)), "byte \(index)")
            }
        }
        for text in ["", "A", Base64URL.encode(bytes.dropLast()), Base64URL.encode(bytes + [0])] {
            #expect(KeyedToken(text, .session) == nil)
        }
    }

    @Test("A token of one kind is none of the other")
    func kinds() throws {
        #expect(KeyedToken(try Self.text(.refresh), .session) == nil)
        #expect(KeyedToken(try Self.text(.session), .refresh) == nil)
    }
}

@Suite("An app that the operator withdraws") struct WithdrawnAppTests {
    private static func set(_ isEnabled: Bool?, _ server: BackendUnderTest) async throws {
        if let isEnabled {
            var notes = BackendUnderTest.notes
            notes.isEnabled = isEnabled
            try await server.database.put(notes)
        } else {
            #expect(try await server.database.deleteApp(BackendUnderTest.notes) == .changed)
        }
        try await server.backend.signIn.directory.refresh()
    }

    enum Withdrawal: CaseIterable { case disabled, handsNothingOff, removed }

    private static func code(_ app: TestApp, _ server: BackendUnderTest) async throws -> String {
        let end = try await TestVisitor(server).signIn("google", as: .ben, app.start)
        return try #require(end.code)
    }

    @Test(
        "what it has is worth nothing while it is disabled or no app, or once it is removed",
        arguments: Withdrawal.allCases
    )
    func sessions(_ withdrawal: Withdrawal) async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let tokens = try await app.redeem(try await Self.code(app, server), at: server)
        let refresh = try #require(tokens.json.string("refresh_token"))
        let session = try #require(tokens.json.string("session_token"))
        let bearer: HTTPFields = [.authorization: "Bearer \(session)"]
        switch withdrawal {
        case .disabled: try await Self.set(false, server)
        case .handsNothingOff:
            var notes = BackendUnderTest.notes
            notes.handOff.form = .none
            try await server.database.put(notes)
            try await server.backend.signIn.directory.refresh()
        case .removed: try await Self.set(nil, server)
        }
        let checked = try await server.send(.get, "/v1/auth/session", headers: bearer)
        #expect(checked.status == 401)
        #expect(checked.json.string("reason") == "SESSION_EXPIRED")
        let refused = try await server.post("/v1/auth/refresh", [("refresh_token", refresh)])
        #expect(refused.json.string("error") == "invalid_grant")
        // Nothing of it was lost: the app comes back where it was.
        try await Self.set(true, server)
        #expect(try await server.send(.get, "/v1/auth/session", headers: bearer).status == 200)
        let renewed = try await server.post("/v1/auth/refresh", [("refresh_token", refresh)])
        #expect(renewed.status == 200)
    }

    @Test("while it is disabled it begins nothing, redeems nothing and brings no token of its own")
    func starts() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let code = try await Self.code(app, server)
        try await Self.set(false, server)
        let path = FormEncoding.appending(app.start, to: "/v1/auth/google")
        let start = try await server.send(.get, path)
        #expect(start.status == 400)
        #expect(start.location == nil)
        #expect(try await app.redeem(code, at: server).status == 400)
        let token = try server.googleToken(for: nil)
        let native = try await server.post(
            "/v1/auth/google/native",
            [("app", "notes"), ("id_token", token)]
        )
        #expect(native.refusal == "400 invalid_app")
        #expect(try await server.accounts().count == 1)
    }
}

@Suite("A provider's tokens that are not right") struct RefusedTokenTests {
    @Test(
        "RFC 9700 §4.5.3.2: nothing of an answer counts whose ID Token is another's, or no one's",
        arguments: [
            StandInFaults.IDTokenFault.wrongNonce, .unsigned, .forged, .symmetric, .unpublishedKey,
        ]
    )
    func nothingCounts(_ fault: StandInFaults.IDTokenFault) async throws {
        let server = try await BackendUnderTest()
        server.standIns.configure(.openID) { $0.idToken = [fault] }
        let before = try server.keptRows()
        let visitor = TestVisitor(server)
        let refused = try await visitor.signIn("keycloak", as: .ann)
        #expect(refused.path.hasPrefix("/login?error="))
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await visitor.session().status == 401)
        // No row, not even one that a refresh token is kept in; and no one was asked with a token.
        #expect(try server.keptRows() == before)
        #expect(try await server.accounts().isEmpty)
        #expect(server.standIns.log.requests(to: .userInfo, at: .openID).isEmpty)
        for text in [refused.reply.text, server.log] { #expect(!text.contains("eyJ")) }
    }
}
