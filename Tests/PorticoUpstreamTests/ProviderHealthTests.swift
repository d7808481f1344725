import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("A provider's health, and its tokens")
struct ProviderHealthTests {
    @Test(
        "Pages D: a provider that does not answer is noticed, since when is kept, and so is its return"
    )
    func health() async throws {
        let scene = try Scene(.oidc, claims: ["email": "a@example.com", "name": "A"])
        #expect(scene.client.health == .unknown)
        let document = scene.addresses.issuer + "/.well-known/openid-configuration"
        scene.world.answer(document) { _ throws(HTTPTransportError) in throw .unreachable }
        #expect(await scene.failure() == .transient(.unreachable, retryAfter: nil))
        #expect(scene.client.health == .down(since: 1_700_000_000, .unreachable))
        scene.clock.advance(by: 30)
        scene.world.answer(document) { _ in .json([:], status: 502) }
        #expect(await scene.client.probe() == .down(since: 1_700_000_000, .failing))
        scene.world.answer(document) { _ in .json(["issuer": "https://evil.example"]) }
        #expect(await scene.client.probe() == .down(since: 1_700_000_000, .unusable))
        let healthy = try Scene(.oidc)
        #expect(await healthy.client.probe() == .up)
        #expect(
            healthy.world.requests.map(\.address) == [
                "https://op.example.com/.well-known/openid-configuration",
                "https://op.example.com/keys",
            ]
        )
        // Also of what is kept: a probe asks.
        _ = await healthy.client.probe()
        #expect(healthy.world.requests.count == 4)
    }

    @Test("A sign-in brings a provider back; one person's refused code does not take it away")
    func signIns() async throws {
        let scene = try Scene(.oidc, claims: ["email": "a@example.com", "name": "A"])
        _ = try await scene.signIn()
        #expect(scene.client.health == .up)
        let answers = HTTPReply.json(["error": "invalid_grant"], status: 400)
        scene.world.answer(scene.addresses.token) { _ in answers }
        #expect(await scene.failure() == .rejected(.codeRefused))
        #expect(scene.client.health == .up)
        scene.world.answer(scene.addresses.token) { _ throws(HTTPTransportError) in
            throw .timedOut
        }
        _ = await scene.failure()
        #expect(scene.client.health == .down(since: 1_700_000_000, .timedOut))
        #expect(scene.client.health.isDown)
    }

    @Test(
        "OIDCD-X-2: repeated sign-ins do not wait for metadata that cannot be fetched now"
    )
    func pause() async throws {
        let scene = try Scene(.oidc)
        _ = try await scene.begin()
        let document = scene.addresses.issuer + "/.well-known/openid-configuration"
        scene.world.answer(document) { _ throws(HTTPTransportError) in throw .timedOut }
        scene.clock.advance(by: 3600)
        for _ in 0..<5 { _ = try await scene.begin() }
        #expect(scene.world.requests(document).count == 2)
        scene.clock.advance(by: 30)
        _ = try await scene.begin()
        #expect(scene.world.requests(document).count == 3)
    }

    @Test("A configured provider is asked for its keys, which is all that it publishes")
    func configured() async throws {
        let apple = try Scene(.apple, secret: Scene.pem)
        #expect(await apple.client.probe() == .up)
        #expect(apple.world.requests.map(\.address) == ["https://appleid.apple.com/auth/keys"])
    }

    @Test(
        "RFC 6749 §6: a refresh gives what to use and what to keep; refused means signed out there"
    )
    func refresh() async throws {
        let scene = try Scene(.oidc)
        scene.tell { $0.tokens = ["access_token": "A2", "refresh_token": "R2"] }
        let fresh = try await scene.client.refresh(SecretText("R1"))
        #expect(fresh.accessToken.reveal() == "A2" && fresh.refreshToken?.reveal() == "R2")
        #expect(fresh.expiresAt == 1_700_000_300)
        let request = try #require(scene.world.requests(scene.addresses.token).first)
        #expect(request.form["refresh_token"] == "R1")
        #expect(request.form["grant_type"] == "refresh_token")
        #expect(request.fields[.authorization]?.hasPrefix("Basic ") == true)
        scene.world.answer(scene.addresses.token) { _ in
            .json(["error": "invalid_grant"], status: 400)
        }
        let failure = await kind(of: { _ = try await scene.client.refresh(SecretText("R1")) })
        #expect(failure == .interactionRequired(.sessionEnded))
    }

    @Test("RFC 6749 appendix A.17: a refresh token with spaces comes, goes and comes back")
    func spaces() async throws {
        let scene = try Scene(.oidc)
        scene.tell { $0.tokens = ["refresh_token": "R 2"] }
        let person = try await scene.signIn()
        #expect(person.refreshToken?.reveal() == "R 2")
        scene.tell { $0.tokens = ["refresh_token": "R 3"] }
        let fresh = try await scene.client.refresh(try #require(person.refreshToken))
        #expect(fresh.refreshToken?.reveal() == "R 3")
        #expect(scene.world.requests(scene.addresses.token).last?.form["refresh_token"] == "R 2")
    }

    @Test("RFC 6749 §6: of an answer that cannot be used, the refresh token is not lost")
    func successor() async throws {
        let scene = try Scene(.oidc)
        scene.tell { $0.tokens = ["access_token": "A 2", "refresh_token": "R2"] }
        let thrown = await #expect(throws: RefreshFailure.self) {
            _ = try await scene.client.refresh(SecretText("R1"))
        }
        let failure = try #require(thrown)
        #expect(failure.error.kind == .rejected(.tokenResponse))
        #expect(failure.error.description == "The token response is malformed (access_token).")
        #expect(failure.successor?.reveal() == "R2")
    }

    @Test(
        "OpenID Connect Core §10.1.1: a new key is known at once, also after the check of a minute"
    )
    func newKey() async throws {
        let scene = try Scene(.oidc)
        _ = try await scene.signIn()
        #expect(await scene.client.probe() == .up)
        scene.clock.advance(by: 10)
        let new = Scene.newKey(.rs256, "k2")
        scene.tell { $0.signer = new }
        scene.world.answer(scene.addresses.keys) { _ in Scene.keySet([Scene.key, new]) }
        _ = try await scene.signIn()
        #expect(scene.world.requests(scene.addresses.keys).count == 3)
        // Names that no key has are asked for once a minute, and the known keys go on.
        let invented = Scene.newKey(.rs256, "k9")
        scene.tell { $0.signer = invented }
        for _ in 0..<5 { #expect(await scene.failure() == .rejected(.key)) }
        #expect(scene.world.requests(scene.addresses.keys).count == 3)
        scene.clock.advance(by: 60)
        for _ in 0..<5 { #expect(await scene.failure() == .rejected(.key)) }
        #expect(scene.world.requests(scene.addresses.keys).count == 4)
        scene.tell { $0.signer = new }
        _ = try await scene.signIn()
        #expect(scene.world.requests(scene.addresses.keys).count == 4)
    }

    @Test("RFC 7009: where a provider revokes nothing, that is told")
    func revocation() async throws {
        #expect(await (try Scene(.facebook)).client.revoke(SecretText("R1")) == false)
        let scene = try Scene(.google)
        #expect(await scene.client.revoke(SecretText("R1")))
        #expect(scene.world.requests("https://oauth2.googleapis.com/revoke").count == 1)
    }
}
