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
@testable import PorticoSignIn

/// The requests of apps that were written after the guide of another library: paths, methods, cookies and
/// parameters as there, with no header of ours.
@Suite("An app written after the guide of another library") struct GuideRequestTests {
    private let scene: JoinedScene

    init() async throws {
        scene = try await JoinedScene(apps: [.moved])
    }

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
    private func get(_ path: String, _ token: String?) async throws -> Reply {
        var fields: HTTPFields = [
            .accept: "*/*", .acceptLanguage: "en-US,en;q=0.9",
            .acceptEncoding: "gzip, deflate, br",
            .userAgent: "MyApp/1 CFNetwork/1494.0.7 Darwin/23.4.0",
        ]
        fields[.cookie] = token.map { "sid=\($0)" }
        return try await scene.server.send(.get, path, headers: fields)
    }

    private func signIn(_ visitor: TestVisitor, _ answer: String = "allow") async throws -> String {
        let page = try await visitor.open(try Self.start(ATHostPerson.ann.handle))
        let end = try await scene.finish(page, visitor, answer)
        return try #require(end.reply.location, "\(end.reply.text)")
    }

    @Test("ATP-M-1, ATP-M-4: it starts, reads its address, sets its cookie, validates and restores")
    func whole() async throws {
        let address = try await signIn(TestVisitor(scene.server))
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
            let session = try await get("/api/auth/session", token)
            #expect(session.status == 200)
            #expect(session.headers[.contentType] == "application/json")
            #expect(session.json.bool("authenticated") == true)
            #expect(session.json.string("did") == credentials.did)
            #expect(session.json.string("handle") == credentials.handle)
            let renewed = try await get("/mobile/refresh-token", token)
            #expect(renewed.json.bool("success") == true)
            #expect(renewed.json.object("payload")?.string("did") == credentials.did)
            token = try #require(renewed.json.object("payload")?.string("sid"))
            try await scene.server.backend.signIn.activity.flush()
            scene.clock.advance(by: 13 * 86_400)
        }
        // Its own requests, with the cookie and the header that keeps other sites out.
        let called = try await scene.call(token)
        #expect(called.status == 200 && called.json.string("handle") == credentials.handle)
    }

    @Test("ATP-M-4: what is no session is not 200, and says so in JSON, so that the app clears it")
    func notValid() async throws {
        let address = try await signIn(TestVisitor(scene.server))
        let token = try #require(try Self.onApple(address)).sessionToken
        for bad in [nil, "", "garbage", String(token.dropLast(9))] {
            let reply = try await get("/api/auth/session", bad)
            #expect(reply.status == 401)
            #expect(reply.json.bool("authenticated") == false)
        }
        scene.clock.advance(by: 14 * 86_400 + 1)
        #expect(try await get("/api/auth/session", token).status == 401)
    }

    @Test("SEED-TIJS-2, guide: it signs out by its cookie alone, and a copy of it is dead at once")
    func signsOut() async throws {
        let address = try await signIn(TestVisitor(scene.server))
        let token = try #require(try Self.onApple(address)).sessionToken
        let renewed = try await get("/mobile/refresh-token", token)
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
            let session = try await get("/api/auth/session", copied)
            #expect(session.status == 401)
            #expect(session.json.bool("authenticated") == false)
            #expect(try await get("/mobile/refresh-token", copied).status == 401)
            #expect(try await scene.call(copied).status == 401)
        }
        // Twice is no error, and the next sign-in is another session.
        #expect(try await scene.signOut(token).status == 200)
        let again = try await signIn(TestVisitor(scene.server))
        let next = try #require(try Self.onApple(again)).sessionToken
        #expect(try await get("/api/auth/session", next).status == 200)
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
        #expect(try await get("/api/auth/session", credentials.sessionToken).status == 200)
    }
}

/// The guide's own library at a host whose authorization server is a realm of ours, as far as its
/// addresses go. Of the metadata it reads the authorization endpoint, and takes `/oauth/authorize` off
/// its end; behind what is left it puts the addresses of a sign-in. Where to refresh and to revoke it
/// reads anew each time.
struct GuideLibrary {
    static let clientID = "https://app.example.com/oauth-client-metadata.json"
    static let redirect = "https://app.example.com/oauth/callback"
    private static let state = #"{"handle":"\#(ATHostPerson.ann.handle)","mobile":true}"#

    private let joined: JoinedHost
    private let sender: DPoPSender
    private let browser: TestBrowser
    private let key: DPoPKey
    private let verifier = String(repeating: "v", count: 43)

