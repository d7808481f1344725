import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

private let openID = "/.well-known/openid-configuration"
private let oauth = "/.well-known/oauth-authorization-server"

@Suite("Discovery")
struct DiscoveryTests {
    private let scene = Scene()

    private func failure(_ scene: Scene) async -> SignInError.Kind? {
        await thrown { try await scene.client.provider() }
    }

    @Test("OpenID Connect Discovery §4: the metadata is fetched by GET, once for all callers")
    func singleFlight() async throws {
        let gate = Gate()
        scene.provider.answer(openID) { _ in
            await gate.pass()
            return nil
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask { try await scene.client.provider().tokenEndpoint }
            }
            await gate.arrival()
            gate.open()
            for try await endpoint in group { #expect(endpoint == "https://op.example.com/token") }
        }
        #expect(scene.provider.requests(openID).count == 1)
        #expect(scene.provider.requests(openID).first?.method == "GET")
        _ = try await scene.client.provider()
        #expect(scene.provider.requests(openID).count == 1)
        #expect(scene.provider.requests(oauth).isEmpty)
    }

    @Test("A caller that is cancelled leaves, and the others get their answer")
    func cancelledCaller() async throws {
        let gate = Gate()
        scene.provider.answer(openID) { _ in
            await gate.pass()
            return nil
        }
        let client = scene.client
        let leaving = Task.failure { _ = try await client.provider() }
        await gate.arrival()
        let staying = Task.failure { _ = try await client.provider() }
        leaving.cancel()
        #expect(await leaving.value == .cancelled(.program))
        gate.open()
        #expect(await staying.value == nil)
        #expect(scene.provider.requests(openID).count == 1)
    }

    @Test("Nothing is fetched before it is needed")
    func lazy() async {
        #expect(await scene.client.restore().isSignedOut)
        #expect(scene.provider.requests(openID).isEmpty)
    }

    @Test("OIDCD-X-2: metadata lives for an hour, and for a day where the provider is away")
    func life() async throws {
        _ = try await scene.client.provider()
        scene.clock.advance(by: 3599)
        _ = try await scene.client.provider()
        #expect(scene.provider.requests(openID).count == 1)
        scene.clock.advance(by: 1)
        scene.provider.answer(openID) { _ throws(HTTPTransportError) in throw .unreachable }
        _ = try await scene.client.provider()
        #expect(scene.provider.requests(openID).count == 2)
        scene.clock.advance(by: 24 * 3600)
        #expect(await failure(scene) == .transient(.unreachable, retryAfter: nil))
        scene.provider.answerAsUsual(openID)
        #expect(await failure(scene) == nil)
    }

    @Test("RFC 8414 §3.1: where OpenID's address has nothing, OAuth's is asked")
    func fallback() async throws {
        scene.provider.answer(openID) { _ in .text(404, "text/html", []) }
        scene.provider.answer(oauth) { _ in .json(FakeProvider.metadata) }
        #expect(try await scene.client.provider().issuer == FakeProvider.issuer)
        scene.provider.answer(oauth) { _ in .text(404, nil, []) }
        let other = Scene()
        other.provider.answer(openID) { _ in .text(404, nil, []) }
        #expect(await failure(other) == .misconfigured(.discoveryNotFound))
        #expect(other.provider.requests(oauth).count == 1)
    }

