import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("POST /token: who asks, and how") struct TokenRequestTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    @Test(
        "attack C10, RFC 6749 §5.2: grant types that are not served",
        arguments: [
            ("password", "unsupported_grant_type"), ("implicit", "unsupported_grant_type"),
            ("authorization_code ", "unsupported_grant_type"), ("", "invalid_request"),
            ("client_credentials", "unauthorized_client"),
        ]
    )
    func grantTypes(grantType: String, error: String) async throws {
        let reply = try await server.token(
            TestFlow.redemption("x", "native1", [("grant_type", grantType), ("username", "alice")])
        )
        #expect(reply.status == 400)
        #expect(reply.error == error)
        #expect(reply.json["access_token"] == nil)
    }

    @Test(
        "RFC 6749 §5.2: a grant type that is not served is so for everyone, whatever they bring",
        arguments: [
            "Bearer x", "Digest x", "Basic !", ProviderUnderTest.basic("web1", "wrong"),
            ProviderUnderTest.basic("nobody", "x"), nil,
        ]
    )
    func unservedGrantType(authorization: String?) async throws {
        var headers: HTTPFields = [:]
        headers[.authorization] = authorization
        let path = String.endpoint("token")
        let uma = ("grant_type", "urn:ietf:params:oauth:grant-type:uma-ticket")
        for extra in [
            [], [("client_id", "web1"), ("client_secret", "x")], [("client_assertion", "x")],
        ] {
            // More often than anyone may guess: nothing was tried, so nothing is counted.
            for _ in 1...25 {
                let reply = try await server.post(path, [uma] + extra, headers: headers)
                #expect(reply.status == 400 && reply.error == "unsupported_grant_type")
                #expect(reply.headers[.wwwAuthenticate] == nil)
            }
        }
        #expect(!server.log.contains("client.refused"))
        // One that is served asks who is there, and whether they may.
        let refused = try await server.post(
            path,
            [("grant_type", "refresh_token")],
            headers: [.authorization: "Bearer x"]
        )
        #expect(refused.error == "invalid_client")
        let twice = [uma, ("grant_type", "refresh_token")]
        #expect(try await server.post(path, twice, headers: headers).error == "invalid_request")
    }

    @Test(
        "attack C13, RFC 6749 §3.2: the body is a form",
        arguments: ["application/json", "multipart/form-data; boundary=x", "text/plain", nil]
    )
    func contentTypes(type: String?) async throws {
        let code = try await server.code()
        let body = FormEncoding.encode(TestFlow.redemption(code).map { (name: $0.0, value: $0.1) })
        let reply = try await server.send(
            .post,
            .endpoint("token"),
            headers: type.map { [.contentType: $0] } ?? [:],
            body: body
        )
        #expect(reply.status == 400 && reply.error == "invalid_request")
        #expect(try await server.redeem(code).status == 200, "the code is still good")
    }

    @Test("RFC 6749 §3.2: a charset in the Content-Type does no harm")
    func charset() async throws {
        let code = try await server.code()
        let body = FormEncoding.encode(TestFlow.redemption(code).map { (name: $0.0, value: $0.1) })
        let reply = try await server.send(
            .post,
            .endpoint("token"),
            headers: [.contentType: "application/x-www-form-urlencoded; charset=UTF-8"],
            body: body
        )
        #expect(reply.status == 200)
    }

    @Test(
        "attack C14, RFC 6749 §2.3: more than one way of authentication is refused",
        arguments: [
            [("client_secret", TestRealm.secret), ("client_id", "web1")],
            [("client_assertion", "a.b.c"), TestFlow.assertionType],
        ]
    )
    func twoMethods(extra: [(String, String)]) async throws {
        let code = try await server.code("alice", "web1")
        let form = TestFlow.redemption(code, "web1", [("client_id", "")] + extra)
        let reply = try await server.token(form, basic: TestRealm.web1)
        #expect(reply.status == 400 && reply.error == "invalid_request")
    }

    @Test(
        "attack C15, RFC 6749 §5.2: credentials that cannot be read are invalid_client with a challenge",
        arguments: ["Basic !!!", "Basic d2ViMQ==", "Basic", "Digest x", "Bearer x"]
    )
    func unreadable(header: String) async throws {
        let reply = try await server.post(
            .endpoint("token"),
            TestFlow.own,
            headers: [.authorization: header]
        )
        #expect(reply.status == 401 && reply.error == "invalid_client")
        #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") == true)
    }

    @Test("attack C15: two Authorization headers, or 100 kB in one, are refused")
    func manyCredentials() async throws {
        var headers: HTTPFields = [:]
        let value = ProviderUnderTest.basic("web1", TestRealm.secret)
        headers.append(HTTPField(name: .authorization, value: value))
        headers.append(HTTPField(name: .authorization, value: value))
        let path = String.endpoint("token")
        #expect(
            try await server.post(path, TestFlow.own, headers: headers).error == "invalid_request"
        )
        let long = "Basic " + String(repeating: "A", count: 100_000)
        #expect(
            try await server.post(path, TestFlow.own, headers: [.authorization: long]).status == 401
        )
    }

    @Test("RFC 6749 §2.3.1: Basic credentials are form-decoded", arguments: ["a:b%+ ü/é"])
    func encodedCredentials(secret: String) async throws {
        let secretOfMachine = "p%:+ ü and more to be long"
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "machine"].secret = .hashed(Hash256(of: secretOfMachine).bytes)
            realm.clients[client: "machine"].clientID = "ma:chine"
        }
        let reply = try await server.token(TestFlow.own, basic: ("ma:chine", secretOfMachine))
        #expect(reply.status == 200)
    }

    @Test("RFC 6749 §10.10: of a secret that is kept as its hash only the very one will do")
    func hashedSecret() async throws {
        let secret = RandomSource.system.text(32)
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "machine"].secret = .hashed(Hash256(of: secret).bytes)
        }
        let hash = Base64URL.encode(Hash256(of: secret).bytes)
        for wrong in ["", "x", secret + "A", String(secret.dropLast()), hash] {
            let reply = try await server.token(TestFlow.own, basic: ("machine", wrong))
            #expect(reply.error == "invalid_client")
        }
        #expect(try await server.token(TestFlow.own, basic: ("machine", secret)).status == 200)
    }

    @Test("RFC 6749 §2.3.1: a confidential client proves itself, and never in the URL")
    func methods() async throws {
        let form = [("grant_type", "refresh_token"), ("refresh_token", "x")]
        #expect(try await server.token(form + [("client_id", "web1")]).status == 401)
        // The very credentials that would do in the body.
        let inBody = [("client_id", "other1"), ("client_secret", TestRealm.otherSecret)]
        #expect(try await server.token(form + inBody).error == "invalid_grant")
        let url = TestBrowser.authorizationPath(inBody, at: String.endpoint("token"))
        for form in [form, form + [("client_id", "other1")]] {
            let inURL = try await server.post(url, form)
            #expect(inURL.status == 401 && inURL.error == "invalid_client")
        }
        let query = String.endpoint("token?client_id=native1")
        #expect(try await server.post(query, form).error == "invalid_client")
    }

    @Test(
        "RFC 8252 §8.5: a secret proves nothing for a public client",
        arguments: [ClientAuthenticationMethod.none, .clientSecretPost]
    )
    func publicSecret(method: ClientAuthenticationMethod) async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].secret = .hashed(Hash256(of: "static secret").bytes)
            realm.clients[client: "native1"].authentication = method
        }
        let reply = try await server.token([
            ("grant_type", "client_credentials"), ("client_id", "native1"),
            ("client_secret", "static secret"),
        ])
        #expect(reply.error == "invalid_client")
    }

    @Test("RFC 6749 §3.2: repeated parameters are refused, empty ones missing, others ignored")
    func parameters() async throws {
        let code = try await server.code()
        let twice = TestFlow.redemption(code) + [("code", "other")]
        #expect(try await server.token(twice).error == "invalid_request")
        let empty = TestFlow.redemption(code).map { $0.0 == "code" ? ("code", "") : $0 }
        #expect(try await server.token(empty).error == "invalid_request")
        #expect(try await server.token(TestFlow.redemption(code) + [("foo", "bar")]).status == 200)
        // One that no one reads.
        let hints = [("token_type_hint", "access_token"), ("token_type_hint", "refresh_token")]
        let revocation = [("client_id", "native1"), ("token", "x")] + hints
        let revoked = try await server.post(.endpoint("revoke"), revocation)
        #expect(revoked.error == "invalid_request", "RFC 7009 §2.1")
    }

    @Test(
        "RFC 6749 appendix B: what is not UTF-8, or holds NUL, is refused",
        arguments: ["%FF", "%00", "%zz", "%"]
    )
    func encoding(value: String) async throws {
        let reply = try await server.send(
            .post,
            .endpoint("token"),
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Array("grant_type=authorization_code&client_id=native1&code=\(value)".utf8)
        )
        #expect(reply.status == 400 && reply.error == "invalid_request")
    }

    @Test("attack H04, RFC 6749 §3.2: other methods get 405 with Allow, and no token")
    func otherMethods() async throws {
        for method in [HTTPRequest.Method.get, .put, .delete] {
            let reply = try await server.send(method, String.endpoint("token"))
            #expect(reply.status == 405)
            #expect(reply.headers[.allow] == "POST")
        }
    }

    @Test("RFC 6749 §5.1: the answer has every member in its type, and is never cached")
    func answer() async throws {
        let reply = try await ProviderUnderTest().tokens()
        #expect(reply.headers[.contentType] == "application/json")
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(HTTPField.Name("Pragma").flatMap { reply.headers[$0] } == "no-cache")
        #expect(reply.json.string("token_type") == "Bearer")
        #expect(reply.json.int64("expires_in") == 300)
        #expect(reply.json.int64("refresh_expires_in") == 1800)
        #expect(reply.json.int64("not-before-policy") == 0)
        #expect(reply.json.string("session_state") != nil)
        #expect(reply.json.string("scope") == "openid profile email roles")
    }

    @Test("RFC 6749 §4.4: client credentials give a token of the client's own, no refresh token")
    func clientCredentials() async throws {
        let reply = try await server.token(
            [("grant_type", "client_credentials"), ("scope", "jobs")],
            basic: TestRealm.machine
        )
        #expect(reply.status == 200)
        #expect(reply.json["refresh_token"] == nil)
        #expect(reply.json["id_token"] == nil)
        let token = try reply.accessToken
        let claims = try JWT(parsing: token).uncheckedClaims()
        #expect(claims.string("sub") == "client:machine", "RFC 9700 §4.15: no person's name")
        #expect(claims.string("scope")?.contains("jobs") == true)
        #expect(try await server.userInfo(token).status == 403)
        // RFC 6749 §3.3: granted without it, and said so.
        for scope in ["openid", "openid jobs", "jobs openid"] {
            let reply = try await server.token(
                [("grant_type", "client_credentials"), ("scope", scope)],
                basic: TestRealm.machine
            )
            #expect(reply.status == 200)
            #expect(reply.json["id_token"] == nil, "there is nobody whom it could be about")
            let granted = try Scope(try #require(reply.json.string("scope")))
            #expect(!granted.contains("openid"))
            #expect(granted.contains("jobs") == scope.contains("jobs"))
            let access = try reply.accessToken
            #expect(try ProviderUnderTest.claims(access).string("scope") == granted.text)
            #expect(try await server.userInfo(access).status == 403)
        }
        // Nor where they are the client's defaults.
        try await server.change("machine") { $0.defaultScopes.append("offline_access") }
        let defaults = try await server.token(TestFlow.own, basic: TestRealm.machine)
        let granted = try Scope(defaults.json.string("scope") ?? "")
        #expect(!granted.contains("offline_access"))
        #expect(defaults.json["id_token"] == nil)
        for scope in ["openid admin", "OpenID"] {
            let reply = try await server.token(
                [("grant_type", "client_credentials"), ("scope", scope)],
                basic: TestRealm.machine
            )
            #expect(reply.error == "invalid_scope")
        }
        let wide = try await server.token(
            [("grant_type", "client_credentials"), ("scope", "admin")],
            basic: TestRealm.machine
        )
        #expect(wide.error == "invalid_scope")
        let unregistered = try await server.token(TestFlow.own, basic: TestRealm.web1)
        #expect(unregistered.error == "unauthorized_client")
    }

    private func account(isEnabled: Bool) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { new in
            guard let client = new.clients.first(where: { $0.clientID == "machine" }) else {
                return
            }
            var person = Person(
                id: "5f1e52f3-7a2b-4c70-8d57-4b3f0f1f7c11",
                realmID: new.realm.id,
                username: "service-account-machine",
                createdAt: 0
            )
            person.serviceClientID = client.id
            person.isEnabled = isEnabled
            let roles = [RoleName(clientID: nil, name: "editor")]
            new.people.append(NewPerson(person: person, password: nil, roles: roles))
        }
    }

    private func token(_ server: ProviderUnderTest) async throws -> Reply {
        try await server.token(TestFlow.own, basic: TestRealm.machine)
    }

    @Test("decision 0049: a client's own account is named in its tokens")
    func tokens() async throws {
        let reply = try await token(try await account(isEnabled: true))
        #expect(reply.status == 200)
        let claims = try reply.accessClaims
        #expect(claims.string("sub") == "5f1e52f3-7a2b-4c70-8d57-4b3f0f1f7c11")
        #expect(reply.json["refresh_token"] == nil)
    }

    @Test("decision 0049: a client's disabled account gives no tokens, and signs no one in")
    func disabled() async throws {
        let server = try await account(isEnabled: false)
        let before = try await server.remains()
        #expect(try await token(server).error == "unauthorized_client")
        #expect(try await server.remains() == before)
    }
}
