import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Any OpenID provider")
struct OpenIDTests {
    private func redemption(_ scene: Scene) async throws -> World.Request {
        _ = try await scene.signIn(claims: ["email": "a@example.com", "name": "A"])
        return try #require(scene.world.requests(scene.addresses.token).last)
    }

    @Test(
        "PRV-O-3: a secret goes by Basic where that is offered, else by the form, or as configured",
        arguments: [
            (nil, nil, true), (["client_secret_post", "client_secret_basic"], nil, true),
            (["client_secret_post"], nil, false),
            (["client_secret_basic"], "client_secret_post", false),
            (["client_secret_post"], "client_secret_basic", true),
        ] as [([String]?, String?, Bool)]
    )
    func secret(offered: [String]?, chosen: String?, isBasic: Bool) async throws {
        let offered = offered.map { JSONValue.array($0.map { .string($0) }) } ?? .null
        let scene = try Scene(
            .oidc,
            chosen.map { ["authentication": .string($0)] } ?? [:],
            metadata: ["token_endpoint_auth_methods_supported": offered]
        )
        let request = try await redemption(scene)
        if isBasic {
            // us:s3cret%20%26%20more
            #expect(request.fields[.authorization] == "Basic dXM6czNjcmV0JTIwJTI2JTIwbW9yZQ==")
            #expect(request.form["client_secret"] == nil && request.form["client_id"] == nil)
        } else {
            #expect(request.fields[.authorization] == nil)
            #expect(request.form["client_secret"] == "s3cret & more")
            #expect(request.form["client_id"] == "us")
        }
    }

    @Test("PRV-O-3: without a secret only the name is said, and the challenge proves the rest")
    func publicClient() async throws {
        let request = try await redemption(try Scene(.oidc, secret: nil))
        #expect(request.form["client_id"] == "us" && request.form["client_secret"] == nil)
        #expect(request.fields[.authorization] == nil)
    }

    @Test("PRV-O-3: a method that neither side has stops before anything is sent")
    func noMethod() async throws {
        let scene = try Scene(
            .oidc,
            metadata: ["token_endpoint_auth_methods_supported": ["tls_client_auth"]]
        )
        #expect(await scene.failure() == .misconfigured(.providerSecret))
        let google = try Scene(.google, secret: nil)
        #expect(await google.failure() == .misconfigured(.providerSecret))
        let key = try Scene(.oidc, ["keyID": "k"], secret: "text")
        #expect(await key.failure() == .misconfigured(.providerSecret))
        for scene in [scene, google, key] {
            #expect(scene.world.requests(scene.addresses.token).isEmpty)
        }
    }

    @Test("attack E20, RFC 7523 §3: an assertion's audience is the issuer, not the metadata's")
    func assertion() async throws {
        // An evil issuer names an honest provider's token endpoint as its own.
        let scene = try Scene(
            .oidc,
            ["authentication": "private_key_jwt", "keyID": "us-1"],
            metadata: ["token_endpoint": "https://honest.example/token"],
            secret: Scene.pem
        )
        _ = await scene.failure()
        let request = try #require(scene.world.requests("https://honest.example/token").first)
        #expect(
            request.form["client_assertion_type"]
                == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        )
        #expect(request.form["client_secret"] == nil && request.form["client_id"] == "us")
        let key = try P256PrivateKey(pem: SecretText(Scene.pem)).signingKey(named: "us-1")
        let token = try JWT(parsing: try #require(request.form["client_assertion"]))
        let assertion = try token.verified(
            by: [key.verificationKey],
            allowing: [.es256],
            types: [.clientAuthentication]
        )
        #expect(assertion.header.keyID == "us-1")
        #expect(assertion.claims["aud"] == "https://op.example.com")
        #expect(assertion.claims["iss"] == "us" && assertion.claims["sub"] == "us")
        let issuedAt = try #require(assertion.claims.int64("iat"))
        #expect(assertion.claims.int64("exp") == issuedAt + 300)
        #expect(assertion.claims.string("jti")?.utf8.count == 22)
    }

    @Test("PRV-O-1: another issuer's document, no announcement of S256, and plain are refused")
    func discovery() async throws {
        let other = try Scene(.oidc, metadata: ["issuer": "https://evil.example"])
        #expect(await other.failure() == .rejected(.metadataIssuer))
        for methods in [.null, ["plain"]] as [JSONValue] {
            let metadata: JSONObject = ["code_challenge_methods_supported": methods]
            let scene = try Scene(.keycloak, metadata: metadata)
            #expect(await scene.failure() == .misconfigured(.pkceNotAnnounced))
            let relaxed = try Scene(.keycloak, ["pkceUnannounced": true], metadata: metadata)
            let address = try await relaxed.begin().address
            #expect(try parameter("code_challenge_method", of: address) == "S256")
        }
    }

