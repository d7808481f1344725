import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("A sign-in")
struct SignInTests {
    private let scene = Scene()

    @Test("RFC 6749 §4.1, RFC 7636 §4.3: what the authorization request says")
    func authorizationRequest() async throws {
        let scene = Scene(scopes: [.profile, .offlineAccess])
        let request = SignInRequest(
            loginHint: "ann@example.com & more",
            prompt: [.login, .consent],
            maxAge: .seconds(600),
            acr: [.phishingResistant],
            uiLocales: ["de", "en"]
        )
        let attempt = try await scene.client.begin(request)
        #expect(
            attempt.address.hasPrefix("https://op.example.com/auth?tenant=a&response_type=code&")
        )
        let expected = [
            "response_type": "code", "client_id": "app", "redirect_uri": Scene.redirectURI,
            "scope": "openid profile offline_access", "code_challenge_method": "S256",
            "login_hint": "ann@example.com & more", "prompt": "login consent", "max_age": "600",
            "acr_values": "phr", "ui_locales": "de en", "tenant": "a",
            "claims": #"{"id_token":{"acr":{"essential":true,"values":["phr"]}}}"#,
        ]
        for (name, value) in expected {
            #expect(try parameter(name, of: attempt.address) == value)
        }
        let challenge = try parameter("code_challenge", of: attempt.address)
        #expect(challenge.flatMap(CodeChallenge.init) != nil)
        let query = try #require(attempt.address.split(separator: "?").last)
        try FormParameters(decoding: query.utf8).refuseRepeats()
    }

    @Test("RFC 8252 §8.9, RFC 7636 §4.1: state, nonce and challenge are new for each attempt")
    func fresh() async throws {
        for name in ["state", "nonce", "code_challenge"] {
            var seen: Set<String> = []
            for _ in 0..<50 {
                let address = try await scene.client.begin().address
                let value = try #require(try parameter(name, of: address))
                // 128 bits as base64url.
                #expect(value.utf8.count >= 22)
                seen.insert(value)
            }
            #expect(seen.count == 50)
        }
    }

    @Test("RFC 6749 §4.1.3, RFC 7636 §4.5: one token request, by POST, with everything it needs")
    func tokenRequest() async throws {
        let session = try await scene.signIn()
        #expect(session.user.id == User.ID(issuer: FakeProvider.issuer, subject: "alice"))
        #expect(session.user.name == "Alice")
        #expect(session.roles.contains("reader"))
        #expect(session.scope.tokens == ["openid", "profile", "email"])
        #expect(try await session.token() == "A2")
        let requests = scene.provider.requests("/token")
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.method == "POST")
        #expect(request.address == "https://op.example.com/token")
        #expect(request.fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.fields[.authorization] == nil)
        #expect(request.form["grant_type"] == "authorization_code")
        #expect(request.form["client_id"] == "app")
        #expect(request.form["redirect_uri"] == Scene.redirectURI)
        #expect(request.form["client_secret"] == nil)
        #expect(request.form["code_verifier"]?.utf8.count == 43)
        // Redeemed and verified, nothing else: no UserInfo that was not requested.
        #expect(scene.provider.requests("/userinfo").isEmpty)
        #expect(try await scene.storedRecord?.accessToken.reveal() == "A2")
    }

    @Test("RFC 8252 §8.9: a response is good once")
    func once() async throws {
        let attempt = try await scene.client.begin()
        let callback = try scene.provider.authorize(attempt.address)
        _ = try await attempt.complete(callback)
        for again in [callback, try scene.provider.authorize(attempt.address)] {
            await #expect(throws: SignInError(.rejected(.alreadyUsed))) {
                try await attempt.complete(again)
            }
        }
        await #expect(throws: SignInError(.rejected(.alreadyUsed))) { try await attempt.finish() }
        #expect(scene.provider.requests("/token").count == 1)
    }

    @Test("RFC 8252 §8.9: of two deliveries at once one is taken")
    func race() async throws {
        for _ in 0..<20 {
            let scene = Scene()
            let attempt = try await scene.client.begin()
            let callback = try scene.provider.authorize(attempt.address)
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        // `try?`: how many succeed is the question.
                        (try? await attempt.complete(callback)) != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 1)
            #expect(scene.provider.requests("/token").count == 1)
        }
    }

    @Test("A response that is not ours leaves the attempt waiting, and nothing is sent")
    func ignored() async throws {
        let attempt = try await scene.client.begin()
        let callback = try scene.provider.authorize(attempt.address)
        for (foreign, check) in [
            (callback.replacing("state=", with: "state=x"), .state),
            (callback.replacing("/cb", with: "/CB"), .redirect),
            ("\(Scene.redirectURI)?error=access_denied", .state),
            (
                callback.replacing("code=", with: "error=access_denied&x=")
                    .replacing("op.example", with: "evil.example"), .issuer
            ),
        ] as [(String, SignInError.Check)] {
            await #expect(throws: SignInError(.rejected(check))) {
                try await attempt.complete(foreign)
            }
        }
        #expect(scene.provider.requests("/token").isEmpty)
        _ = try await attempt.complete(callback)
    }

    @Test("RFC 9207 §2.4, RFC 9700 §4.4.2: a code from another issuer ends it, and is sent nowhere")
    func mixUp() async throws {
        for change in [
            { $0.replacing("op.example", with: "evil.example") },
            { $0.replacing("&iss=", with: "&x=") },
        ] as [(String) -> String] {
            let attempt = try await scene.client.begin()
            let callback = try scene.provider.authorize(attempt.address)
            await #expect(throws: SignInError(.rejected(.issuer))) {
                try await attempt.complete(change(callback))
            }
            await #expect(throws: SignInError(.rejected(.alreadyUsed))) {
                try await attempt.complete(callback)
            }
        }
        #expect(scene.provider.requests("/token").isEmpty)
    }

    @Test(
        "RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6: what an error of the provider means",
        arguments: [
            ("access_denied", .denied),
            ("login_required", .interactionRequired(.loginRequired)),
            ("consent_required", .interactionRequired(.consentRequired)),
            ("interaction_required", .interactionRequired(.interactionRequired)),
            ("account_selection_required", .interactionRequired(.accountSelectionRequired)),
            ("temporarily_unavailable", .transient(.serverError, retryAfter: nil)),
            ("server_error", .transient(.serverError, retryAfter: nil)),
            ("invalid_scope", .misconfigured(.scopeRefused)),
            ("unauthorized_client", .misconfigured(.clientRefused)),
            ("invalid_request", .misconfigured(.requestRefused)),
            ("unmet_authentication_requirements", .rejected(.acr)),
            ("something_else", .rejected(.errorResponse)),
        ] as [(String, SignInError.Kind)]
    )
    func errors(code: String, kind: SignInError.Kind) async throws {
        let attempt = try await scene.client.begin()
        let callback = try scene.provider.authorize(attempt.address)
            .replacing("code=", with: "error=\(code)&x=")
        await #expect(throws: SignInError(kind)) { try await attempt.complete(callback) }
        #expect(scene.provider.requests("/token").isEmpty)
        #expect(try await scene.storage.read() == nil)
    }

    @Test("RFC 6749 §4.1.2.1, §5.2: the provider's words reach the app, and nothing that prints")
    func providerError() async throws {
        let attempt = try await scene.client.begin()
        let callback = try scene.provider.authorize(attempt.address)
            .replacing("code=", with: "error=access_denied&error_description=SECRET+words&x=")
        let denied = try #require(
            await #expect(throws: SignInError.self) { try await attempt.complete(callback) }
        )
        scene.provider.answer("/token") { _ in .error(400, "invalid_client") }
        let second = try await scene.client.begin()
        let code = try scene.provider.authorize(second.address)
        let refused = try #require(
            await #expect(throws: SignInError.self) { try await second.complete(code) }
        )
        #expect(denied.providerError?.code == "access_denied")
        #expect(denied.providerError?.description == "SECRET words")
        #expect(refused.providerError?.code == "invalid_client")
        #expect(refused.providerError?.description == "SECRET words")
        for error in [denied, refused] {
            #expect(error == SignInError(error.kind))
            #expect(error.hashValue == SignInError(error.kind).hashValue)
            #expect(error.errorDescription == error.description)
            var dumped = ""
            dump(error, to: &dumped)
            dump(error.providerError, to: &dumped)
            let words = ["\(error)", "\(error.providerError as Any)", dumped]
            for text in words + [String(reflecting: error), error.localizedDescription] {
                #expect(!text.contains("SECRET"), "\(text)")
            }
        }
    }

    @Test("RFC 7636 §5: an error is told, and no second request goes without a challenge")
    func noDowngrade() async throws {
        scene.provider.answer("/token") { _ in .error(400, "invalid_request") }
        #expect(await scene.failure() == .misconfigured(.requestRefused))
        #expect(scene.provider.requests("/token").count == 1)
        #expect(scene.provider.requests("/token").first?.form["code_verifier"] != nil)
    }

    @Test("A scope with a character that none may have is refused before anything is sent")
    func scope() async {
        let scene = Scene(scopes: ["open\"id"])
        #expect(await scene.failure() == .misconfigured(.scopeInvalid))
        #expect(scene.provider.requests("/.well-known/openid-configuration").isEmpty)
    }

    @Test(
        "RFC 8252 §7.1, §8.3: redirects that a native app must not use are refused",
        arguments: [
            (.scheme("myapp:/cb"), .redirectInvalid),
            (.scheme("exp://1.2.3.4:8081"), .redirectInvalid),
            (.scheme("com.example.app://cb"), .redirectInvalid),
            (.https("http://app.example.com/cb"), .redirectInvalid),
            (.https("http://localhost:1234/cb"), .redirectLocalhost),
            (.https("https://app.example.com/cb#x"), .redirectInvalid),
            (.https("https://"), .redirectInvalid), (.https("https:///cb"), .redirectInvalid),
            (.loopback(path: "cb"), .redirectInvalid), (.loopback(path: "/cb?x"), .redirectInvalid),
            (.loopback(path: "/c b"), .redirectInvalid),
            (.loopback(path: "/cb#x"), .redirectInvalid),
        ] as [(Redirect, SignInError.Hint)]
    )
    func redirects(redirect: Redirect, hint: SignInError.Hint) async {
        #expect(throws: SignInError(.misconfigured(hint))) { try redirect.check() }
        let scene = Scene(redirect: redirect)
        await #expect(throws: SignInError(.misconfigured(hint))) { try await scene.client.begin() }
        await #expect(throws: SignInError(.misconfigured(hint))) { try await scene.client.signIn() }
    }

    @Test("RFC 8252 §7: redirects that a native app may use")
    func goodRedirects() throws {
        try Redirect.loopback().check()
        try Redirect.loopback(path: "/auth/one", port: 8400).check()
        try Redirect.https("https://app.example.com/cb?tenant=a").check()
        try Redirect.https("https://app.example.com").check()
        try Redirect.scheme("com.example.app:/cb").check()
    }

    @Test("A loopback redirect needs the receiver, and the receiver a loopback redirect")
    func method() async {
        await #expect(throws: SignInError(.misconfigured(.redirectInvalid))) {
            try await Scene(redirect: .loopback()).client.begin()
        }
        await #expect(throws: SignInError(.misconfigured(.redirectNotLoopback))) {
            try await Scene().client.signIn()
        }
    }

    @Test("The session is stored before anyone has it; what cannot be stored is no session")
    func storage() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        storage.failsWriting = true
        #expect(await scene.failure() == .storage(.unwritable))
        #expect(try await storage.read() == nil)
    }
}

