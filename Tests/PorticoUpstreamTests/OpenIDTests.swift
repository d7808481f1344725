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

    @Test(
        "attack E20, RFC 7523 §3: an assertion's audience is the issuer, whatever the metadata names"
    )
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

    @Test(
        "PRV-O-2: an issuer with a placeholder is refused, and a common endpoint is another issuer"
    )
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

    @Test(
        "OpenID Connect Core §5.4: what the ID Token leaves out, UserInfo says, of the same person"
    )
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
            (
                .json([:], status: 302, [.location: "https://evil.example"]),
                .rejected(.redirected)
            ),
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