    @Test("PRV-O-1: algorithms are those of the metadata, or fewer by configuration")
    func algorithms() async throws {
        let claims: JSONObject = ["email": "a@example.com", "name": "A"]
        let open = try Scene(.oidc, claims: claims)
        open.tell { $0.signer = Scene.p256 }
        #expect(try await open.signIn().subject == "alice")
        let pinned = try Scene(.oidc, ["algorithms": ["RS256"]], claims: claims)
        #expect(try await pinned.signIn().subject == "alice")
        pinned.tell { $0.signer = Scene.p256 }
        #expect(await pinned.failure() == .rejected(.algorithm))
    }

    @Test("PRV-O-1, OpenID Connect Core §3.1.3.7 (11): the nonce is required, and this attempt's")
    func nonce() async throws {
        for nonce in ["other", .null] as [JSONValue] {
            let scene = try Scene(.oidc, claims: ["nonce": nonce])
            #expect(await scene.failure() == .rejected(.nonce))
        }
    }

    @Test("PRV-O-2: an issuer with a placeholder is refused; a common endpoint is another's")
    func templates() async throws {
        for issuer in [
            "https://login.microsoftonline.com/{tenantid}/v2.0", "https://{tenant}.example.com",
        ] {
            #expect(throws: IdentityProviderRefusal.templatedIssuer) {
                try IdentityProvider(
                    name: "m",
                    kind: .oidc,
                    settings: Scene.settings(.oidc, ["issuer": .string(issuer)])
                )
            }
        }
        let common = try Scene(.oidc, metadata: ["issuer": "https://op.example.com/{tenantid}"])
        #expect(await common.failure() == .rejected(.metadataIssuer))
    }

    @Test("OpenID Connect Core §5.4: what the ID Token leaves out UserInfo says, of that person")
    func userInfo() async throws {
        let scene = try Scene(.oidc)
        let address = try #require(scene.addresses.userInfo)
        scene.world.answer(address) { _ in
            .json([
                "sub": "alice", "name": "Alice", "email": "a@example.com", "email_verified": true,
            ])
        }
        let person = try await scene.signIn()
        #expect(person.name == "Alice" && person.email?.isVerified == true)
        #expect(scene.world.requests(address).first?.fields[.authorization] == "Bearer A1")
        // An address of the ID Token's takes no word of UserInfo's.
        let own = try await scene.signIn(claims: ["email": "b@example.com"])
        #expect(own.email?.address == "b@example.com" && own.email?.isVerified == false)
        // Nothing is asked for that is there.
        _ = try await scene.signIn(claims: ["name": "A", "email_verified": false])
        #expect(scene.world.requests(address).count == 2)
        scene.tell { $0.claims = [:] }
        scene.world.answer(address) { _ in .json(["sub": "mallory", "name": "Alice"]) }
        #expect(await scene.failure() == .rejected(.subject))
    }

    @Test(
        "PRV-O-4, decision 0020: a verified address may be asked about, an unverified one says nothing",
        arguments: [
            (true, .ask), (false, .never), ("true", .ask), ("yes", .never), (1, .never),
            (.null, .never),
        ] as [(JSONValue, ProvenPerson.EmailMatch)]
    )
    func email(isVerified: JSONValue, match: ProvenPerson.EmailMatch) async throws {
        let scene = try Scene(
            .keycloak,
            claims: [
                "name": "A", "email": "a@gmail.com", "email_verified": isVerified,
                "hd": "x.example",
                "roles": ["admin"], "realm_access": ["roles": ["admin"]],
            ]
        )
        let person = try await scene.signIn()
        #expect(person.matchesEmail == match && !person.isAuthoritative)
        #expect(!String(describing: person).contains("admin"))
    }

    @Test("PRV-E-1, PRV-E-2: a provider's failures are told by what to do, without its words")
    func failures() async throws {
        let scene = try Scene(.oidc, claims: ["email": "a@example.com", "name": "A"])
        let error: JSONObject = ["error": "invalid_grant", "error_description": "SECRET"]
        for (reply, expected) in [
            (HTTPReply.json(error, status: 400), .rejected(.codeRefused)),
            (.json(["error": "invalid_client"], status: 401), .misconfigured(.clientRefused)),
            (.json([:], status: 503), .transient(.serverError, retryAfter: nil)),
            (.json([:], status: 302, [.location: "https://evil.example"]), .rejected(.redirected)),
        ] as [(HTTPReply, SignInError.Kind)] {
            scene.world.answer(scene.addresses.token) { _ in reply }
            let failure = await scene.failure()
            #expect(failure == expected)
            #expect(!String(describing: failure).contains("SECRET"))
        }
        scene.world.answer(scene.addresses.token) { _ throws(HTTPTransportError) in
            throw .timedOut
        }
        #expect(await scene.failure() == .transient(.timedOut, retryAfter: nil))
        #expect(!scene.world.requests.contains { $0.address.contains("evil") })
    }
}

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

