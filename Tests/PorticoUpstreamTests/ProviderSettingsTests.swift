import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("A provider's settings")
struct ProviderSettingsTests {
    private func provider(
        _ kind: IdentityProvider.Kind,
        _ change: JSONObject = [:],
        name: String = "x",
        allowingStandIns: Bool = false
    ) throws(IdentityProviderRefusal) -> IdentityProvider {
        try IdentityProvider(
            name: name,
            kind: kind,
            settings: Scene.settings(kind, change),
            allowingStandIns: allowingStandIns
        )
    }

    @Test(
        "Every kind is read from what it must have, and keeps its settings",
        arguments: IdentityProvider.Kind.allCases
    )
    func kinds(kind: IdentityProvider.Kind) throws {
        let provider = try provider(kind, ["displayName": "Ours"])
        #expect(provider.kind == kind && provider.name == "x" && provider.displayName == "Ours")
        let again = try IdentityProvider(name: "x", kind: kind, settings: provider.settings)
        #expect(again.settings == provider.settings)
        #expect(again.canonicalIssuer == provider.canonicalIssuer)
        #expect(again.clientID == "us")
    }

    @Test(
        "What is missing, malformed or not a setting of the kind is refused by name",
        arguments: [
            (.google, ["clientID": .null], .missing(.clientID)),
            (.google, ["clientID": ""], .malformed(.clientID)),
            (.google, ["clientID": 7], .malformed(.clientID)),
            (.google, ["clientId": "x"], .unknownSetting),
            (.google, ["teamID": "x"], .unknownSetting),
            (.google, ["hostedDomains": "example.com"], .malformed(.hostedDomains)),
            (.google, ["hostedDomains": [""]], .malformed(.hostedDomains)),
            (.google, ["offline": "yes"], .malformed(.offline)),
            (.google, ["scopes": ["a b"]], .malformed(.scopes)),
            (.apple, ["teamID": .null], .missing(.teamID)),
            (.apple, ["keyID": .null], .missing(.keyID)),
            (.facebook, ["version": "23"], .malformed(.version)),
            (.facebook, ["version": "v1.0/../x"], .malformed(.version)),
            (.oidc, ["issuer": .null], .missing(.issuer)),
            (.oidc, ["issuer": "op.example.com"], .malformed(.issuer)),
            (.oidc, ["issuer": "https://op.example.com/?a"], .malformed(.issuer)),
            (.oidc, ["issuer": "http://op.example.com"], .insecureIssuer),
            (.oidc, ["issuer": "http://127.0.0.1:8080"], .insecureIssuer),
            (
                .oidc, ["issuer": "http://op.example.com", "allowInsecureLoopback": true],
                .insecureIssuer
            ),
            (
                .oidc, ["issuer": "http://localhost.evil", "allowInsecureLoopback": true],
                .insecureIssuer
            ),
            (.oidc, ["issuer": "http://localhost:1"], .insecureIssuer),
            (.oidc, ["algorithms": ["HS256"]], .malformed(.algorithms)),
            (.oidc, ["algorithms": ["none"]], .malformed(.algorithms)),
            (.oidc, ["algorithms": []], .malformed(.algorithms)),
            (.oidc, ["authentication": "none"], .malformed(.authentication)),
            (.oidc, ["standIn": "http://localhost:1"], .standInRefused),
        ] as [(IdentityProvider.Kind, JSONObject, IdentityProviderRefusal)]
    )
    func refused(
        kind: IdentityProvider.Kind,
        change: JSONObject,
        expected: IdentityProviderRefusal
    ) {
        #expect(throws: expected) { try provider(kind, change) }
    }

    @Test(
        "Names are short, of lower-case letters, digits and hyphens",
        arguments: ["", "Google", "a b", "a/b", "ä", "a_b", String(repeating: "a", count: 33)]
    )
    func names(name: String) {
        #expect(throws: IdentityProviderRefusal.name) { try provider(.google, name: name) }
    }