    @Test(
        "A document that is there and wrong is not made good by another",
        arguments: [
            (.text(200, "text/html", Array("<html>".utf8)), .rejected(.metadata)),
            (.text(200, "application/json", Array("null".utf8)), .rejected(.metadata)),
            (.text(200, "application/json", Array("[]".utf8)), .rejected(.metadata)),
            (.json(["issuer": "https://evil.example"]), .rejected(.metadataIssuer)),
            (.json(["issuer": "https://op.example.com"]), .misconfigured(.metadataInvalid)),
            (.text(302, nil, [], [.location: "https://op.example.com/x"]), .rejected(.redirected)),
            (.text(500, nil, []), .transient(.serverError, retryAfter: nil)),
            (
                .text(200, "application/json", [UInt8](repeating: 0x20, count: 65 * 1024)),
                .rejected(.metadata)
            ),
            (
                .json([
                    "code_challenge_methods_supported": [
                        .string("S" + String(repeating: "\u{301}\u{316}", count: 10_000))
                    ]
                ]),
                .rejected(.metadata)
            ),
            // A field as long is as good as none.
            (
                .text(
                    200,
                    "application/json; x=" + String(repeating: "\u{301}\u{316}", count: 10_000),
                    FakeProvider.metadata.serialized()
                ),
                .rejected(.metadata)
            ),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func wrong(reply: HTTPReply, kind: SignInError.Kind) async {
        scene.provider.answer(openID) { _ in reply }
        scene.provider.answer(oauth) { _ in .json(FakeProvider.metadata) }
        #expect(await failure(scene) == kind)
        #expect(scene.provider.requests(oauth).isEmpty)
    }

    @Test("attack D25: http endpoints and another issuer's document are refused")
    func insecure() async {
        for name in ["token_endpoint", "jwks_uri", "authorization_endpoint"] {
            let scene = Scene()
            scene.provider.change { $0.metadata[name] = "http://op.example.com/x" }
            #expect(await failure(scene) == .misconfigured(.endpointInsecure))
        }
        // Evil serves the honest provider's document as its own.
        let scene = Scene(issuer: "https://evil.example")
        #expect(await failure(scene) == .rejected(.metadataIssuer))
    }

    @Test("Decision 0032: without S256 in the metadata it fails, unless that is accepted by name")
    func pkce() async throws {
        for value in [nil, [], ["plain"]] as [JSONValue?] {
            let scene = Scene()
            scene.provider.change { $0.metadata["code_challenge_methods_supported"] = value }
            #expect(await failure(scene) == .misconfigured(.pkceNotAnnounced))
            var options = SignInClient.Options()
            options.pkceUnannounced = true
            let relaxed = Scene(options: options)
            relaxed.provider.change { $0.metadata["code_challenge_methods_supported"] = value }
            let session = try await relaxed.signIn()
            #expect(session.isActive)
            let verifier = relaxed.provider.requests("/token").first?.form["code_verifier"]
            #expect(verifier?.utf8.count == 43)
        }
    }

    @Test("RFC 8414 §2, OpenID Connect Discovery §3: what a provider may leave out, all of it")
    func announcesNothing() async throws {
        // PKCE is the one thing that is asked for by name; for the others the standards have defaults.
        var options = SignInClient.Options()
        options.pkceUnannounced = true
        let required = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]
        let kept = required + ["id_token_signing_alg_values_supported"]
        for (members, isWhole) in [(kept, true), (required, false)] {
            let scene = Scene(options: options)
            scene.provider.change { state in
                for member in FakeProvider.metadata where !members.contains(member.name) {
                    state.metadata[member.name] = nil
                }
            }
            guard isWhole else {
                // §3.1.3.7: RS256 where nothing is said, which this provider does not sign with.
                await #expect(throws: SignInError(.rejected(.algorithm))) {
                    try await scene.signIn()
                }
                continue
            }
            let session = try await scene.signIn()
            #expect(session.isActive)
            let request = try #require(scene.provider.requests("/token").first)
            #expect(request.form["code_verifier"]?.utf8.count == 43)
            // A public client's own name, and no secret (RFC 6749 §3.2.1).
            #expect(request.form["client_id"] == scene.client.clientID)
            #expect(request.fields[.authorization] == nil)
            #expect(request.form["client_secret"] == nil)
            #expect(try await session.token(validFor: .seconds(1)).isEmpty == false)
            let report = await session.signOut(.everything)
            #expect(report.localCleared)
        }
    }

