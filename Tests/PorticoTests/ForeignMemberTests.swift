import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

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
            state.tokens = { usual in
                var all = usual
                for (name, value) in tokens { all[name] = value }
                return all
            }
            state.claims = { usual in
                var all = usual
                for (name, value) in claims { all[name] = value }
                return all
            }
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
            state.tokens = { usual in
                var all = before(usual)
                all["id_token"] = ""
                return all
            }
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
            change(
                scene,
                [:],
                ["nonce": value, "iat": 1_700_000_290, "exp": 1_700_000_900]
            )
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
