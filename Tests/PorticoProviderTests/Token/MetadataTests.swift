import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Metadata and keys") struct MetadataTests {
    private let path = "/realms/test/.well-known/openid-configuration"

    @Test(
        "RFC 8414 §3, OpenID Connect Discovery §4: both names in both forms give one document",
        arguments: [
            "/realms/test/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration/realms/test",
            "/.well-known/oauth-authorization-server/realms/test",
        ]
    )
    func places(place: String) async throws {
        let server = try await ProviderUnderTest()
        let one = try await server.send(.get, path)
        let other = try await server.send(.get, place)
        #expect(one.status == 200)
        #expect(one.text == other.text, "RFC 8414 §6.2")
        #expect(one.headers[.contentType] == "application/json")
        #expect(one.headers[.cacheControl] == "public, max-age=300")
        #expect(one.headers[.accessControlAllowOrigin] == "*")
    }

    @Test("OpenID Connect Discovery §3: the required members, and nothing that is not offered")
    func members() async throws {
        let document = try await ProviderUnderTest().send(.get, path).json
        #expect(document.string("issuer") == TestRealm.issuer)
        for name in [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri",
            "end_session_endpoint", "revocation_endpoint", "introspection_endpoint",
            "pushed_authorization_request_endpoint",
        ] {
            #expect(document.string(name)?.hasPrefix(TestRealm.issuer + "/protocol/") == true)
        }
        #expect(document.strings("response_types_supported") == ["code"])
        #expect(document.strings("code_challenge_methods_supported") == ["S256"])
        #expect(document.strings("subject_types_supported") == ["public", "pairwise"])
        #expect(document.strings("response_modes_supported") == ["query", "fragment", "form_post"])
        let methods = ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]
        #expect(
            document.strings("token_endpoint_auth_methods_supported").map(Set.init) == Set(methods)
        )
        #expect(document.strings("claims_supported")?.contains("sub") == true)
        #expect(document.strings("claim_types_supported") == ["normal"])
        let algorithms = try #require(document.strings("id_token_signing_alg_values_supported"))
        #expect(algorithms.contains("RS256") && algorithms.contains("ES256"))
        #expect(!algorithms.contains("none"))
        #expect(document.strings("scopes_supported")?.contains("openid") == true)
        #expect(
            document.strings("grant_types_supported") == [
                "authorization_code", "refresh_token", "client_credentials",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ]
        )
        #expect(document.bool("authorization_response_iss_parameter_supported") == true)
        #expect(document.bool("request_parameter_supported") == false)
        #expect(document.bool("require_pushed_authorization_requests") == false)
        #expect(document["backchannel_logout_supported"] == true)
        #expect(document["backchannel_logout_session_supported"] == true)
        let proofs = document.strings("dpop_signing_alg_values_supported")
        #expect(proofs == SignatureAlgorithm.allCases.map(\.rawValue))
        #expect(document.bool("request_uri_parameter_supported") == false)
        #expect(document.bool("claims_parameter_supported") == true)
        #expect(
            document.strings("token_endpoint_auth_signing_alg_values_supported")?.contains("none")
                == false
        )
        for (_, value) in document {
            #expect(value != .null, "RFC 8414 §3.2")
            #expect(value.array?.isEmpty != true)
        }
    }

    @Test("RFC 8414 §2: every endpoint that is listed answers")
    func endpointsAnswer() async throws {
        let server = try await ProviderUnderTest()
        for (name, value) in try await server.send(.get, path).json {
            guard name.hasSuffix("_endpoint") || name == "jwks_uri", let url = value.string else {
                continue
            }
            let reply = try await server.send(
                .get,
                String(url.dropFirst("https://op.example.com".count))
            )
            #expect(reply.status != 404, "\(name)")
        }
    }

    @Test("JWK set: public members only, every kid once, use=sig (RFC 7517 §4)")
    func keySet() async throws {
        let reply = try await ProviderUnderTest().send(.get, .endpoint("certs"))
        #expect(reply.headers[.cacheControl] == "public, max-age=300")
        let keys = try #require(reply.json.array("keys")).compactMap(\.object)
        #expect(keys.count == 2)
        for key in keys {
            for secret in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
                #expect(key[secret] == nil)
            }
            #expect(key.string("use") == "sig")
        }
        #expect(Set(keys.compactMap { $0.string("kid") }).count == keys.count)
    }

    @Test("OpenID Connect Core §2, §3.1.3.6: the ID Token verifies, with every claim")
    func idToken() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens("alice", "native1", [("max_age", "1000")])
        let set = try JWKSet(parsing: try await server.send(.get, .endpoint("certs")).body)
        let jwt = try JWT(parsing: try tokens.idToken)
        let verified = try jwt.verified(by: set.keys, allowing: [.es256], types: [.jwt])
        #expect(Set(jwt.header.members.map(\.name)) == ["alg", "typ", "kid"])
        let claims = verified.claims
        #expect(claims.string("iss") == TestRealm.issuer)
        #expect(claims.string("aud") == "native1")
        #expect(claims.string("azp") == "native1")
        #expect(claims.string("nonce") == "n-1")
        #expect(claims.int64("auth_time") == server.clock.seconds)
        #expect(claims.int64("exp") == server.clock.seconds + 300)
        #expect((claims.string("sub") ?? "").utf8.count <= 255)
        let access = try tokens.accessToken
        #expect(claims.string("at_hash") == SignatureAlgorithm.es256.leftHalfHash(of: access))
        let unasked = try await server.tokens("bob", "native1", [("nonce", "")])
        let second = try JWT(parsing: try unasked.idToken)
            .uncheckedClaims()
        #expect(second["nonce"] == nil, "no nonce is made up")
    }

    @Test("WEB-TLS-2, RFC 6749 §2.3.1: over plain http nothing is served")
    func plainHTTP() async throws {
        let server = try await ProviderUnderTest()
        let post = try await server.send(.post, .endpoint("token"), scheme: "http")
        #expect((400..<500).contains(post.status))
        let get = try await server.send(.get, path, scheme: "http")
        #expect(get.status == 303)
        #expect(get.location == "https://op.example.com" + path)
    }
}
