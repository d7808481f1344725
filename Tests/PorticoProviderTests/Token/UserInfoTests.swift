import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("UserInfo") struct UserInfoTests {
    private let path = String.endpoint("userinfo")

    @Test("OpenID Connect Core §5.3.1: GET and POST, header and body, give the same answer")
    func ways() async throws {
        let server = try await ProviderUnderTest()
        let token = try await server.tokens().accessToken
        let get = try await server.userInfo(token)
        let header: HTTPFields = [.authorization: "Bearer " + token]
        let post = try await server.send(.post, path, headers: header)
        let body = try await server.post(path, [("access_token", token)])
        #expect(get.status == 200)
        #expect(get.text == post.text)
        #expect(get.text == body.text)
        #expect(get.headers[.contentType] == "application/json")
        #expect(get.headers[.cacheControl] == "no-store")
        // RFC 6750 §2.2: the body of a GET has no meaning.
        let inGET = try await server.send(
            .get,
            path,
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Array(("access_token=" + token).utf8)
        )
        #expect(inGET.status == 401)
    }

    @Test("attack H10, RFC 6750 §2.1: the scheme's case does not matter, the token's syntax does")
    func syntax() async throws {
        let server = try await ProviderUnderTest()
        let token = try await server.tokens().accessToken
        let lower = try await server.send(.get, path, headers: [.authorization: "bearer " + token])
        #expect(lower.status == 200)
        let long = String(repeating: "a", count: 1_000_000)
        for header in [
            "Bearer a,b", "Bearer ", "Bearer", "Bearer a b", "Bearer " + long,
            "Basic x",
        ] {
            let reply = try await server.send(.get, path, headers: [.authorization: header])
            #expect(reply.status == 400, "RFC 6750 §3.1: malformed, not invalid")
            let challenges = reply.headers[values: .wwwAuthenticate]
            #expect(challenges.last?.hasPrefix("Bearer realm=") == true)
        }
    }

    @Test("attack H08, RFC 6750 §2.3: a token in the query is not used")
    func query() async throws {
        let server = try await ProviderUnderTest()
        let token = try await server.tokens().accessToken
        let reply = try await server.send(.get, path + "?access_token=" + token)
        #expect(reply.status == 401)
        let challenge = try #require(reply.headers[.wwwAuthenticate])
        #expect(!challenge.contains("error"), "RFC 6750 §3.1: no error where no token was sent")
    }

    @Test("attack H09, RFC 6750 §2: a token in two places is refused")
    func twoPlaces() async throws {
        let server = try await ProviderUnderTest()
        let token = try await server.tokens().accessToken
        let reply = try await server.post(
            path,
            [("access_token", token)],
            headers: [.authorization: "Bearer " + token]
        )
        #expect(reply.status == 400 && reply.error == "invalid_request")
    }

    @Test("RFC 6750 §3.1: an unknown, altered, expired or other token is invalid_token")
    func invalid() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens()
        let access = try tokens.accessToken
        let idToken = try tokens.idToken
        let refresh = try tokens.refreshToken
        for token in ["x", String(access.dropLast(2)) + "AA", idToken, refresh] {
            let reply = try await server.userInfo(token)
            #expect(reply.status == 401)
            #expect(reply.headers[.wwwAuthenticate]?.contains(#"error="invalid_token""#) == true)
        }
        server.clock.advance(by: 300)
        #expect(try await server.userInfo(access).status == 401)
    }

    @Test("OpenID Connect Core §5.3.1: scope openid alone gives sub alone; without it 403")
    func scopes() async throws {
        let server = try await ProviderUnderTest()
        let openid = try await server.tokens("alice", "plain", scope: "openid")
        let alone = try await server.userInfo(try openid.accessToken)
        #expect(alone.status == 200)
        #expect(alone.json.count == 1)
        #expect(alone.json.string("sub") != nil)
        let profile = try await server.tokens("alice", "plain", scope: "profile")
        #expect(profile.json["id_token"] == nil, "OpenID Connect Core §3.1.2.1: plain OAuth")
        let refused = try await server.userInfo(try profile.accessToken)
        #expect(refused.status == 403)
        #expect(refused.headers[.wwwAuthenticate]?.contains("insufficient_scope") == true)
    }

    @Test(
        "OpenID Connect Core §5.4: a scope asks for exactly its claims",
        arguments: [
            (
                "profile",
                ["name", "given_name", "family_name", "preferred_username", "locale", "updated_at"]
            ),
            ("email", ["email", "email_verified"]),
            ("phone", ["phone_number", "phone_number_verified"]),
            ("address", ["address"]),
        ]
    )
    func standardClaims(scope: String, names: [String]) async throws {
        let server = try await ProviderUnderTest { realm in
            realm.people[0].person.attributes = [
                "locale": ["en"], "phone_number": ["+1 555 0100"],
                "phone_number_verified": ["true"], "street": ["1 Main St"], "nickname": [""],
            ]
        }
        let tokens = try await server.tokens("alice", "plain", scope: "openid " + scope)
        let info = try await server.userInfo(try tokens.accessToken)
        #expect(Set(info.json.map(\.name)) == Set(names + ["sub"]))
        if scope == "email" { #expect(info.json.bool("email_verified") == true) }
        if scope == "profile" { #expect(info.json.int64("updated_at") != nil) }
        if scope == "address" {
            #expect(info.json.object("address")?.string("street_address") == "1 Main St")
        }
    }

    @Test("RFC 9700 §2.3: a token for another audience only is not for UserInfo")
    func audience() async throws {
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices {
                realm.clients[index].mappers = [ClaimMapper(.audience("https://api.example.com"))]
            }
        }
        let openid = try await server.tokens()
        let access = try openid.accessToken
        let claims = try JWT(parsing: access).uncheckedClaims()
        #expect(claims.strings("aud") == ["https://api.example.com", TestRealm.issuer])
        #expect(try await server.userInfo(access).status == 200)
        let plain = try await server.tokens("alice", "plain", scope: "profile")
        let other = try plain.accessToken
        let audience = try JWT(parsing: other).uncheckedClaims().string("aud")
        #expect(audience == "https://api.example.com")
        let refused = try await server.userInfo(other)
        #expect(refused.status == 401)
        #expect(refused.headers[.wwwAuthenticate]?.contains(#"error="invalid_token""#) == true)
    }

    @Test("Roles stand in access token, ID Token and UserInfo, and under a mapper's own claim")
    func roles() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.realm.mappers = [ClaimMapper(.realmRoles(prefix: ""), "roles")]
        }
        let tokens = try await server.tokens()
        let access = try tokens.accessToken
        let idToken = try tokens.idToken
        let info = try await server.userInfo(access)
        for claims in [
            try JWT(parsing: access).uncheckedClaims(), try JWT(parsing: idToken).uncheckedClaims(),
            info.json,
        ] {
            #expect(claims.object("realm_access")?.strings("roles") == ["editor"])
            #expect(
                claims.object("resource_access")?.object("web1")?.strings("roles") == ["publisher"]
            )
            #expect(claims.strings("roles") == ["editor"])
        }
    }

    @Test("mappers put names into access tokens, and a list of roles for a person without any")
    func expectedByAPIs() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.realm.mappers = [
                ClaimMapper(.fixedClaim(["roles": []]), "realm_access"),
                ClaimMapper(.property("username"), "preferred_username", into: [.accessToken]),
            ]
            realm.people = realm.people.map { new in
                var new = new
                if new.person.username != "alice" { new.roles = [] }
                return new
            }
        }
        for (name, roles) in [("alice", ["editor"]), ("bob", [])] {
            let tokens = try await server.tokens(name)
            let claims = try tokens.accessClaims
            #expect(claims.object("realm_access")?.strings("roles") == roles)
            #expect(claims.string("preferred_username") == name)
        }
    }

    @Test("A mapper never replaces a claim of the protocol")
    func reservedClaims() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.realm.mappers = ["sub", "iss", "aud", "exp", "sid"].map {
                ClaimMapper(.fixedClaim("forged"), $0)
            }
        }
        let tokens = try await server.tokens()
        let text = try tokens.accessToken
        #expect(!"\(try JWT(parsing: text).uncheckedClaims().serialized())".contains("forged"))
        #expect(try await server.userInfo(text).status == 200)
    }

    @Test("OpenID Connect Core §5.3: registered origins may read it, others may not")
    func crossOrigin() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].webOrigins = ["https://app.example.com"]
        }
        let token = try await server.tokens().accessToken
        for (origin, allowed) in [
            ("https://app.example.com", true), ("https://evil.example", false), ("null", false),
        ] {
            let headers: HTTPFields = [.authorization: "Bearer " + token, .origin: origin]
            let reply = try await server.send(.get, path, headers: headers)
            #expect((reply.headers[.accessControlAllowOrigin] == origin) == allowed)
            #expect(reply.headers[.accessControlAllowCredentials] == nil)
        }
    }
}
