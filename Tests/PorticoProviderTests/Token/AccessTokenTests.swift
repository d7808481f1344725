import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("The access token (RFC 9068)") struct AccessTokenTests {
    private static func access(_ reply: Reply) throws -> (JWT, JSONObject) {
        let jwt = try JWT(parsing: try reply.accessToken)
        return (jwt, try jwt.uncheckedClaims())
    }

    @Test(
        "RFC 9068 §2.1: it is signed by a published key, of the type at+jwt",
        arguments: [nil, .rs256] as [SignatureAlgorithm?]
    )
    func header(_ algorithm: SignatureAlgorithm?) async throws {
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices {
                realm.clients[index].idTokenAlgorithm = algorithm
                realm.clients[index].accessTokenAlgorithm = algorithm
            }
        }
        let set = try JWKSet(parsing: try await server.send(.get, .endpoint("certs")).body)
        let person = try await server.tokens()
        let machine = try await server.token(
            [("grant_type", "client_credentials")],
            basic: TestRealm.machine
        )
        for reply in [person, machine] {
            let (jwt, _) = try Self.access(reply)
            #expect(jwt.header.members.string("typ") == "at+jwt")
            #expect(jwt.header.algorithm == algorithm ?? .es256)
            #expect(jwt.header.members.string("kid")?.isEmpty == false)
            _ = try jwt.verified(
                by: set.keys,
                allowing: [algorithm ?? .es256],
                types: [.accessToken]
            )
        }
    }

    @Test("RFC 9068 §2.2: every claim that it must have, each with what it means")
    func claims() async throws {
        let server = try await ProviderUnderTest()
        let first = try await server.tokens()
        let (_, claims) = try Self.access(first)
        let now = server.clock.seconds
        #expect(claims.string("iss") == TestRealm.issuer)
        #expect(claims.int64("iat") == now && claims.int64("exp") == now + 300)
        #expect(claims.string("aud") == TestRealm.issuer)
        #expect(claims.string("client_id") == "native1" && claims.string("azp") == "native1")
        #expect(claims.string("scope") == first.json.string("scope"))
        #expect(claims.int64("auth_time") == now && claims.string("acr") == "1")
        let sub = try #require(claims.string("sub"))
        let idToken = try JWT(parsing: try first.idToken)
        #expect(try idToken.uncheckedClaims().string("sub") == sub)
        let (_, second) = try Self.access(try await server.tokens())
        #expect(claims.string("jti")?.isEmpty == false)
        #expect(claims.string("jti") != second.string("jti"))

        // RFC 9068 §2.2.1: a refresh is no new sign-in.
        server.clock.advance(by: 100)
        let refresh = try first.refreshToken
        let (_, later) = try Self.access(try await server.refresh(refresh))
        #expect(later.int64("iat") == now + 100)
        for name in ["auth_time", "acr", "sub", "sid", "client_id", "scope", "aud"] {
            #expect(later[name] == claims[name], "\(name)")
        }
    }

    @Test("RFC 9068 §6: it says what a person may do, and nothing of who they are but an id")
    func privacy() async throws {
        let server = try await ProviderUnderTest()
        let reply = try await server.tokens("alice", scope: "openid profile email address phone")
        let (_, claims) = try Self.access(reply)
        #expect(
            Set(claims.map(\.name)) == [
                "iss", "sub", "aud", "exp", "iat", "jti", "azp", "client_id", "typ", "scope", "sid",
                "auth_time", "acr", "realm_access", "resource_access",
            ]
        )
        #expect(
            !String(decoding: claims.serialized(), as: UTF8.self).lowercased().contains("alice")
        )
    }

    @Test("RFC 9068 §5, OpenID Connect Core §2: no ID Token has an audience of access tokens")
    func audiences() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.realm.mappers = [ClaimMapper(.audience("https://api.example.com"))]
        }
        let reply = try await server.tokens()
        let (_, claims) = try Self.access(reply)
        let idToken = try JWT(parsing: try reply.idToken)
        let own = try idToken.uncheckedClaims()
        #expect(claims.strings("aud") == ["https://api.example.com", TestRealm.issuer])
        #expect(own.string("aud") == "native1")
        #expect(claims.strings("aud")?.contains("native1") == false)
    }

    @Test("OpenID Connect Core §2, RFC 8176: the ID Token says by what, the access token does not")
    func methods() async throws {
        let server = try await ProviderUnderTest()
        let reply = try await server.tokens()
        let idToken = try JWT(parsing: try reply.idToken)
        let claims = try idToken.uncheckedClaims()
        #expect(claims.strings("amr") == ["pwd"] && claims.string("acr") == "1")
        #expect(claims.string("typ") == "ID" && claims.string("azp") == "native1")
        #expect(claims.string("sid") == reply.json.string("session_state"))
        let metadata = try await server.metadata()
        #expect(metadata.strings("acr_values_supported") == ["0", "1"])
        #expect(try Self.access(reply).1["amr"] == nil)
    }
}