    @Test("A provider without the code flow is told as such")
    func codeFlow() async {
        scene.provider.change { $0.metadata["response_types_supported"] = ["id_token"] }
        #expect(await failure(scene) == .misconfigured(.codeFlowNotSupported))
    }

    @Test(
        "Decision 0036: issuers that are refused before anything is sent",
        arguments: [
            ("http://op.example.com", .issuerInsecure), ("http://127.0.0.1:8080", .issuerInsecure),
            ("https://op.example.com?x", .issuerInvalid), ("op.example.com", .issuerInvalid),
            ("https://op.example.com/{tenant}", .issuerInvalid), ("", .issuerInvalid),
        ] as [(String, SignInError.Hint)]
    )
    func issuers(issuer: String, hint: SignInError.Hint) async {
        let scene = Scene(issuer: issuer)
        #expect(await failure(scene) == .misconfigured(hint))
        #expect(scene.provider.requests(openID).isEmpty)
    }

    @Test("Decision 0036: allowInsecureLoopback is for this machine only")
    func loopbackIssuers() async {
        for issuer in ["http://op.example.com", "http://localhost.evil.example:8080"] {
            let scene = Scene(issuer: issuer, options: .allowInsecureLoopback)
            #expect(await failure(scene) == .misconfigured(.issuerInsecure))
        }
        let scene = Scene(issuer: "http://127.0.0.1:8080", options: .allowInsecureLoopback)
        #expect(await failure(scene) == .rejected(.metadataIssuer))
    }
}

@Suite("Members that a provider writes in its own way")
struct ForeignMemberTests {
    private func scene(
        tokens: JSONObject = [:],
        claims: JSONObject = [:],
        metadata: JSONObject = [:]
    ) -> Scene {
        let scene = Scene()
        change(scene, tokens, claims, metadata)
        return scene
    }

    private func change(
        _ scene: Scene,
        _ tokens: JSONObject,
        _ claims: JSONObject,
        _ metadata: JSONObject = [:]
    ) {
        scene.provider.change { state in
            for (name, value) in metadata { state.metadata[name] = value }
            state.tokens = { $0.merging(tokens) }
            state.claims = { $0.merging(claims) }
        }
    }

    private static let oddClaims: [JSONObject] = [
        ["acr": ["values": ["urn:x"]]], ["acr": .null], ["azp": .null], ["auth_time": .null],
        ["auth_time": "1700000000"], ["at_hash": .null], ["nbf": .null], ["name": 7],
        ["email_verified": "yes"], ["amr": .null],
    ]

    private static let oddTokens: [JSONObject] = [
        ["error": .null], ["error": ""], ["device_secret": ""], ["expires_in": "soon"],
        ["expires_in": .null], ["scope": ["openid"]], ["token_type": "bEaReR"],
        ["refresh_token": "R 1"],
    ]

    @Test(
        "BR87: a sign-in and a refresh go on with claims that no rule needs",
        arguments: oddClaims
    )
    func signsInWithClaims(changes: JSONObject) async throws {
        let scene = scene(claims: changes)
        let session = try await scene.signIn()
        scene.clock.advance(by: 290)
        change(scene, [:], changes.merging(["iat": 1_700_000_290, "exp": 1_700_000_900]))
        _ = try await session.token()
        #expect(scene.provider.generation == 1 && session.isActive)
    }

    @Test(
        "BR77: a sign-in and a refresh go on with members that no rule needs",
        arguments: oddTokens
    )
    func signsInWithTokens(changes: JSONObject) async throws {
        let scene = scene(tokens: changes)
        let session = try await scene.signIn()
        scene.clock.advance(by: 290)
        scene.provider.change { state in
            let before = state.tokens
            state.tokens = { before($0).with("id_token", "") }
        }
        if changes["refresh_token"] == nil {
            _ = try await session.token()
            #expect(session.isActive)
        } else {
            #expect(try await scene.storedRecord?.refreshToken?.reveal() == "R 1")
        }
    }

