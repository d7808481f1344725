import Foundation
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Providers whose ID Tokens name more than us, or tenants")
struct TenantTests {
    private static let template = "https://op.example.com/{tenantid}"
    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let other = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    private func scene(_ settings: JSONObject = [:]) throws -> Scene {
        var settings = settings
        settings["tenantIssuers"] = .string(Self.template)
        return try Scene(.oidc, settings, metadata: ["issuer": .string(Self.template)])
    }

    private func claims(_ tenant: String, _ named: String) -> JSONObject {
        ["iss": .string("https://op.example.com/\(tenant)"), "tid": .string(named)]
    }

    @Test("BR57: another audience is refused, unless it is named, and with azp")
    func trustedAudience() async throws {
        let claims: JSONObject = ["aud": ["us", "123456789"], "azp": "us"]
        let strict = try Scene(.oidc)
        #expect(await strict.failure(claims: claims) == .rejected(.audience))
        let scene = try Scene(.oidc, ["trustedAudiences": ["123456789"]])
        _ = try await scene.signIn(claims: claims)
        #expect(
            await scene.failure(claims: ["aud": ["us", "123456789", "x"]]) == .rejected(.audience)
        )
        #expect(
            await scene.failure(claims: ["aud": ["us", "123456789"], "azp": .null])
                == .rejected(.authorizedParty)
        )
        #expect(await scene.failure(claims: ["aud": "123456789"]) == .rejected(.audience))
    }

    @Test("BR58: with the template people of every tenant come in, each under their tenant's name")
    func tenants() async throws {
        let scene = try scene()
        let one = try await scene.signIn(claims: claims(Self.tenant, Self.tenant))
        let two = try await scene.signIn(claims: claims(Self.other, Self.other))
        #expect(one.issuer == "https://op.example.com/\(Self.tenant)")
        #expect(two.issuer == "https://op.example.com/\(Self.other)")
        // The same subject elsewhere is another person.
        #expect(one.subject == two.subject && one.issuer != two.issuer)
        // A tenant that names another is neither.
        let mixed = await scene.failure(claims: claims(Self.tenant, Self.other))
        #expect(mixed == .rejected(.issuer))
        let foreign: JSONObject = ["iss": "https://evil.example/x", "tid": .string(Self.tenant)]
        #expect(await scene.failure(claims: foreign) == .rejected(.issuer))
        // Without the option the metadata is another's.
        let strict = try Scene(.oidc, metadata: ["issuer": .string(Self.template)])
        #expect(await strict.failure() == .rejected(.metadataIssuer))
    }

    @Test("An address that some tenant's administrator wrote finds no account by itself")
    func addresses() async throws {
        var claims = claims(Self.tenant, Self.tenant)
        claims["email"] = "ann@example.com"
        claims["email_verified"] = true
        let person = try await scene().signIn(claims: claims)
        #expect(person.email?.isVerified == false && person.matchesEmail == .ask)
        let usual = try await Scene(.oidc)
            .signIn(claims: ["email": "ann@example.com", "email_verified": true])
        #expect(usual.email?.isVerified == true)
    }

    @Test("A logout token of a tenant ends sessions of that tenant's person")
    func logout() async throws {
        let scene = try scene()
        let now = NumericDate.seconds(scene.clock.now)
        func token(_ issuer: String) throws -> String {
            let event = "http://schemas.openid.net/event/backchannel-logout"
            let claims: JSONObject = [
                "iss": .string(issuer), "aud": "us", "iat": .integer(now), "jti": "j1",
                "sub": "alice", "events": .object([event: [:]]),
            ]
            return try Scene.key.get().sign(claims: claims, type: .logoutToken)
        }
        let issuer = "https://op.example.com/\(Self.tenant)"
        #expect(try await scene.client.verifyLogoutToken(try token(issuer)).issuer == issuer)
        await #expect(throws: LogoutTokenRefusal.issuer) {
            try await scene.client.verifyLogoutToken(try token("https://op.example.com/x"))
        }
    }

    @Test("A template is an https address with {tenantid} as a part of its path")
    func settings() throws {
        for wrong in ["https://op.example.com", "{tenantid}", "http://op.example.com/{tenantid}"] {
            #expect(throws: IdentityProviderRefusal.malformed(.tenantIssuers)) {
                try Scene(.oidc, ["tenantIssuers": .string(wrong)])
            }
        }
        #expect(throws: IdentityProviderRefusal.unknownSetting) {
            try Scene(.google, ["trustedAudiences": ["x"]])
        }
    }
}
