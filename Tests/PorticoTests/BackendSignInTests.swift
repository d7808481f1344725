import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("Signing in at a backend")
struct BackendSignInTests {
    private let scene = BackendScene()

    @Test(
        "RFC 7636 §4.3: the start address has app, redirect, state and challenge, and no secret",
        arguments: [
            ("google", "https://api.notes.example.com/v1/auth/google"),
            (nil, "https://api.notes.example.com/login"),
        ]
    )
    func start(provider: String?, path: String) async throws {
        let attempt = try scene.client.begin(with: provider)
        let address = attempt.address
        #expect(address.split(separator: "?").first.map(String.init) == path)
        #expect(try parameter("platform", of: address) == "mobile")
        #expect(try parameter("app", of: address) == "notes-ios")
        #expect(try parameter("redirect_uri", of: address) == FakeBackend.redirectURI)
        #expect(try parameter("code_challenge_method", of: address) == "S256")
        let challenge = try #require(try parameter("code_challenge", of: address))
        #expect(CodeChallenge(challenge) != nil)
        let state = try #require(try parameter("state", of: address))
        #expect(Base64URL.decode(state)?.count == 16)
        // Nothing was asked of anyone yet.
        #expect(scene.backend.requests.count == 0)
        let other = try scene.client.begin(with: provider).address
        #expect(try parameter("state", of: other) != state)
        #expect(try parameter("code_challenge", of: other) != challenge)
    }

