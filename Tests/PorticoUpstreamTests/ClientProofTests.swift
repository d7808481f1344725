import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import Testing

@testable import PorticoUpstream

@Suite("How we prove to a provider which client we are") struct ClientProofTests {
    enum Method: String, CaseIterable, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case assertion = "private_key_jwt"
        /// Apple's: a secret that is signed for the occasion.
        case minted

        func scene() throws -> Scene {
            switch self {
            case .basic, .post: try Scene(.oidc, ["authentication": .string(rawValue)])
            case .assertion:
                try Scene(
                    .oidc,
                    ["authentication": .string(rawValue), "keyID": "us-1"],
                    secret: Scene.pem
                )
            case .minted: try Scene(.apple, secret: Scene.pem)
            }
        }
    }

    /// A redemption, a refresh and a revocation: everything that we prove ourselves at.
    private func requests(_ scene: Scene) async throws -> [World.Request] {
        _ = try await scene.signIn(claims: ["email": "a@example.com", "name": "A"])
        _ = try await scene.client.refresh(SecretText("R1"))
        let revocation = try #require(scene.addresses.revoke)
        #expect(await scene.client.revoke(SecretText("R1")))
        let requests =
            scene.world.requests(scene.addresses.token) + scene.world.requests(revocation)
        #expect(
            requests.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token", nil]
        )
        return requests
    }

    @Test(
        "OpenID Connect Core §12.1, RFC 6749 §2.3: by one method, the same at every endpoint",
        arguments: Method.allCases
    )
    func oneMethod(_ method: Method) async throws {
        for request in try await requests(try method.scene()) {
            let basic = request.fields[.authorization]
            let secret = request.form["client_secret"]
            let assertion = request.form["client_assertion"]
            #expect((basic != nil) == (method == .basic))
            #expect((secret != nil) == (method == .post || method == .minted))
            #expect((assertion != nil) == (method == .assertion))
            #expect((request.form["client_assertion_type"] != nil) == (method == .assertion))
            #expect((request.form["client_id"] != nil) == (method != .basic))
            // RFC 6749 §2.3.1: never in the address.
            #expect(request.query.all.isEmpty)
        }
    }

    @Test("RFC 6749 §2.3.1: id and secret are form-encoded before they are joined for Basic")
    func encoded() async throws {
        let scene = try Scene(.oidc, ["clientID": "us:a b"], secret: "p%:+ \u{FC}")
        _ = await scene.failure()
        let request = try #require(scene.world.requests(scene.addresses.token).first)
        let field = try #require(request.fields[.authorization])
        let pair = try #require(Data(base64Encoded: String(field.dropFirst("Basic ".count))))
        #expect(String(decoding: pair, as: UTF8.self) == "us%3Aa%20b:p%25%3A%2B%20%C3%BC")
    }

    @Test(
        "RFC 7523 update: each assertion is its own, for the issuer alone, as one text, and short"
    )
    func assertions() async throws {
        let key = try P256PrivateKey(pem: SecretText(Scene.pem)).signingKey(named: "us-1")
        var names: Set<String> = []
        for request in try await requests(try Method.assertion.scene()) {
            let token = try JWT(parsing: try #require(request.form["client_assertion"]))
            #expect(token.header.members.string("typ") == "client-authentication+jwt")
            let claims = try token.verified(
                by: [key.verificationKey],
                allowing: [.es256],
                types: [.clientAuthentication]
            ).claims
            #expect(claims["aud"] == "https://op.example.com")
            #expect(claims.string("iss") == "us" && claims.string("sub") == "us")
            let issuedAt = try #require(claims.int64("iat"))
            #expect(claims.int64("exp") == issuedAt + 300)
            names.insert(try #require(claims.string("jti")))
        }
        #expect(names.count == 3)
    }

    @Test(
        "RFC 9700 §4.5.3.2: until the nonce is right no token is used for anything, nor told",
        arguments: ["other", .null] as [JSONValue]
    )
    func nonceFirst(_ nonce: JSONValue) async throws {
        let scene = try Scene(.oidc, claims: ["nonce": nonce])
        do {
            _ = try await scene.signIn()
            Issue.record("the nonce is another's")
        } catch let error as SignInError {
            #expect(error.kind == .rejected(.nonce))
            for text in ["\(error)", String(reflecting: error)] {
                #expect(!text.contains("A1") && !text.contains("R1"))
            }
        }
        #expect(
            scene.world.requests.map(\.address) == [
                "https://op.example.com/.well-known/openid-configuration", scene.addresses.token,
                scene.addresses.keys,
            ]
        )
        #expect(
            scene.world.requests.allSatisfy {
                $0.fields[.authorization]?.hasPrefix("Bearer") != true
            }
        )
    }
}
