import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("Identity tokens of a platform's own sign-in") struct NativeTests {
    private let server: BackendUnderTest

    init() async throws {
        try await self.init(apps: [BackendUnderTest.notes])
    }

    init(apps: [Client]) async throws {
        server = try await BackendUnderTest(apps: apps)
    }

    private func freshNonce(at provider: String = "apple") async throws -> String {
        let reply = try await server.send(.post, "/v1/auth/\(provider)/native/nonce")
        #expect(reply.json.int64("expires_in") == 600)
        return try #require(reply.json.string("nonce"))
    }

    private static func hashed(_ nonce: String) -> String {
        Hash256(of: nonce).bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func present(_ token: String, nonce: String?, at provider: String = "apple")
        async throws -> Reply
    {
        var fields = [("app", "notes"), ("id_token", token)]
        if let nonce { fields.append(("nonce", nonce)) }
        return try await server.post("/v1/auth/\(provider)/native", fields)
    }

    private func appleToken(_ nonce: String) throws -> String {
        try server.appleToken(Self.hashed(nonce))
    }

    /// A credential of Google's, as its page posts it, with the token against forgery.
    private func postOneTap(
        _ person: StandInPerson = .ann,
        body: String? = "t",
        cookie: String? = "g_csrf_token=t",
        headers further: HTTPFields = [:],
        state: String? = nil
    ) async throws -> Reply {
        var fields = [("credential", try server.googleToken(person, for: nil))]
        if let body { fields.append(("g_csrf_token", body)) }
        if let state { fields.append(("state", state)) }
        var headers = further
        headers[.cookie] = cookie
        return try await server.post("/v1/auth/google/one-tap", fields, headers: headers)
    }

    @Test("attack E07: One Tap refuses what is no form, or says a thing twice")
    func malformedOneTap() async throws {
        let server = try await BackendUnderTest()
        for body in ["credential=a&state=%00", "credential=a&credential=b"] {
            var fields: HTTPFields = [.cookie: "g_csrf_token=x", .accept: "application/json"]
            fields[.contentType] = "application/x-www-form-urlencoded"
            let reply = try await server.send(
                .post,
                "/v1/auth/google/one-tap",
                headers: fields,
                body: Array((body + "&g_csrf_token=x").utf8)
            )
            #expect(reply.status == 400 && reply.error == "invalid_request")
            #expect(reply.json.string("message") != nil)
        }
    }

    @Test("PRV-A-16, PRV-A-17, PRV-N-4: Apple's token with our nonce signs in as on the web")
    func apple() async throws {
        let visitor = try await server.signedIn("apple", as: .ann)
        let nonce = try await freshNonce()
        let reply = try await present(try appleToken(nonce), nonce: nonce)
        #expect(reply.status == 200)
        #expect(reply.json.bool("is_new_user") == false)
        let id = try await server.user(of: visitor).string("id")
        #expect(reply.json.object("user")?.string("id") == id)
        let token = try #require(reply.json.string("session_token"))
        let session = try await server.session(of: token)
        #expect(session.status == 200)
    }

    @Test("attack E23: a token again, with another nonce, or with one we never made, is 401")
    func replay() async throws {
        let nonce = try await freshNonce()
        let token = try appleToken(nonce)
        #expect(try await present(token, nonce: nonce).status == 200)
        server.clock.advance(by: 60)
        #expect(try await present(token, nonce: nonce).status == 401)
        let other = try await freshNonce()
        #expect(try await present(token, nonce: other).status == 401)
        let fresh = try appleToken(other)
        #expect(try await present(fresh, nonce: "made-up").status == 401)
        let google = try await freshNonce(at: "google")
        #expect(try await present(try appleToken(google), nonce: google).status == 401)
        #expect(try await server.accounts().count == 1)
        // The right one still counts.
        #expect(try await present(fresh, nonce: other).status == 200)
    }

    @Test("PRV-N-1, PRV-G-3: a token for another app's client id is refused")
    func audience() async throws {
        let nonce = try await freshNonce(at: "google")
        let token = try #require(
            try server.standIns.identityToken(
                of: .ann,
                at: .google,
                audience: "other.apps.example.com",
                nonce: nonce,
                changes: ["azp": "notes.apps.example.com"]
            )
        )
        let reply = try await present(token, nonce: nonce, at: "google")
        #expect(reply.refusal == "401 invalid_token")
        #expect(try await server.accounts().isEmpty)
    }

    @Test("PRV-N-2: a token older than ten minutes is refused")
    func old() async throws {
        let early = try await freshNonce()
        let token = try appleToken(early)
        server.clock.advance(by: 660)
        #expect(try await present(token, nonce: early).status == 401)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("decision 0030: a relay's address is taken as it is, for an app cannot ask")
    func relay() async throws {
        let nonce = try await freshNonce()
        let token = try #require(
            try server.standIns.identityToken(
                of: .rea,
                at: .apple,
                audience: "com.example.notes",
                nonce: Self.hashed(nonce),
                changes: ["email": "a1b2c3@privaterelay.appleid.com", "is_private_email": "true"]
            )
        )
        let reply = try await present(token, nonce: nonce)
        #expect(reply.status == 200)
        #expect(reply.json.bool("is_new_user") == true)
        #expect(reply.json.object("user")?.string("email") == "a1b2c3@privaterelay.appleid.com")
    }

    @Test(
        "PRV-A-5: the name that Apple tells an app once becomes the account's, as text or as JSON",
        arguments: [true, false]
    )
    func name(isText: Bool) async throws {
        let user: JSONObject = ["name": ["firstName": "Ann", "lastName": "Apfel"]]
        let text = String(decoding: user.serialized(), as: UTF8.self)
        let nonce = try await freshNonce()
        let body: JSONObject = [
            "app": "notes", "id_token": .string(try appleToken(nonce)), "nonce": .string(nonce),
            "user": isText ? .string(text) : .object(user),
        ]
        let reply = try await server.send(
            .post,
            "/v1/auth/apple/native",
            headers: [.contentType: "application/json"],
            body: body.serialized()
        )
        #expect(reply.status == 200)
        #expect(reply.json.object("user")?.string("name") == "Ann Apfel")
    }

    @Test("PRV-E-2: a provider that is down refuses no token: the app is told when to try again")
    func down() async throws {
        let nonce = try await freshNonce()
        let token = try appleToken(nonce)
        server.standIns.configure(.apple) { $0.isDown = true }
        let reply = try await present(token, nonce: nonce)
        #expect(reply.refusal == "503 provider_unreachable")
        #expect(reply.headers[.retryAfter] != nil)
        server.standIns.repair()
        server.clock.advance(by: 60)
        #expect(try await present(token, nonce: nonce).status == 200)
    }

    @Test("decision 0030: One Tap with the address of an account asks, as any sign-in does")
    func oneTapMatches() async throws {
        _ = try await TestVisitor(server).signIn("keycloak", as: .ann)
        let reply = try await postOneTap()
        #expect(reply.location == "/login/account")
        let cookies = reply.headers[values: .setCookie]
        #expect(cookies.contains { $0.hasPrefix("__Host-pending=") })
        #expect(!cookies.contains { $0.hasPrefix("__Host-session=") })
        #expect(try await server.accounts().count == 1)
    }

    @Test("decision 0030: an app cannot show the question, so it is told that an account is there")
    func linkRequired() async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let nonce = try await freshNonce()
        let reply = try await present(try appleToken(nonce), nonce: nonce)
        #expect(reply.refusal == "409 link_required")
    }

    @Test(
        "attack E24, PRV-G-13: One Tap needs the same token in body and cookie",
        arguments: [
            (nil, "t"), ("t", nil), ("t", "u"), ("", ""), (nil, nil),
        ] as [(String?, String?)]
    )
    func oneTapForgery(_ cookie: String?, _ body: String?) async throws {
        let reply = try await postOneTap(body: body, cookie: cookie.map { "g_csrf_token=\($0)" })
        #expect(reply.status == 400)
        #expect(try await server.accounts().isEmpty)
    }

    @Test(
        "WEB-CSRF-3, PRV-G-13: One Tap takes nothing that a page of another site posts",
        arguments: [
            // A neighbour within the domain can set the cookie for all of it.
            ("same-site", "https://evil.example.com", false),
            ("cross-site", "https://evil.example", false), ("cross-site", "null", false),
            ("cross-site", nil, false), ("none", nil, false),
            (nil, "https://evil.example.com", false), (nil, "null", false),
            ("same-origin", "null", true),
            ("cross-site", "http://\(BackendUnderTest.standInHost)", true),
            (nil, "https://app.example.com", true), (nil, nil, true),
        ] as [(String?, String?, Bool)]
    )
    func oneTapElsewhere(_ site: String?, _ origin: String?, _ isTaken: Bool) async throws {
        var headers = HTTPFields()
        headers[.fetchSite] = site
        headers[.origin] = origin
        let reply = try await postOneTap(headers: headers)
        #expect(reply.status == (isTaken ? 303 : 403))
        #expect(try await server.accounts().isEmpty != isTaken)
    }

    @Test("PRV-G-13: One Tap signs in, once for a credential")
    func oneTap() async throws {
        let credential = try server.googleToken(for: nil)
        let fields = [("credential", credential), ("g_csrf_token", "same")]
        let headers: HTTPFields = [.cookie: "g_csrf_token=same"]
        let first = try await server.post("/v1/auth/google/one-tap", fields, headers: headers)
        #expect(first.location == "/onboarding")
        #expect(first.headers[values: .setCookie].contains { $0.hasPrefix("__Host-session=") })
        let again = try await server.post("/v1/auth/google/one-tap", fields, headers: headers)
        #expect(!again.headers[values: .setCookie].contains { $0.hasPrefix("__Host-session=") })
    }

    @Test("PRV-A-17, PRV-G-14: a nonce counts once, in whatever token, and for ten minutes")
    func nonces() async throws {
        let nonce = try await freshNonce()
        let first = try appleToken(nonce)
        #expect(try await present(first, nonce: nonce).status == 200)
        server.clock.advance(by: 1)
        let second = try appleToken(nonce)
        #expect(second != first)
        #expect(try await present(second, nonce: nonce).status == 401)
        let late = try await freshNonce()
        server.clock.advance(by: 601)
        let fresh = try appleToken(late)
        #expect(try await present(fresh, nonce: late).status == 401)
    }

    /// How a person brings a token whose nonce an installation has bound to itself.
    enum Bringing: CaseIterable {
        case withoutVerifier, wrongVerifier, challengeForVerifier, verifierForUnbound
        case verifierWithoutNonce
    }

    @Test(
        "PRV-G-14: a nonce that an installation bound is good for that installation only",
        arguments: Bringing.allCases
    )
    func bound(_ bringing: Bringing) async throws {
        let verifier = CodeVerifier(random: .system)
        func nonce(_ form: [(String, String)]) async throws -> String {
            let reply = try await server.post("/v1/auth/google/native/nonce", form)
            return try #require(reply.json.string("nonce"))
        }
        let mine = try await nonce([
            ("code_challenge", verifier.challenge.text), ("code_challenge_method", "S256"),
        ])
        let free = try await nonce([])
        func present(_ nonce: String?, in token: String?, _ verifier: String?) async throws -> Reply
        {
            let token = try server.googleToken(nonce: token)
            var fields = [("app", "notes"), ("id_token", token)]
            if let nonce { fields.append(("nonce", nonce)) }
            if let verifier { fields.append(("code_verifier", verifier)) }
            return try await server.post("/v1/auth/google/native", fields)
        }
        // The nonce can be read in a stolen token, and the challenge on its way.
        let refused =
            switch bringing {
            case .withoutVerifier: try await present(mine, in: mine, nil)
            case .wrongVerifier:
                try await present(mine, in: mine, CodeVerifier(random: .system).reveal())
            case .challengeForVerifier:
                try await present(mine, in: mine, verifier.challenge.text)
            case .verifierForUnbound: try await present(free, in: free, verifier.reveal())
            case .verifierWithoutNonce: try await present(nil, in: nil, verifier.reveal())
            }
        #expect(refused.refusal == "401 invalid_token")
        #expect(try await server.accounts().isEmpty)
        // Nothing of it is spent: the installation still signs in, once.
        server.clock.advance(by: 1)
        #expect(try await present(mine, in: mine, verifier.reveal()).status == 200)
        server.clock.advance(by: 1)
        #expect(try await present(mine, in: mine, verifier.reveal()).status == 401)
    }

    @Test(
        "PRV-G-14: a challenge that is none is refused, and plain does not exist",
        arguments: [
            [("code_challenge", "short")],
            [
                ("code_challenge", String(repeating: "A", count: 43)),
                ("code_challenge_method", "plain"),
            ],
        ]
    )
    func malformedChallenge(_ form: [(String, String)]) async throws {
        let reply = try await server.post("/v1/auth/google/native/nonce", form)
        #expect(reply.status == 400)
        #expect(reply.json.string("nonce") == nil)
    }

    @Test("PRV-N-2, PRV-A-14: a token that has no nonce counts once, whatever nonce comes with it")
    func tokenOnce() async throws {
        let token = try #require(
            try server.standIns.identityToken(
                of: .ann,
                at: .apple,
                audience: "com.example.notes",
                nonce: nil,
                changes: ["nonce_supported": false]
            )
        )
        for status in [200, 401] {
            let nonce = try await freshNonce()
            let reply = try await present(token, nonce: nonce)
            #expect(reply.status == status)
        }
    }

    @Test(
        "PRV-G-12, PRV-G-14: a token without a nonce of ours signs no one in",
        arguments: [nil, "n-0123456789"] as [String?]
    )
    func withoutNonce(_ inToken: String?) async throws {
        let token = try server.googleToken(nonce: inToken)
        for nonce in Set([nil, inToken]) {
            let reply = try await present(token, nonce: nonce, at: "google")
            #expect(reply.refusal == "401 invalid_token")
        }
        #expect(try await server.accounts().isEmpty)
    }

    @Test("PRV-N-1: an app without client IDs at a provider signs no one in with its tokens")
    func noAudiences() async throws {
        var app = BackendUnderTest.notes
        for list in [[], app.handOff.audiences.filter { $0.provider == "apple" }] {
            app.handOff.audiences = list
            let other = try await NativeTests(apps: [app])
            let (server, nonce) = (other.server, try await other.freshNonce(at: "google"))
            // Made for our own web client: its holder got it on the web.
            let token = try server.googleToken(for: nil, nonce: nonce)
            let reply = try await other.present(token, nonce: nonce, at: "google")
            #expect(reply.refusal == "400 invalid_app")
            let access = try #require(server.standIns.nativeAccessToken(of: .paul, at: .facebook))
            let facebook = try await server.post(
                "/v1/auth/facebook/native",
                [("app", "notes"), ("access_token", access)]
            )
            #expect(facebook.json.string("error") == "invalid_app")
            #expect(try await server.accounts().isEmpty)
        }
    }

    @Test("PRV-N-1, PRV-G-3: an app's audiences are its own; the web's client id is none")
    func webAudience() async throws {
        let nonce = try await freshNonce(at: "google")
        let token = try server.googleToken(for: nil, nonce: nonce)
        let reply = try await present(token, nonce: nonce, at: "google")
        #expect(reply.status == 401)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("PRV-N-1: JSON is as good as a form, no cookie is needed, and none is set")
    func json() async throws {
        let nonce = try await freshNonce(at: "google")
        let body: JSONObject = [
            "app": "notes", "id_token": .string(try server.googleToken(nonce: nonce)),
            "nonce": .string(nonce),
        ]
        let reply = try await server.send(
            .post,
            "/v1/auth/google/native",
            headers: [.contentType: "application/json"],
            body: body.serialized()
        )
        #expect(reply.status == 200)
        #expect(reply.json.string("session_token") != nil)
        #expect(reply.headers[values: .setCookie].isEmpty)
        for wrong in [#"{"app":"notes"}"#, #"{"app":"notes","id_token":7}"#, "[]", "{"] {
            let refused = try await server.send(
                .post,
                "/v1/auth/google/native",
                headers: [.contentType: "application/json"],
                body: Array(wrong.utf8)
            )
            #expect([400, 401].contains(refused.status), "\(wrong)")
        }
    }

    @Test(
        "PRV-N-3: an access token from Google or Apple proves no one",
        arguments: ["google", "apple"]
    )
    func accessToken(_ provider: String) async throws {
        let kind: StandInKind = provider == "google" ? .google : .apple
        let token = server.standIns.nativeAccessToken(of: .ann, at: kind) ?? "token"
        let reply = try await server.post(
            "/v1/auth/\(provider)/native",
            [("app", "notes"), ("access_token", token)]
        )
        #expect(reply.status == 401)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("PRV-N-2, PRV-F-4: Facebook's access token counts once, for as long as it is one")
    func facebookToken() async throws {
        let token = try #require(server.standIns.nativeAccessToken(of: .paul, at: .facebook))
        let fields = [("app", "notes"), ("access_token", token)]
        let first = try await server.post("/v1/auth/facebook/native", fields)
        #expect(first.status == 200)
        server.clock.advance(by: 3 * 86_400)
        try await server.database.accounts.purge(before: server.clock.seconds - 86_400)
        let again = try await server.post("/v1/auth/facebook/native", fields)
        #expect(again.status == 401)
        #expect(try await server.accounts().count == 1)
    }

    @Test("attack E24, PRV-G-13: two cookies of that name are none, however equal")
    func oneTapTwice() async throws {
        let reply = try await postOneTap(cookie: "g_csrf_token=t; g_csrf_token=t")
        #expect(reply.status == 400)
        #expect(try await server.accounts().isEmpty)
    }

    @Test(
        "attack E12, PRV-G-13: where One Tap leads is a place of ours",
        arguments: [("//evil.example", "/"), ("https://evil.example", "/"), ("/orders", "/orders")]
    )
    func oneTapPlace(_ asked: String, _ place: String) async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ben)
        #expect(try await postOneTap(.ben, state: asked).location == place)
    }
}

