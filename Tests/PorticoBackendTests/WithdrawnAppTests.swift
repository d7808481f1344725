import HTTPTypes
import PorticoBackend
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("An app that the operator withdraws") struct WithdrawnAppTests {
    private static func set(_ isEnabled: Bool?, _ server: BackendUnderTest) async throws {
        if let isEnabled {
            var notes = BackendUnderTest.notes
            notes.isEnabled = isEnabled
            try await server.database.put(notes)
        } else {
            #expect(try await server.database.deleteApp(BackendUnderTest.notes) == .changed)
        }
        try await server.backend.directory.refresh()
    }

    private static func code(_ app: TestApp, _ server: BackendUnderTest) async throws -> String {
        let end = try await TestVisitor(server).signIn("google", as: .ben, app.start)
        return String(try #require(end.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1)
    }

    @Test(
        "what it has is worth nothing while it is disabled, or once it is removed",
        arguments: [false, nil]
    )
    func sessions(_ isEnabled: Bool?) async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let tokens = try await app.redeem(try await Self.code(app, server), at: server)
        let refresh = try #require(tokens.json.string("refresh_token"))
        let session = try #require(tokens.json.string("session_token"))
        let bearer: HTTPFields = [.authorization: "Bearer \(session)"]
        try await Self.set(isEnabled, server)
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
        #expect(native.status == 400)
        #expect(native.json.string("error") == "invalid_app")
        #expect(try await server.accounts().count == 1)
    }
}
