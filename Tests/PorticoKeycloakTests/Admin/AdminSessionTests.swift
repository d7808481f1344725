import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// The sessions of clients and of the realm.
@Suite("Sessions by the administration") struct AdminSessionTests {
    private static let web = "/clients/\(AdminUnderTest.webID)"

    @Test("KC-A-2: a client's sessions are listed and counted, and end all at once")
    func sessions() async throws {
        let admin = try await AdminUnderTest()
        let root = try await admin.token("realm-admin")
        let ann = try await admin.token(ofPerson: "ann")
        let chief = try await admin.token(ofPerson: "chief")
        let list = try await admin.send(.get, "\(Self.web)/user-sessions", by: root).list
        #expect(list.map { $0.string("username") } == ["ann", "chief"])
        #expect(list.first?.object("clients") == [AdminUnderTest.webID: "web"])
        #expect(list.first?.int64("start") == admin.server.clock.seconds * 1000)
        let second = "\(Self.web)/user-sessions?first=1&max=1"
        #expect(try await admin.send(.get, second, by: root).list.count == 1)
        let count = try await admin.send(.get, "\(Self.web)/session-count", by: root)
        #expect(count.json == ["count": 2])
        let offline = try await admin.send(.get, "\(Self.web)/offline-session-count", by: root)
        #expect(offline.json == ["count": 0])
        let stats = try await admin.send(.get, "/client-session-stats", by: root).list
        let own = stats.first { $0.string("clientId") == "web" }
        #expect(own?.string("active") == "2" && own?.string("offline") == "0")
        let app = "/clients/\(AdminUnderTest.appID)"
        #expect(try await admin.send(.get, "\(app)/user-sessions", by: root).text == "[]")
        let push = try await admin.send(.post, "/push-revocation", by: root)
        #expect(push.status == 200 && push.text == "{}")
        let out = try await admin.send(.post, "/logout-all", by: root)
        #expect(out.status == 200 && out.text == "{}", "\(out.text)")
        for token in [ann, chief] {
            #expect(try await admin.send(.get, "/users/count", by: token).status == 401)
        }
        #expect(
            try await admin.send(.get, "\(Self.web)/session-count", by: root).json == ["count": 0]
        )
    }

    @Test("attack: with few rights no one sees sessions, or ends those of people with more")
    func rights() async throws {
        let admin = try await AdminUnderTest(["manage-users", "view-clients", "realm-admin"])
        let helper = try await admin.token("manage-users")
        let viewer = try await admin.token("view-clients")
        let root = try await admin.token("realm-admin")
        let chief = try await admin.token(ofPerson: "chief")
        for name in ["user-sessions", "offline-sessions"] {
            let path = "\(Self.web)/\(name)"
            #expect(try await admin.send(.get, path, by: viewer).status == 403)
            #expect(try await admin.send(.get, path, by: helper).status == 403)
        }
        #expect(try await admin.send(.get, "/client-session-stats", by: viewer).status == 403)
        #expect(try await admin.send(.post, "/logout-all", by: helper).status == 403)
        #expect(try await admin.send(.post, "/push-revocation", by: helper).status == 403)
        let sessions = try await admin.send(.get, "\(Self.web)/user-sessions", by: root).list
        let session = try #require(sessions.first?.string("id"))
        #expect(try await admin.send(.delete, "/sessions/\(session)", by: helper).status == 403)
        #expect(try await admin.send(.get, "/users/count", by: chief).status == 200)
        #expect(try await admin.send(.delete, "/sessions/\(session)", by: root).status == 204)
        #expect(try await admin.send(.get, "/users/count", by: chief).status == 401)
    }
    @Test(
        "decision 0111: a session that an app lives on in is listed after it has expired, and a helper ends none of an administrator's"
    )
    func expired() async throws {
        let admin = try await AdminUnderTest(["manage-users", "realm-admin"])
        try await admin.change(client: "web") { $0.staySignedIn = .idle(864_000) }
        let chief = try await admin.signIn("chief")
        let session = try #require(try chief.claims("id_token").string("sid"))
        func refresh(_ tokens: Reply) async throws -> Reply {
            try await admin.server.post(
                "/realms/acme/protocol/openid-connect/token",
                [
                    ("grant_type", "refresh_token"), ("client_id", "web"),
                    ("refresh_token", tokens.refreshToken),
                ]
            )
        }
        admin.server.clock.advance(by: 40_000)
        let helper = try await admin.token("manage-users")
        let root = try await admin.token("realm-admin")
        let list = try await admin.send(.get, "\(Self.web)/user-sessions", by: root).list
        #expect(list.map { $0.string("username") } == ["chief"])
        #expect(list.first?.string("id") == session)
        let count = try await admin.send(.get, "\(Self.web)/session-count", by: root)
        #expect(count.json == ["count": 1])
        #expect(try await admin.send(.delete, "/sessions/\(session)", by: helper).status == 403)
        let next = try await refresh(chief)
        #expect(next.status == 200)
        #expect(try await admin.send(.delete, "/sessions/\(session)", by: root).status == 204)
        #expect(try await refresh(next).error == "invalid_grant")
    }
}