/// What our own client library sends, at the backend's door.
private struct LibraryTransport: HTTPTransport {
    let server: BackendUnderTest

    var client: BackendClient {
        BackendClient(
            backend: "https://app.example.com",
            app: "notes",
            storage: InMemory(),
            transport: self
        )
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let reply: Reply
        do {
            reply = try await server.send(
                request.method,
                request.path ?? "/",
                headers: request.headerFields,
                body: body
            )
        } catch {
            throw .unreachable
        }
        return HTTPReply(
            response: HTTPResponse(status: .init(code: reply.status), headerFields: reply.headers),
            body: reply.body
        )
    }
}

extension NativeTests {
    @Test("PRV-A-16, PRV-G-14: our client library signs in with Apple's token, and with Google's")
    func library() async throws {
        let client = LibraryTransport(server: server).client
        let attempt = try await client.beginNative(with: "apple")
        let token = try server.appleToken(attempt.hashedNonce)
        // The nonce is bound to the installation that asked: another one's attempt is of no use.
        let stranger = try await client.beginNative(with: "apple")
        let refused = await #expect(throws: SignInError.self) {
            _ = try await stranger.complete(idToken: token)
        }
        #expect(refused?.kind == .rejected(.identityTokenRefused))
        let session = try await attempt.complete(idToken: token)
        #expect(session.isNew && session.isActive)
        try await session.check()
        let google = try await client.beginNative(with: "google")
        let other = try server.googleToken(.ben, nonce: google.nonce)
        #expect(try await google.complete(idToken: other).user.id != session.user.id)
        let unknown = await #expect(throws: SignInError.self) {
            _ = try await client.beginNative(with: "facebook-2")
        }
        #expect(unknown?.kind == .misconfigured(.requestRefused))
    }

    @Test("decision 0030: our client library tells an app that the person has to go to the browser")
    func libraryIsAsked() async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let client = LibraryTransport(server: server).client
        let attempt = try await client.beginNative(with: "apple")
        let token = try server.appleToken(attempt.hashedNonce)
        let asked = await #expect(throws: SignInError.self) {
            _ = try await attempt.complete(idToken: token)
        }
        #expect(asked?.kind == .interactionRequired(.interactionRequired))
    }
}