@Suite("Requests that an app sends by other means")
struct ReauthorizeTests {
    private func scene(dpop: Bool = false) async throws -> (Scene, Session) {
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        options.dpop = dpop
        let scene = Scene(options: options)
        if dpop {
            scene.provider.change {
                $0.tokens = { usual in
                    var all = usual
                    all["token_type"] = "DPoP"
                    return all
                }
            }
        }
        return (scene, try await scene.signIn())
    }

    private func request(_ authority: String = "api.example.com", _ path: String = "/notes")
        -> HTTPRequest
    {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
    }

    private static let refused = HTTPResponse(
        status: .unauthorized,
        headerFields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]
    )

    @Test("RFC 9700 §4.10: a request that has become one to another origin gets no second token")
    func otherOrigin() async throws {
        let (scene, session) = try await scene()
        var sent = request()
        try await session.http.authorize(&sent)
        for (authority, path, hint) in [
            ("evil.example", "/notes", .originNotAllowed),
            ("api.example.com:8443", "/notes", .originNotAllowed),
            ("api.example.com", "/notes?access_token=x", .tokenInQuery),
        ] as [(String, String, SignInError.Hint)] {
            var other = request(authority, path)
            other.headerFields[.authorization] = sent.headerFields[.authorization]
            let before = other
            await #expect(throws: SignInError(.misconfigured(hint))) {
                try await session.http.reauthorize(&other, after: Self.refused)
            }
            #expect(other == before)
        }
        #expect(scene.provider.generation == 0)
    }

    @Test("RFC 6750 §3.1: a refused token is replaced once, and what is no refusal changes nothing")
    func replaced() async throws {
        let (scene, session) = try await scene()
        var sent = request()
        try await session.http.authorize(&sent)
        for response in [
            HTTPResponse(status: .ok), HTTPResponse(status: .unauthorized),
            HTTPResponse(status: .forbidden, headerFields: [.wwwAuthenticate: "Basic"]),
        ] {
            let before = sent
            #expect(try await !session.http.reauthorize(&sent, after: response))
            #expect(sent == before)
        }
        #expect(try await session.http.reauthorize(&sent, after: Self.refused))
        #expect(sent.headerFields[values: .authorization] == ["Bearer A3"])
        #expect(scene.provider.generation == 1)
        // The first one, refused again by an API that answers late: the new one is there already.
        var late = request()
        late.headerFields[.authorization] = "Bearer A2"
        #expect(try await session.http.reauthorize(&late, after: Self.refused))
        #expect(late.headerFields[.authorization] == "Bearer A3")
        #expect(scene.provider.generation == 1)
    }

    @Test("What the app put into the field itself is its own")
    func foreignField() async throws {
        let (scene, session) = try await scene()
        for field in [nil, "Basic YTpi", "bearer A2", "DPoP A2", "A2"] as [String?] {
            var sent = request()
            sent.headerFields[.authorization] = field
            #expect(try await !session.http.reauthorize(&sent, after: Self.refused))
            #expect(sent.headerFields[.authorization] == field)
        }
        #expect(scene.provider.generation == 0)
    }

    @Test("RFC 9449 §7.1: a bound token goes with a proof for each request, never as Bearer")
    func bound() async throws {
        let (_, session) = try await scene(dpop: true)
        var one = request()
        one.headerFields[.authorization] = "Basic YTpi"
        one.headerFields[.dpop] = "own"
        try await session.http.authorize(&one)
        #expect(one.headerFields[values: .authorization] == ["DPoP A2"])
        let proof = try #require(one.headerFields[values: .dpop].first)
        #expect(one.headerFields[values: .dpop].count == 1 && proof != "own")
        let claims = try JWT(parsing: proof).uncheckedClaims()
        #expect(claims.string("htu") == "https://api.example.com/notes")
        #expect(claims.string("htm") == "GET" && claims.string("ath") != nil)
        // A Bearer in the same field is not this session's.
        var other = request()
        other.headerFields[.authorization] = "Bearer A2"
        #expect(try await !session.http.reauthorize(&other, after: Self.refused))
    }

    @Test(
        "Plain http is for this machine, and only where the app says so",
        arguments: [true, false]
    )
    func insecureLoopback(isAllowed: Bool) async throws {
        var options = SignInClient.Options()
        options.allowInsecureLoopback = isAllowed
        options.apiOrigins = ["http://127.0.0.1:8080", "http://api.example.com"]
        let session = try await Scene(options: options).signIn()
        var here = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:8080",
            path: "/notes"
        )
        let failed = await kind { try await session.http.authorize(&here) }
        #expect(failed == (isAllowed ? nil : .misconfigured(.originNotAllowed)))
        var there = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "api.example.com",
            path: "/notes"
        )
        #expect(
            await kind { try await session.http.authorize(&there) }
                == .misconfigured(.originNotAllowed)
        )
        #expect(there.headerFields[.authorization] == nil)
    }

    private func kind(_ action: () async throws -> Void) async -> SignInError.Kind? {
        do {
            try await action()
            return nil
        } catch {
            return (error as? SignInError)?.kind
        }
    }
}