@Suite("Logout tokens")
struct LogoutTokenTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(.keycloak)
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    private func token(
        _ scene: Scene,
        _ change: JSONObject = [:],
        type: JWTType = .logoutToken,
        signer: Result<SigningKey, any Error> = Scene.key
    ) throws -> String {
        let now = NumericDate.seconds(scene.clock.now)
        var claims: JSONObject = [
            "iss": "https://op.example.com", "aud": "us", "iat": .integer(now),
            "exp": .integer(now + 120), "jti": "j1", "sub": "alice", "sid": "s1",
            "events": .object([Self.event: [:]]),
        ]
        claims.take(change)
        return try signer.get().sign(claims: claims, type: type)
    }

    private func refusal(_ scene: Scene, _ text: String) async -> LogoutTokenRefusal? {
        do {
            _ = try await scene.client.verifyLogoutToken(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("OIDCBCL-2.6-1, OIDCBCL-2.6-3: a good token says whose sessions are over")
    func good() async throws {
        let now = NumericDate.seconds(scene.clock.now)
        let notice = try await scene.client.verifyLogoutToken(try token(scene))
        #expect(notice.issuer == "https://op.example.com" && notice.tokenID == "j1")
        #expect(notice.subject == "alice" && notice.providerSessionID == "s1")
        // As long as it could be presented, and not longer.
        #expect(notice.expiresAt == now + 180)
        let subject = try await scene.client.verifyLogoutToken(try token(scene, ["sid": .null]))
        #expect(subject.subject == "alice" && subject.providerSessionID == nil)
        let session = try await scene.client.verifyLogoutToken(try token(scene, ["sub": .null]))
        #expect(session.subject == nil && session.providerSessionID == "s1")
        let long = try token(scene, ["exp": .integer(now + 1_000_000)])
        #expect(try await scene.client.verifyLogoutToken(long).expiresAt == now + 660)
    }

    @Test("OIDCBCL-2.6-2: a token without exp, as many providers write it, is over by its age")
    func withoutExpiry() async throws {
        let now = NumericDate.seconds(scene.clock.now)
        let new = try await scene.client.verifyLogoutToken(try token(scene, ["exp": .null]))
        #expect(new.expiresAt == now + 660)
        let old = try token(scene, ["exp": .null, "iat": .integer(now - 600)])
        #expect(try await scene.client.verifyLogoutToken(old).expiresAt == now + 60)
    }

    @Test(
        "attack E31, OIDCBCL-2.6-2, OIDCBCL-2.6-3, OIDCBCL-2.6-4, OIDCBCL-2.6-5: each claim by itself",
        arguments: [
            (["nonce": "n"], .nonce), (["nonce": ""], .nonce), (["events": .null], .events),
            (["events": .string(event)], .events), (["events": .array([.string(event)])], .events),
            (["events": [:]], .events), (["events": .object([event: "x"])], .events),
            (["events": .object([event: true])], .events), (["aud": "another"], .audience),
            (["aud": .null], .audience), (["aud": []], .audience),
            (["iss": "https://evil.example"], .issuer), (["iss": .null], .issuer),
            (["exp": 1_699_999_940], .time), (["iat": .null], .time),
            (["exp": .null, "iat": 1_699_999_399], .time),
            (["exp": .null, "iat": 1_700_000_061], .time), (["exp": true], .time),
            (["iat": 1_700_000_061], .time), (["iat": 1_699_999_399], .time),
            (["exp": "1700000300"], .time), (["sub": .null, "sid": .null], .nobody),
            (["sub": 7], .subject), (["sid": 7], .sessionID), (["sid": ["s1"]], .sessionID),
            (["sub": "", "sid": ""], .nobody), (["nonce": 1], .nonce), (["jti": .null], .tokenID),
            (["jti": ""], .tokenID), (["jti": 7], .tokenID),
        ] as [(JSONObject, LogoutTokenRefusal)]
    )
    func claims(change: JSONObject, expected: LogoutTokenRefusal) async throws {
        #expect(await refusal(scene, try token(scene, change)) == expected)
    }

    @Test("attack E31, OIDCBCL-2.6-8: typed as a logout token or not at all; no other token is one")
    func types() async throws {
        #expect(await refusal(scene, try token(scene, type: .jwt)) == nil)
        for type in [JWTType.accessToken, .clientAuthentication, .dpopProof] {
            #expect(await refusal(scene, try token(scene, type: type)) == .malformed)
        }
        // An ID Token of the same issuer, which a person may get hold of.
        let idToken = scene.nativeToken(["sid": "s1", "jti": "j"], nonce: "n")
        #expect(await refusal(scene, idToken) == .events)
    }

    @Test("attack E31, OIDCBCL-2.6-1: the issuer's key and algorithm; no none, and no JWE")
    func signature() async throws {
        let good = try token(scene)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"logout+jwt"}"#.utf8))
        let parts = good.split(separator: ".")
        for (text, expected) in [
            (try token(scene, signer: Scene.otherKey), .signature),
            (try token(scene, signer: Scene.newKey(.rs256, "k9")), .signature),
            ("\(none).\(parts[1]).", .algorithm), ("\(parts[0]).\(parts[1]).", .signature),
            ("a.b.c.d.e", .encrypted), ("", .malformed), ("x", .malformed),
            (good + "=", .malformed), (String(repeating: "A", count: 1 << 20), .malformed),
        ] as [(String, LogoutTokenRefusal)] {
            #expect(await refusal(scene, text) == expected, "\(text.prefix(80))")
        }
    }

    /// With members that are written, and null.
    private func token(_ scene: Scene, nulls: [String]) throws -> String {
        let now = NumericDate.seconds(scene.clock.now)
        var claims: JSONObject = [
            "iss": "https://op.example.com", "aud": "us", "iat": .integer(now),
            "exp": .integer(now + 120), "jti": "j1", "sub": "alice", "sid": "s1",
            "events": .object([Self.event: [:]]),
        ]
        for name in nulls { claims[name] = .null }
        return try Scene.key.get().sign(claims: claims, type: .logoutToken)
    }

    @Test("BR87: what may be absent may be null, and one of sub and sid may be empty")
    func nulls() async throws {
        let verify = scene.client.verifyLogoutToken
        let session = try await verify(try token(scene, nulls: ["sub", "nonce", "exp"]))
        #expect(session.subject == nil && session.providerSessionID == "s1")
        #expect(try await verify(try token(scene, nulls: ["sid"])).providerSessionID == nil)
        #expect(try await verify(try token(scene, ["sub": ""])).providerSessionID == "s1")
        #expect(try await verify(try token(scene, ["sid": ""])).subject == "alice")
        #expect(await refusal(scene, try token(scene, nulls: ["sub", "sid"])) == .nobody)
        for (name, expected) in [
            ("iat", .time), ("jti", .tokenID), ("events", .events), ("aud", .audience),
        ] as [(String, LogoutTokenRefusal)] {
            #expect(await refusal(scene, try token(scene, nulls: [name])) == expected)
        }
    }

    @Test("OpenID Connect Back-Channel Logout §2.6: with RS256, or as our ID Tokens are signed")
    func algorithms() async throws {
        #expect(await refusal(scene, try token(scene)) == nil)
        #expect(await refusal(scene, try token(scene, signer: Scene.p256)) == .algorithm)
        // The provider signs for us with something else.
        scene.tell { $0.signer = Scene.p256 }
        _ = try await scene.signIn()
        #expect(await refusal(scene, try token(scene, signer: Scene.p256)) == nil)
        // What is configured is all that is taken, and what the provider does not have is not asked for.
        let pinned = try Scene(.keycloak, ["algorithms": ["ES256"]])
        #expect(await refusal(pinned, try token(pinned, signer: Scene.p256)) == nil)
        #expect(await refusal(pinned, try token(pinned)) == .algorithm)
        let other = try Scene(
            .keycloak,
            metadata: ["id_token_signing_alg_values_supported": ["ES256"]]
        )
        #expect(await refusal(other, try token(other, signer: Scene.p256)) == nil)
    }

    @Test("Keys that cannot be had say nothing about the token")
    func unavailable() async throws {
        scene.world.answer(scene.addresses.keys) { _ in .json([:], status: 503) }
        #expect(await refusal(scene, try token(scene)) == .unavailable)
    }
}