    init() async throws {
        let sites = DocumentSites()
        sites[Self.clientID] = DocumentSites.Answer([
            "client_id": .string(Self.clientID), "client_name": "App",
            "redirect_uris": [.string(Self.redirect)], "scope": "atproto transition:generic",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "none", "application_type": "web",
            "dpop_bound_access_tokens": true,
        ])
        let joined = try await JoinedHost(documentsBy: sites)
        self.joined = joined
        sender = DPoPSender(
            transport: joined.transport,
            nonces: DPoPNonceMemory(),
            clock: joined.clock
        )
        browser = TestBrowser(joined.provider)
        key = try DPoPKey(random: .system)
    }

    /// What the addresses of a sign-in begin with.
    func base() async throws -> String {
        let page = try await endpoint("authorization_endpoint")
        let end = "/oauth/authorize"
        return page.hasSuffix(end) ? String(page.dropLast(end.count)) : page
    }

    /// The token answer of a sign-in by Ann.
    func signIn() async throws -> Reply {
        let base = try await base()
        let pushed = try await post(
            base + "/oauth/par",
            [
                ("response_type", "code"), ("client_id", Self.clientID),
                ("redirect_uri", Self.redirect), ("scope", "atproto transition:generic"),
                ("code_challenge", Base64URL.encode(Hash256(of: verifier).bytes)),
                ("code_challenge_method", "S256"), ("state", Self.state),
                ("login_hint", ATHostPerson.ann.handle),
            ]
        )
        #expect(pushed.status == 201, "\(pushed.text)")
        let reference = pushed.json.string("request_uri") ?? ""
        let address = FormEncoding.appending(
            [(name: "client_id", value: Self.clientID), (name: "request_uri", value: reference)],
            to: base + "/oauth/authorize"
        )
        let page = try await browser.get(try #require(HTTPAddress(address)).target)
        let password = TestRealm.passwords["alice"] ?? ""
        let question = try await browser.submit(
            page,
            [("username", "alice"), ("password", password)]
        )
        let answer = try await browser.submit(question, [("action", "allow")]).redirected
        #expect(answer["state"] == Self.state)
        return try await prove(
            base + "/oauth/token",
            [
                ("grant_type", "authorization_code"), ("client_id", Self.clientID),
                ("redirect_uri", Self.redirect), ("code", answer["code"] ?? ""),
                ("code_verifier", verifier),
            ]
        )
    }

    func refresh(_ token: String) async throws -> Reply {
        try await prove(
            try await endpoint("token_endpoint"),
            [
                ("grant_type", "refresh_token"), ("client_id", Self.clientID),
                ("refresh_token", token),
            ]
        )
    }

    func revoke(_ token: String) async throws -> Reply {
        try await post(
            try await endpoint("revocation_endpoint"),
            [("token", token), ("client_id", Self.clientID)]
        )
    }

    /// The person's own record at the host.
    func session(_ token: String) async throws -> Reply {
        let address = "\(JoinedHost.origin)/xrpc/com.atproto.server.getSession"
        return try await send(.get, address, token: token, [:], [])
    }

    // MARK: Requests

    private func endpoint(_ name: String) async throws -> String {
        let address = "\(JoinedHost.origin)/.well-known/oauth-authorization-server"
        let request = HTTPRequest(.get, to: try #require(HTTPAddress(address)))
        return try #require(try await joined.server.send(request).json.string(name))
    }

    /// Without a proof.
    private func post(_ address: String, _ form: [(String, String)]) async throws -> Reply {
        var request = HTTPRequest(.post, to: try #require(HTTPAddress(address)))
        request.headerFields = Self.fields
        return try await joined.server.send(request, body: Self.body(form))
    }

    private func prove(_ address: String, _ form: [(String, String)]) async throws -> Reply {
        try await send(.post, address, token: nil, Self.fields, Self.body(form))
    }

    /// With a proof, and once more with the nonce that is asked for.
    private func send(
        _ method: HTTPRequest.Method,
        _ address: String,
        token: String?,
        _ fields: HTTPFields,
        _ body: [UInt8]
    ) async throws -> Reply {
        let answer = try await sender.send(
            method,
            to: try #require(HTTPAddress(address)),
            with: key,
            token: token.map { SecretText($0) },
            at: token == nil ? .authorizationServer : .resource,
            limits: HTTPLimits(bytes: 1_000_000, seconds: 10)
        ) { _ in (fields, body) }
        return Reply(
            status: answer.reply.response.status.code,
            headers: answer.reply.response.headerFields,
            body: answer.reply.body
        )
    }

    private static let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

    private static func body(_ form: [(String, String)]) -> [UInt8] {
        FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
    }
}
