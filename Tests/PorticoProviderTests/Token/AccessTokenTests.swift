import Foundation
import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
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
        let machine = try await server.token(TestFlow.own, basic: TestRealm.machine)
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
        let (_, later) = try Self.access(try await server.refresh(first.refreshToken))
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
        #expect(try await server.metadata().strings("acr_values_supported") == ["0", "1"])
        #expect(try Self.access(reply).1["amr"] == nil)
    }

    /// A realm with a key for each algorithm.
    private static func server(
        _ idToken: SignatureAlgorithm?,
        _ accessToken: SignatureAlgorithm?
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            let moment = Moment(now: .init(timeIntervalSince1970: 1_700_000_000), random: .system)
            let maker = SigningKeyMaker(ring: TestRealm.ring)
            for algorithm in SignatureAlgorithm.allCases
            where !realm.keys.contains(where: { $0.algorithm == algorithm }) {
                let key = try? maker.make(
                    algorithm,
                    realmID: realm.realm.id,
                    activeFrom: 1_700_000_000,
                    at: moment
                )
                realm.keys += [key].compactMap(\.self)
            }
            for index in realm.clients.indices {
                realm.clients[index].idTokenAlgorithm = idToken
                realm.clients[index].accessTokenAlgorithm = accessToken
            }
        }
    }

    @Test(
        "OpenID Connect Registration §2, Core §3.1.3.6: each has its algorithm, and at_hash that of the ID Token",
        arguments: [
            (.rs256, .es256), (.es256, .rs256), (.edDSA, .es256), (.es256, .edDSA),
            (.ps256, .edDSA), (.edDSA, .ps256), (.rs256, nil), (nil, .rs256),
        ] as [(SignatureAlgorithm?, SignatureAlgorithm?)]
    )
    func pairs(_ idToken: SignatureAlgorithm?, _ accessToken: SignatureAlgorithm?) async throws {
        let server = try await Self.server(idToken, accessToken)
        let set = try JWKSet(parsing: try await server.send(.get, .endpoint("certs")).body)
        let browser = TestBrowser(server)
        let first = try await server.tokens(browser: browser)
        let refresh = try first.refreshToken
        for reply in [first, try await server.refresh(refresh)] {
            let access = try reply.accessToken
            let text = try reply.idToken
            let claims = try JWT(parsing: text).verified(
                by: set.keys,
                allowing: [idToken ?? .es256],
                types: [.jwt]
            ).claims
            _ = try JWT(parsing: access).verified(
                by: set.keys,
                allowing: [accessToken ?? .es256],
                types: [.accessToken]
            )
            #expect(claims.string("at_hash") == (idToken ?? .es256).leftHalfHash(of: access))
            // Both are taken where they belong, and nowhere else.
            #expect(try await server.userInfo(access).status == 200)
            #expect(try await server.userInfo(text).status == 401)
            let silent = TestFlow.request("native1", [("prompt", "none"), ("id_token_hint", text)])
            expectCode(try await browser.authorize(silent))
            let other = TestFlow.change(silent, [("id_token_hint", access)])
            expectError(try await browser.authorize(other), "invalid_request")
        }
    }

    @Test("OpenID Connect Discovery §3: the metadata names the realm's keys, not the clients'")
    func metadata() async throws {
        let server = try await Self.server(.rs256, .edDSA)
        let path = "/realms/test/.well-known/openid-configuration"
        let usual = try await ProviderUnderTest()
        let names = try await server.send(.get, path).json.strings(
            "id_token_signing_alg_values_supported"
        )
        #expect(Set(names ?? []) == ["ES256", "RS256", "EdDSA", "PS256"])
        let chosen = try await usual.send(.get, path).json
        try await usual.change("native1") { $0.idTokenAlgorithm = .rs256 }
        #expect(try await usual.send(.get, path).json == chosen)
    }

    @Test("A client whose algorithm has no key in the realm gets an error, and no token")
    func missingKey() async throws {
        for isIDToken in [true, false] {
            let server = try await ProviderUnderTest { realm in
                for index in realm.clients.indices {
                    if isIDToken {
                        realm.clients[index].idTokenAlgorithm = .ps256
                    } else {
                        realm.clients[index].accessTokenAlgorithm = .ps256
                    }
                }
            }
            let reply = try await server.tokens()
            #expect(reply.error == "server_error")
            #expect(reply.json["access_token"] == nil && reply.json["id_token"] == nil)
        }
    }

    @Test("RFC 9068 §2.1: typed JWT, an access token is one at every endpoint, no ID Token is")
    func plainType() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.realm.accessTokenType = .jwt
            realm.clients[client: "other1"].accessTokenType = .atJWT
        }
        let typed = try await server.tokens("alice", "other1")
        let access = try JWT(parsing: try typed.accessToken)
        #expect(access.header.members.string("typ") == "at+jwt", "the client's own setting wins")
        let tokens = try await server.tokens("alice", "web1")
        let text = try tokens.accessToken
        #expect(try JWT(parsing: text).header.members.string("typ") == "JWT")
        let idToken = try tokens.idToken
        func ask(_ endpoint: String, _ token: String) async throws -> Reply {
            try await server.post(.endpoint(endpoint), [("token", token)], headers: .web1)
        }
        #expect(try await ask("token/introspect", text).json.bool("active") == true)
        #expect(try await ask("token/introspect", idToken).json.bool("active") == false)
        #expect(try await server.userInfo(text).status == 200)
        #expect(try await server.userInfo(idToken).status == 401)
        // An ID Token revokes nothing; an access token does.
        #expect(try await ask("revoke", idToken).status == 200)
        #expect(try await server.userInfo(text).status == 200)
        // Nor is an access token a hint.
        let hint = TestFlow.request("web1", [("prompt", "none"), ("id_token_hint", text)])
        let path = TestBrowser.authorizationPath(hint)
        expectError(try await server.send(.get, path), "invalid_request", of: "web1")
        #expect(try await ask("revoke", text).status == 200)
        #expect(try await server.userInfo(text).status == 401)
    }
}
