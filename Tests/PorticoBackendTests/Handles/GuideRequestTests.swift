import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// The requests of apps that were written after the guide of another library: paths, methods, cookies and
/// parameters as there, with no header of ours.
@Suite("An app written after the guide of another library") struct GuideRequestTests {
    /// What an app reads from the address that it is opened with.
    private struct Credentials: Hashable {
        let sessionToken: String
        let did: String
        let handle: String
    }

    /// As `URLComponents` reads parameters, which decodes no plus sign.
    private static func onApple(_ address: String) throws -> Credentials? {
        let items = try #require(URLComponents(string: address)).queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let token = value("session_token"), let did = value("did"),
            let handle = value("handle")
        else { return nil }
        return Credentials(sessionToken: token, did: did, handle: handle)
    }

    /// As `Uri.getQueryParameter` reads them, which does.
    private static func onAndroid(_ address: String) throws -> Credentials? {
        let query = address.split(separator: "?", maxSplits: 1).last ?? ""
        let form = try FormParameters(decoding: query.utf8)
        guard let token = form["session_token"], let did = form["did"],
            let handle = form["handle"]
        else { return nil }
        return Credentials(sessionToken: token, did: did, handle: handle)
    }

    /// `GET /login` with two parameters, as both kinds of app build it.
    private static func start(_ handle: String) throws -> String {
        var components = try #require(
            URLComponents(string: "https://\(BackendUnderTest.host)/login")
        )
        components.queryItems = [
            URLQueryItem(name: "handle", value: handle),
            URLQueryItem(name: "mobile", value: "true"),
        ]
        return try #require(components.url).absoluteString
    }

    /// What URLSession sends of itself, with the cookie that the app has made.
    private func get(_ path: String, _ token: String?, _ scene: JoinedScene) async throws -> Reply {
        var fields: HTTPFields = [
            .accept: "*/*", .acceptLanguage: "en-US,en;q=0.9",
            .acceptEncoding: "gzip, deflate, br",
            .userAgent: "MyApp/1 CFNetwork/1494.0.7 Darwin/23.4.0",
        ]
        fields[.cookie] = token.map { "sid=\($0)" }
        return try await scene.server.send(.get, path, headers: fields)
    }

    private func signIn(
        _ scene: JoinedScene,
        _ visitor: TestVisitor,
        _ answer: String = "allow"
    ) async throws -> String {
        let page = try await visitor.open(try Self.start(ATHostPerson.ann.handle))
        let end = try await scene.finish(page, visitor, answer)
        return try #require(end.reply.location, "\(end.reply.text)")
    }

    @Test("ATP-M-1, ATP-M-4: it starts, reads its address, sets its cookie, validates and restores")
    func whole() async throws {
        let scene = try await JoinedScene(apps: [.moved])
        let address = try await signIn(scene, TestVisitor(scene.server))
        // Its scheme closes the browser's sheet.
        #expect(address.hasPrefix("com.example.moved:/auth-callback?"))
        let credentials = try #require(try Self.onApple(address))
        #expect(try Self.onAndroid(address) == credentials)
        #expect(credentials.did == ATHostPerson.ann.did)
        #expect(credentials.handle == ATHostPerson.ann.handle)
        #expect(credentials.sessionToken.hasPrefix("Fe26.2*"))

        // At launch, also much later: the cookie that is made again is good for two weeks.
        var token = credentials.sessionToken
        for _ in 1...3 {
            let session = try await get("/api/auth/session", token, scene)
            #expect(session.status == 200)
            #expect(session.headers[.contentType] == "application/json")
            #expect(session.json.bool("authenticated") == true)
            #expect(session.json.string("did") == credentials.did)
            #expect(session.json.string("handle") == credentials.handle)
            let renewed = try await get("/mobile/refresh-token", token, scene)
            #expect(renewed.json.bool("success") == true)
            #expect(renewed.json.object("payload")?.string("did") == credentials.did)
            token = try #require(renewed.json.object("payload")?.string("sid"))
            try await scene.server.backend.activity.flush()
            scene.clock.advance(by: 13 * 86_400)
        }
        // Its own requests, with the cookie and the header that keeps other sites out.
        let called = try await scene.call(token)
        #expect(called.status == 200 && called.json.string("handle") == credentials.handle)
    }

    @Test("ATP-M-4: what is no session is not 200, and says so in JSON, so that the app clears it")
    func notValid() async throws {
        let scene = try await JoinedScene(apps: [.moved])
        let address = try await signIn(scene, TestVisitor(scene.server))
        let token = try #require(try Self.onApple(address)).sessionToken
        for bad in [nil, "", "garbage", String(token.dropLast(9))] {
            let reply = try await get("/api/auth/session", bad, scene)
            #expect(reply.status == 401)
            #expect(reply.json.bool("authenticated") == false)
        }
        scene.clock.advance(by: 14 * 86_400 + 1)
        #expect(try await get("/api/auth/session", token, scene).status == 401)
    }

    @Test(
        "SEED-TIJS-2, guide: it signs out by its cookie alone, clears it, and a copy of it is dead at once"
    )
    func signsOut() async throws {
        let scene = try await JoinedScene(apps: [.moved])
        let address = try await signIn(scene, TestVisitor(scene.server))
        let token = try #require(try Self.onApple(address)).sessionToken
        let renewed = try await get("/mobile/refresh-token", token, scene)
        let other = try #require(renewed.json.object("payload")?.string("sid"))
        // A POST without a body, an Origin or a header of ours.
        let reply = try await scene.server.send(
            .post,
            "/api/auth/logout",
            headers: [
                .accept: "*/*", .cookie: "sid=\(token)", .userAgent: "MyApp/1 CFNetwork/1494",
            ]
        )
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "application/json")
        #expect(reply.json == ["success": true])
        let cookies = reply.headers[values: .setCookie].filter { $0.hasPrefix("sid=") }
        #expect(cookies.count == 1)
        #expect(cookies.allSatisfy { $0.hasPrefix("sid=; ") && $0.contains("Max-Age=0") })
        try await scene.revoked()
        // Both cookies were of the one session.
        for copied in [token, other] {
            let session = try await get("/api/auth/session", copied, scene)
            #expect(session.status == 401)
            #expect(session.json.bool("authenticated") == false)
            #expect(try await get("/mobile/refresh-token", copied, scene).status == 401)
            #expect(try await scene.call(copied).status == 401)
        }
        // Twice is no error, and the next sign-in is another session.
        #expect(try await scene.signOut(token).status == 200)
        let again = try await signIn(scene, TestVisitor(scene.server))
        let next = try #require(try Self.onApple(again)).sessionToken
        #expect(try await get("/api/auth/session", next, scene).status == 200)
    }

    @Test("Who refuses comes back to the app, without the parameters that it looks for")
    func refused() async throws {
        let scene = try await JoinedScene(apps: [.moved])
        let address = try await signIn(scene, TestVisitor(scene.server), "deny")
        #expect(address.hasPrefix("com.example.moved:/auth-callback?error=access_denied"))
        #expect(try Self.onApple(address) == nil)
        #expect(try Self.onAndroid(address) == nil)
    }

    @Test("Who takes more than ten minutes starts again")
    func late() async throws {
        let scene = try await JoinedScene(apps: [.moved])
        let visitor = TestVisitor(scene.server)
        let page = try await visitor.open(try Self.start(ATHostPerson.ann.handle))
        scene.clock.advance(by: 601)
        let end = try await visitor.submit(
            page,
            [("username", "alice"), ("password", TestRealm.passwords["alice"] ?? "")]
        )
        #expect(try end.reply.location.flatMap(Self.onApple) == nil)
        let address = try await signIn(scene, TestVisitor(scene.server))
        #expect(try Self.onApple(address) != nil)
    }

    @Test("decision 0064: the guide's own library, which makes addresses up, signs in at our realm")
    func library() async throws {
        let library = try await GuideLibrary()
        #expect(try await library.base() == JoinedHost.origin)
        let tokens = try await library.signIn()
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(tokens.json.string("sub") == ATHostPerson.ann.did)
        let access = try #require(tokens.json.string("access_token"))
        #expect(try await library.session(access).json.string("did") == ATHostPerson.ann.did)
        let refreshed = try await library.refresh(tokens.json.string("refresh_token") ?? "")
        #expect(refreshed.status == 200, "\(refreshed.text)")
        let next = try #require(refreshed.json.string("access_token"))
        #expect(try await library.session(next).status == 200)
        let refresh = refreshed.json.string("refresh_token") ?? ""
        #expect(try await library.revoke(refresh).status == 200)
        #expect(try await library.refresh(refresh).error == "invalid_grant")
    }

    @Test("ATP-M-3: the page of one's own, opened bare, leads through the same")
    func page() async throws {
        let scene = try await JoinedScene(apps: [.moved])
        let visitor = TestVisitor(scene.server)
        let asked = try await visitor.open("/mobile-auth")
        #expect(asked.reply.status == 200)
        #expect(asked.reply.headers[.contentType]?.hasPrefix("text/html") == true)
        let before = try await visitor.submit(asked, [("handle", ATHostPerson.ann.handle)])
        #expect(before.reply.text.contains("Continue at \(JoinedHost.authority)"))
        let link = try #require(before.reply.text.firstMatch(of: /href="(\/login\?[^"]*)"/))
        let page = try await visitor.open(
            String(link.1).replacing("&amp;", with: "&"),
            from: before.url
        )
        let end = try await scene.finish(page, visitor)
        let credentials = try #require(try Self.onApple(end.reply.location ?? ""))
        #expect(try await get("/api/auth/session", credentials.sessionToken, scene).status == 200)
    }
}