    @Test("BR77: an empty refresh token is none, and the session goes on with the one it has")
    func emptyRefreshToken() async throws {
        let scene = Scene()
        let session = try await scene.signIn()
        let kept = try #require(try await scene.storedRecord?.refreshToken)
        scene.clock.advance(by: 290)
        change(scene, ["refresh_token": ""], ["iat": 1_700_000_290, "exp": 1_700_000_900])
        _ = try await session.token()
        #expect(try await scene.storedRecord?.refreshToken == kept)
        let none = self.scene(tokens: ["refresh_token": ""])
        _ = try await none.signIn()
        #expect(try await none.storedRecord?.refreshToken == nil)
    }

    @Test("BR77: a nonce that is null or empty after a refresh ends no session")
    func nonce() async throws {
        for value in [.null, ""] as [JSONValue] {
            let scene = Scene()
            let session = try await scene.signIn()
            scene.clock.advance(by: 290)
            change(scene, [:], ["nonce": value, "iat": 1_700_000_290, "exp": 1_700_000_900])
            _ = try await session.token()
            #expect(session.isActive)
        }
    }

    @Test("BR87: what a rule needs is still needed, and the reason names the member")
    func named() async throws {
        for (tokens, claims, request, check, word) in [
            (["access_token": ""], [:], SignInRequest(), .tokenResponse, "(access_token)"),
            (["token_type": .null], [:], SignInRequest(), .tokenResponse, "(token_type)"),
            (["error": "x"], [:], SignInRequest(), .tokenResponse, "(error)"),
            (["id_token": ""], [:], SignInRequest(), .idTokenMissing, "ID Token"),
            ([:], ["nonce": .null], SignInRequest(), .nonce, "(nonce)"),
            ([:], ["azp": 7], SignInRequest(), .authorizedParty, "(azp)"),
            ([:], ["acr": ["x"]], SignInRequest(acr: ["x"]), .acr, "(acr)"),
            (
                [:], ["auth_time": "1700000000"], SignInRequest(maxAge: .seconds(60)), .authTime,
                "(auth_time)"
            ),
        ] as [(JSONObject, JSONObject, SignInRequest, SignInError.Check, String)] {
            let scene = scene(tokens: tokens, claims: claims)
            let error = await #expect(throws: SignInError.self) {
                _ = try await scene.signIn(request)
            }
            #expect(error?.kind == .rejected(check))
            #expect(error?.description.contains(word) == true, "\(word)")
            #expect(try await scene.storage.read() == nil)
        }
    }

    @Test("BR66: an answer of another media type says so")
    func mediaType() async throws {
        for (path, check) in [
            ("/.well-known/openid-configuration", .metadata), ("/token", .tokenResponse),
            ("/keys", .keys),
        ] as [(String, SignInError.Check)] {
            let scene = Scene()
            let body = FakeProvider.metadata.serialized()
            scene.provider.answer(path) { _ in
                .text(200, "application/octet-stream", body)
            }
            let error = await #expect(throws: SignInError.self) { _ = try await scene.signIn() }
            #expect(error?.kind == .rejected(check))
            #expect(error?.description.contains("Content-Type") == true)
        }
    }

    @Test("BR87: metadata with odd members that nothing needs; one that is needed is named")
    func metadata() async throws {
        let good = scene(metadata: [
            "revocation_endpoint": "", "end_session_endpoint": .null, "scopes_supported": "openid",
            "claims_parameter_supported": "false", "response_types_supported": .null,
        ])
        _ = try await good.signIn()
        let bad = scene(metadata: ["token_endpoint": 7])
        let error = await #expect(throws: SignInError.self) { _ = try await bad.signIn() }
        #expect(error?.kind == .misconfigured(.metadataInvalid))
        #expect(error?.description.contains("(token_endpoint)") == true)
    }
}

extension JSONObject {
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var all = self
        for (name, value) in other { all[name] = value }
        return all
    }
}