    @Test("SEED-ADR-17, SEED-ADR-18: the code is redeemed once, with the verifier that stayed here")
    func redeem() async throws {
        let attempt = try scene.client.begin(with: "google")
        let session = try await attempt.complete(try scene.backend.authorize(attempt.address))
        #expect(session.isNew)
        #expect(session.isActive)
        #expect(session.user.id == "u-1")
        #expect(session.user.email == "ann@example.com")
        #expect(session.user.isEmailVerified)
        #expect(session.user.name == "Ann")
        #expect(session.user.picture == "https://pictures.example.com/ann")
        #expect(session.user.providers == ["google"])
        let request = try #require(scene.backend.requests("/v1/auth/token").first)
        #expect(request.method == "POST")
        #expect(
            Set(request.form.all.map(\.name)) == [
                "grant_type", "code", "code_verifier", "app", "redirect_uri",
            ]
        )
        let verifier = try #require(request.form["code_verifier"])
        // RFC 8252 §8.1: in memory only, and in no address.
        #expect(!attempt.address.contains(verifier))
        #expect(!request.address.contains(verifier))
        let stored = try #require(try await scene.storage.read())
        #expect(!String(decoding: stored, as: UTF8.self).contains(verifier))
        #expect(scene.backend.requests.count == 1)
        #expect(try await session.token() == "S2")
    }

    @Test("attack E16, RFC 8252 §8.9: an address that is no answer to this sign-in changes nothing")
    func ignored() async throws {
        let attempt = try scene.client.begin()
        let callback = try scene.backend.authorize(attempt.address)
        let state = try #require(try parameter("state", of: attempt.address))
        for (address, check) in [
            ("\(FakeBackend.redirectURI)?code=evil&state=guess", SignInError.Check.state),
            ("\(FakeBackend.redirectURI)?code=evil", .state),
            ("\(FakeBackend.redirectURI)?error=access_denied", .state),
            ("\(FakeBackend.redirectURI)/?code=evil&state=\(state)", .redirect),
            ("https://notes.example.com/Signed-In?code=evil&state=\(state)", .redirect),
            ("https://notes.example.com:444/signed-in?code=evil&state=\(state)", .redirect),
            ("\(FakeBackend.redirectURI)#code=evil&state=\(state)", .redirect),
        ] {
            let failed = await thrown { try await attempt.complete(address) }
            #expect(failed == .rejected(check), "\(address)")
        }
        #expect(scene.backend.requests.count == 0)
        _ = try await attempt.complete(callback)
    }

    @Test(
        "PRV-F-13: a fragment, which a browser hands on with an address, is cut off",
        arguments: ["#", "#_=_"]
    )
    func fragment(_ fragment: String) async throws {
        let attempt = try scene.client.begin()
        let callback = try scene.backend.authorize(attempt.address)
        _ = try await attempt.complete(callback + fragment)
        #expect(scene.backend.requests("/v1/auth/token").count == 1)
    }

    @Test("attack E16, RFC 8252 §8.9: the answer is taken once, right or wrong")
    func once() async throws {
        let attempt = try scene.client.begin()
        let callback = try scene.backend.authorize(attempt.address)
        _ = try await attempt.complete(callback)
        #expect(await thrown { try await attempt.complete(callback) } == .rejected(.alreadyUsed))
        #expect(scene.backend.requests("/v1/auth/token").count == 1)

        let second = try scene.client.begin()
        let state = try #require(try parameter("state", of: second.address))
        let wrong = "\(FakeBackend.redirectURI)?code=evil&state=\(state)"
        #expect(await thrown { try await second.complete(wrong) } == .rejected(.codeRefused))
        #expect(await thrown { try await second.complete(wrong) } == .rejected(.alreadyUsed))
    }

    @Test("attack C01: the code of another attempt is refused: it has another verifier")
    func otherCode() async throws {
        let theirs = try scene.client.begin()
        let code = try #require(try parameter("code", of: scene.backend.authorize(theirs.address)))
        let ours = try scene.client.begin()
        let state = try #require(try parameter("state", of: ours.address))
        let callback = "\(FakeBackend.redirectURI)?code=\(code)&state=\(state)"
        #expect(await thrown { try await ours.complete(callback) } == .rejected(.codeRefused))
        #expect(try await scene.storage.read() == nil)
    }

    @Test(
        "Decision 0028: what an error in the redirect means",
        arguments: [
            ("access_denied", .denied),
            ("authentication_failed", .transient(.serverError, retryAfter: nil)),
            ("internal_error", .transient(.serverError, retryAfter: nil)),
            ("invalid_state", .cancelled(.timedOut)),
            ("email_unverified", .interactionRequired(.interactionRequired)),
            ("link_required", .interactionRequired(.interactionRequired)),
            ("rate_limited", .transient(.tooManyRequests, retryAfter: nil)),
            ("invalid_provider", .misconfigured(.requestRefused)),
            ("SECRET", .rejected(.errorResponse)),
        ] as [(String, SignInError.Kind)]
    )
    func errors(code: String, kind: SignInError.Kind) async throws {
        let attempt = try scene.client.begin()
        let state = try #require(try parameter("state", of: attempt.address))
        let callback =
            "\(FakeBackend.redirectURI)?error=\(code)&error_description=SECRET&state=\(state)"
        let error = await #expect(throws: SignInError.self) {
            try await attempt.complete(callback)
        }
        #expect(error?.kind == kind)
        #expect(error?.description.contains("SECRET") == false)
        #expect(scene.backend.requests.count == 0)
    }

    @Test(
        "attack E07, attack E19: an answer that is not one is refused, and nothing is kept",
        arguments: [
            (.text(302, nil, [], [.location: "https://evil.example"]), .rejected(.redirected)),
            (.text(200, "text/html", Array("<html>".utf8)), .rejected(.tokenResponse)),
            (.text(200, "application/json", Array("{}".utf8)), .rejected(.tokenResponse)),
            (
                .text(200, "application/json", Array(repeating: 0x20, count: 1 << 20)),
                .rejected(.tokenResponse)
            ),
            (.json(["error": "invalid_grant"]), .rejected(.tokenResponse)),
            (.refusal(400, "invalid_grant"), .rejected(.codeRefused)),
            (.refusal(403, "access_denied"), .denied),
            (.refusal(500, "internal_error"), .transient(.serverError, retryAfter: nil)),
            (
                .text(429, nil, [], [.retryAfter: "7"]),
                .transient(.tooManyRequests, retryAfter: .seconds(7))
            ),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func answers(reply: HTTPReply, kind: SignInError.Kind) async throws {
        scene.backend.answer("/v1/auth/token") { _ in reply }
        #expect(await thrown { try await scene.signIn() } == kind)
        #expect(try await scene.storage.read() == nil)
        #expect(scene.backend.requests.count == 1)
    }

    @Test(
        "attack E19: a member that is missing or of another type is refused",
        arguments: [
            ("session_token", nil, .tokenResponse), ("session_token", "a b", .tokenResponse),
            ("session_token", 7, .tokenResponse), ("token_type", nil, .tokenResponse),
            ("token_type", "mac", .tokenType), ("token_type", "Cookie", .tokenType),
            ("refresh_token", nil, .tokenResponse), ("refresh_token", true, .tokenResponse),
            ("user", nil, .tokenResponse), ("user", [:], .tokenResponse),
            ("user", ["id": ""], .tokenResponse), ("user", ["id": 7], .tokenResponse),
            ("user", ["id": "u", "name": 7], .tokenResponse),
            ("user", ["id": "u", "email_verified": "true"], .tokenResponse),
            ("user", ["id": "u", "providers": [1]], .tokenResponse),
        ] as [(String, JSONValue?, SignInError.Check)]
    )
    func members(name: String, value: JSONValue?, check: SignInError.Check) async throws {
        scene.backend.change { $0.tokens = { $0.with(name, value) } }
        #expect(await thrown { try await scene.signIn() } == .rejected(check))
        #expect(try await scene.storage.read() == nil)
    }

    @Test("No OAuth token reaches the app, whatever an answer holds beside the session")
    func noOAuthToken() async throws {
        scene.backend.change {
            $0.tokens = { $0.with("access_token", "OAUTH-A").with("id_token", "OAUTH-I") }
        }
        let session = try await scene.signIn()
        let stored = try #require(try await scene.storage.read())
        #expect(!String(decoding: stored, as: UTF8.self).contains("OAUTH"))
        #expect(try await session.token().hasPrefix("S"))
    }

    @Test(
        "A backend that is no https address is told before anything is sent",
        arguments: [
            "http://api.example.com", "api.example.com", "https://api.example.com?x=1",
            "https://ann@api.example.com", "", "http://127.0.0.1:8080", "http://localhost:8080",
        ]
    )
    func wrongBackend(address: String) async throws {
        let scene = BackendScene(address: address)
        #expect(await thrown { try await scene.signIn() } == .misconfigured(.backendInvalid))
        #expect(await scene.client.restore().isSignedOut)
    }

    @Test("http on a loopback literal by name; a path is kept, a slash at the end is not")
    func otherBackends() throws {
        let development = BackendScene(
            address: "http://127.0.0.1:8080/bff/",
            options: .allowInsecureLoopback
        )
        let address = try development.client.begin(with: "google").address
        #expect(address.hasPrefix("http://127.0.0.1:8080/bff/v1/auth/google?"))
    }

    @Test(
        "A provider's name cannot be a path or a query",
        arguments: ["", "..", "google/../x", "google?x=1", "google%2f", "gö", "a b"]
    )
    func wrongProvider(name: String) {
        #expect(throws: SignInError(.misconfigured(.providerNameInvalid))) {
            try scene.client.begin(with: name)
        }
    }

    @Test(
        "RFC 8252 §7.1, §8.3: a redirect that is none for an app is refused",
        arguments: [
            .https("http://app.example.com/cb"), .scheme("notes:/cb"), .loopback(),
            .https("http://localhost/cb"), .scheme("com.example.notes://cb"),
        ] as [Redirect]
    )
    func wrongRedirect(redirect: Redirect) {
        let client = BackendScene(redirect: redirect).client
        #expect(throws: SignInError.self) { try client.begin() }
    }

    @Test("RFC 8252 §4.1, §7.3: over the loopback interface, one browser and one answer")
    func loopback() async throws {
        let scene = BackendScene(redirect: .loopback(path: "/callback"))
        let backend = scene.backend
        let (pages, shown) = AsyncStream<RawExchange?>.makeStream()
        let browser = FakeBrowser { address in
            let redirectURI = try parameter("redirect_uri", of: address) ?? ""
            let guess = await browse("\(redirectURI)?code=evil&state=guess")
            #expect(guess?.status == 400)
            let callback = try backend.authorize(address)
            Task { shown.yield(await browse(callback)) }
        }
        let session = try await scene.client.signIn(with: "google", using: .loopback(open: browser))
        #expect(session.user.id == "u-1")
        #expect(browser.addresses.count == 1)
        #expect(backend.requests("/v1/auth/token").count == 1)
        let page = await pages.first { _ in true } ?? nil
        #expect(page?.body.contains("<h1>Signed in as Ann</h1>") == true)
    }
}