    @Test("PRV-A-13: a stand-in takes a provider's place only where stand-ins are allowed")
    func standIns() throws {
        for kind in [IdentityProvider.Kind.google, .facebook, .apple] {
            for origin in ["http://localhost:9001/base", "http://127.0.0.1:9001"] {
                let settings: JSONObject = ["standIn": .string(origin)]
                #expect(throws: IdentityProviderRefusal.standInRefused) {
                    try provider(kind, settings)
                }
                let standIn = try provider(kind, settings, allowingStandIns: true)
                // Its people are not those of the provider.
                #expect(standIn.canonicalIssuer == origin)
                #expect(standIn.navigationSources == [origin.replacing("/base", with: "")])
                #expect(standIn.permits(redirectURI: "http://127.0.0.1:8080/cb"))
            }
            for origin in [
                "http://evil.example", "http://localhost.evil.example", "http://10.0.0.1",
            ] {
                #expect(throws: IdentityProviderRefusal.insecureIssuer) {
                    try provider(kind, ["standIn": .string(origin)], allowingStandIns: true)
                }
            }
            #expect(throws: IdentityProviderRefusal.malformed(.standIn)) {
                try provider(kind, ["standIn": "http://localhost:1/x/"], allowingStandIns: true)
            }
        }
        // An OpenID provider has an issuer of its own, which may be on this machine by its name.
        let issuer: JSONValue = "http://localhost:9001/x"
        #expect(throws: IdentityProviderRefusal.insecureIssuer) {
            try provider(.oidc, ["issuer": issuer], allowingStandIns: true)
        }
        let own = try provider(.oidc, ["issuer": issuer, "allowInsecureLoopback": true])
        #expect(own.canonicalIssuer == "http://localhost:9001/x")
        #expect(own.navigationSources == ["http://localhost:9001"])
        let settings: JSONObject = ["issuer": issuer, "standIn": "http://localhost:9001"]
        let named = try provider(.oidc, settings, allowingStandIns: true)
        #expect(named.canonicalIssuer == "http://localhost:9001/x")
        let facebook = try provider(
            .facebook,
            ["standIn": "http://localhost:9002"],
            allowingStandIns: true
        )
        #expect(facebook.graph == "http://localhost:9002/v23.0")
        #expect(
            facebook.profile.metadata?.authorizationEndpoint
                == "http://localhost:9002/v23.0/dialog/oauth"
        )
    }

    @Test("Where a page's form may lead: known origins, else https, or a provider on this machine")
    func navigation() throws {
        #expect(try provider(.google).navigationSources == ["https://accounts.google.com"])
        #expect(try provider(.apple).navigationSources == ["https://appleid.apple.com"])
        #expect(
            try provider(.facebook).navigationSources
                == ["https://www.facebook.com", "https://m.facebook.com"]
        )
        #expect(try provider(.oidc).navigationSources == ["https:"])
        let local: JSONObject = [
            "issuer": "http://127.0.0.1:8080/realms/a", "allowInsecureLoopback": true,
        ]
        #expect(try provider(.keycloak, local).navigationSources == ["http://127.0.0.1:8080"])
    }

    @Test("PRV-A-11: each provider takes its own sort of secret")
    func secrets() throws {
        let text = try ProviderSecret(SecretText("s"))
        let key = try ProviderSecret(SecretText(Scene.pem))
        for (settings, kind, good) in [
            ([:], .google, [text]), ([:], .facebook, [text]), ([:], .apple, [key]),
            ([:], .oidc, [text, nil]), (["keyID": "k"], .oidc, [key]),
            (["authentication": "private_key_jwt"], .keycloak, [key]),
        ] as [(JSONObject, IdentityProvider.Kind, [ProviderSecret?])] {
            let provider = try provider(kind, settings)
            for secret in [text, key, nil] {
                let isGood = good.contains { String(describing: $0) == String(describing: secret) }
                if isGood {
                    try provider.check(secret)
                } else {
                    #expect(throws: IdentityProviderRefusal.otherSecret) {
                        try provider.check(secret)
                    }
                }
            }
        }
    }

    @Test("Every refusal has words of its own, and they are ours")
    func words() {
        let refusals: [IdentityProviderRefusal] =
            [
                .name, .unknownSetting, .insecureIssuer, .templatedIssuer, .standInRefused,
                .otherSecret, .key,
            ] + ProviderSetting.allCases.flatMap { [.missing($0), .malformed($0)] }
        #expect(Set(refusals.map(\.description)).count == refusals.count)
    }
}

@Suite("A provider's health, and its tokens")
struct ProviderHealthTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(.oidc)
    }

    @Test("Pages D: a provider that does not answer is noticed, and so is its return")
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

    @Test("OIDCD-X-2: repeated sign-ins do not wait for metadata that cannot be fetched now")
    func pause() async throws {
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

    @Test("RFC 6749 §6: a refresh gives what to use and to keep; refused means signed out there")
    func refresh() async throws {
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
        scene.tell { $0.tokens = ["access_token": "A 2", "refresh_token": "R2"] }
        let thrown = await #expect(throws: RefreshFailure.self) {
            _ = try await scene.client.refresh(SecretText("R1"))
        }
        let failure = try #require(thrown)
        #expect(failure.error.kind == .rejected(.tokenResponse))
        #expect(failure.error.description == "The token response is malformed (access_token).")
        #expect(failure.successor?.reveal() == "R2")
    }

    @Test("OpenID Connect Core §10.1.1: a new key is known at once, within a minute too")
    func newKey() async throws {
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
