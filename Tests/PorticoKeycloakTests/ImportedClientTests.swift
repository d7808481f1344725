import PorticoBytes
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: what a client may do") struct ImportedClientTests {
    @Test("A client that is disabled there is disabled here")
    func disabled() async throws {
        let clients = try await ImportSample.clients([#""enabled": false"#, #""enabled": true"#])
        #expect(clients.map { $0.client?.isEnabled } == [false, true])
    }

    @Test("A client authenticates as it does there, or is left out: no one gets an easier way")
    func method() async throws {
        let cases: [(String, ClientAuthenticationMethod?)] = [
            (
                #""clientAuthenticatorType": "client-secret", "secret": "a long enough secret""#,
                .clientSecretBasic
            ),
            (#""secret": "a long enough secret""#, .clientSecretBasic),
            (#""publicClient": true"#, ClientAuthenticationMethod.none),
            // A public client proves nothing, whatever else the file says.
            (
                #""publicClient": true, "clientAuthenticatorType": "client-x509""#,
                ClientAuthenticationMethod.none
            ),
            (#""clientAuthenticatorType": "client-secret-jwt""#, nil),
            (#""clientAuthenticatorType": "client-x509""#, nil),
            (#""clientAuthenticatorType": "federated-jwt""#, nil),
            // Without its keys it would authenticate by nothing.
            (#""clientAuthenticatorType": "client-jwt""#, nil),
            (#""clientAuthenticatorType": "client-jwt", "attributes": {"jwks.string": "{"}"#, nil),
        ]
        let clients = try await ImportSample.clients(cases.map(\.0))
        for (imported, (members, expected)) in zip(clients, cases) {
            let client = try #require(imported.client, "\(members)")
            #expect(client.authentication == expected ?? .clientSecretBasic, "\(members)")
            #expect(client.isEnabled == (expected != nil), "\(members)")
            #expect(imported.says(.disabled, "") == (expected == nil), "\(members)")
            if expected == nil {
                guard case .hashed? = client.secret else {
                    Issue.record("\(members): someone knows its secret")
                    continue
                }
            }
        }
    }

    @Test("Keys beside the address that a client takes its keys from are old, and let no one in")
    func keysByAddress() async throws {
        let key =
            #"{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"use\": \"sig\", \"alg\": \"EdDSA\","#
            + #" \"kid\": \"p\", \"x\": \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}"#
        let clients = try await ImportSample.clients(
            ["false", "true"].map { isOn in
                #""clientAuthenticatorType": "client-jwt", "attributes": {"use.jwks.url": "\#(isOn)","#
                    + #" "jwks.url": "https://a.example/keys", "jwks.string": "{\"keys\": [\#(key)]}"}"#
            }
        )
        #expect(clients.map { $0.client?.authentication } == [.privateKeyJWT, .clientSecretBasic])
        #expect(clients.map { $0.client?.isEnabled } == [true, false])
        #expect(clients[1].client?.keySet == nil)
        #expect(clients[1].says(.disabled, "its keys are not in the file"))
    }

    @Test("A secret that the file masks or lacks is none that anyone knows")
    func unknownSecret() async throws {
        let clients = try await ImportSample.clients([
            #""secret": "**********""#, #""secret": "*""#, #""secret": """#,
            #""secret": null"#, #""description": "no secret""#,
        ])
        for imported in clients {
            guard case .hashed(let hash)? = imported.client?.secret else {
                Issue.record("What stands there was taken for a secret: \(imported.lines)")
                continue
            }
            for text in ["**********", "*", ""] {
                #expect(hash != Hash256(of: text).bytes)
            }
            #expect(imported.says(.changed, "make a new one"))
        }
    }

    @Test("A secret beside keys or a certificate was never enough, and is not taken over")
    func secretBeside() async throws {
        let secret = #", "secret": "a long enough secret""#
        let clients = try await ImportSample.clients([
            #""clientAuthenticatorType": "client-x509""# + secret,
            #""clientAuthenticatorType": "client-jwt""# + secret,
            #""clientAuthenticatorType": "client-secret-jwt""# + secret,
        ])
        let isSealed = clients.map { imported in
            if case .sealed? = imported.client?.secret { true } else { false }
        }
        #expect(isSealed == [false, false, true])
        #expect(clients.allSatisfy { $0.client?.isEnabled == false })
    }

    @Test("OIDCBCL-2.2-1: a back-channel logout URL comes along, or is left out and told of")
    func backchannel() async throws {
        let cases: [(url: String, needsSession: Bool, isPublic: Bool, isTaken: Bool)] = [
            ("https://a.example/logout", true, false, true),
            ("http://127.0.0.1:8080/logout", false, false, true), ("", true, false, false),
            ("http://a.example/logout", false, false, false), ("/logout", false, false, false),
            ("https://a.example/logout#x", false, false, false),
            ("http://127.0.0.1:8080/logout", false, true, false),
        ]
        let clients = try await ImportSample.clients(
            cases.map {
                #"""
                "publicClient": \#($0.isPublic), "attributes": {"backchannel.logout.url": "\#($0.url)",
                    "backchannel.logout.session.required": "\#($0.needsSession)"}
                """#
            }
        )
        for (imported, one) in zip(clients, cases) {
            let client = try #require(imported.client, "\(one)")
            #expect(client.backchannelLogoutURI?.text == (one.isTaken ? one.url : nil), "\(one)")
            let needsSession = one.isTaken && one.needsSession
            #expect(client.backchannelLogoutSessionRequired == needsSession, "\(one)")
            let isTold = imported.says(.changed, "back-channel logout URL")
            #expect(isTold == (!one.isTaken && !one.url.isEmpty), "\(one)")
        }
    }

    @Test("Decision 0032: who must use PKCE there must here, with S256 whatever the file says")
    func pkce() async throws {
        let cases = [
            ("S256", true, false), ("plain", true, true), ("s256", true, true), ("", false, false),
        ]
        let clients = try await ImportSample.clients(
            cases.map {
                #""publicClient": true, "attributes": {"pkce.code.challenge.method": "\#($0.0)"}"#
            }
        )
        for (imported, (method, isRequired, isReported)) in zip(clients, cases) {
            #expect((imported.client?.codeProtection == .pkce) == isRequired, "\(method)")
            #expect(imported.says(.changed, "must use PKCE with S256") == isReported, "\(method)")
        }
    }

    @Test("Grants are those that the client has there, and that exist here")
    func grants() async throws {
        let cases: [(String, Set<GrantType>)] = [
            (#""standardFlowEnabled": true"#, [.authorizationCode, .refreshToken]),
            (#""standardFlowEnabled": false"#, []),
            (#""bearerOnly": true, "serviceAccountsEnabled": true"#, []),
            (
                #""serviceAccountsEnabled": true, "standardFlowEnabled": false"#,
                [.clientCredentials]
            ),
            (
                #""publicClient": true, "serviceAccountsEnabled": true"#,
                [.authorizationCode, .refreshToken]
            ),
            (#""implicitFlowEnabled": true, "standardFlowEnabled": false"#, []),
            (#""directAccessGrantsEnabled": true, "standardFlowEnabled": false"#, []),
            (#""attributes": {"use.refresh.tokens": "false"}"#, [.authorizationCode]),
            (#""attributes": {"use.refresh.tokens": false}"#, [.authorizationCode]),
            // No one can sign in to it, but it stays what it is.
            (
                #""publicClient": true, "redirectUris": ["https://*.a.example/cb"]"#,
                [.authorizationCode, .refreshToken]
            ),
        ]
        let clients = try await ImportSample.clients(cases.map(\.0))
        for (imported, (members, expected)) in zip(clients, cases) {
            #expect(imported.client?.grantTypes == expected, "\(members)")
        }
        #expect(clients[4].says(.changed, "no service account"))
        #expect(clients[5].says(.changed, "implicit flow is switched off"))
        #expect(clients[6].says(.changed, "password grant is switched off"))
        #expect(clients[9].client?.redirectURIs == [])
        #expect(clients[9].says(.changed, "no redirect URI left"))
    }

    @Test("Of two clients with one id the first is taken; no one signs in to Keycloak's own")
    func twice() async throws {
        let imported = try await ImportSample.realm(
            """
            "clients": [
                {"clientId": "a", "redirectUris": ["https://first.example/cb"]},
                {"clientId": "a", "redirectUris": ["https://second.example/cb"]},
                {"clientId": "admin-cli", "publicClient": true, "redirectUris": ["/*"]},
                {"clientId": "realm-management"}, {"clientId": "broker"},
                {"clientId": "account-console"}, {"clientId": "security-admin-console"},
                {"clientId": "shop-realm", "redirectUris": ["https://shop.example/cb"]}
            ]
            """
        )
        // The one that the file lacks is made.
        #expect(imported.realm.clients.last?.clientID == "account")
        let clients = imported.realm.clients.dropLast()
        let builtIn = [
            "admin-cli", "realm-management", "broker", "account-console", "security-admin-console",
        ]
        #expect(clients.map(\.clientID) == ["a"] + builtIn + ["shop-realm"])
        #expect(clients.first?.redirectURIs.map(\.text) == ["https://first.example/cb"])
        #expect(clients.last?.redirectURIs.map(\.text) == ["https://shop.example/cb"])
        for client in clients where builtIn.contains(client.clientID) {
            #expect(client.type == .public && client.authentication == .none)
            #expect(client.secret == nil && client.grantTypes.isEmpty)
            #expect(client.redirectURIs.isEmpty && client.webOrigins.isEmpty)
            let subject = "client \(client.clientID)"
            #expect(imported.report.says(.changed, subject, "kept for its roles"))
        }
        #expect(imported.report.says(.skipped, "client a", "twice"))
        // The master realm has one for each realm, and they administer it.
        let master = try await RealmImportTests.read(
            #"{"realm": "master", "clients": [{"clientId": "shop-realm"}, {"clientId": "b"}]}"#
        )
        let others = master[0].realm.clients.filter { !$0.isMade }
        #expect(others.map(\.clientID) == ["shop-realm", "b"])
        #expect(others.map(\.grantTypes.isEmpty) == [true, false])
    }

    @Test("Keycloak's own clients are protected as the file says")
    func ownProtection() async throws {
        let imported = try await ImportSample.realm(
            """
            "clients": [
                {"clientId": "admin-cli", "enabled": false},
                {"clientId": "broker", "consentRequired": true,
                 "attributes": {"dpop.bound.access.tokens": "true"}},
                {"clientId": "account-console",
                 "attributes": {"tls.client.certificate.bound.access.tokens": "true"}}
            ]
            """
        )
        func client(_ name: String) throws -> Client {
            try #require(imported.realm.clients.first { $0.clientID == name })
        }
        #expect(try client("admin-cli").isEnabled == false)
        #expect(try client("broker").requiresConsent && client("broker").dpopBoundAccessTokens)
        #expect(try client("broker").isEnabled)
        #expect(try client("account-console").isEnabled == false)
        #expect(imported.report.says(.disabled, "client account-console", "certificate"))
    }

    @Test("An algorithm that is not known here is replaced by the realm's, and said so")
    func algorithm() async throws {
        let (forID, forAccess) = (
            "id.token.signed.response.alg", "access.token.signed.response.alg"
        )
        let cases: [([String: String], SignatureAlgorithm?, SignatureAlgorithm?, Bool)] = [
            ([forID: "RS256"], .rs256, nil, false), ([forAccess: "RS256"], nil, .rs256, false),
            ([forID: "HS256"], nil, nil, true), ([forAccess: "none"], nil, nil, true),
            ([forID: "RS256", forAccess: "ES256"], .rs256, .es256, false),
        ]
        let clients = try await ImportSample.clients(
            cases.map { attributes, _, _, _ in
                let members = attributes.map { #""\#($0)": "\#($1)""# }.joined(separator: ", ")
                return #""attributes": {\#(members)}"#
            }
        )
        for (imported, (attributes, idToken, accessToken, isReported)) in zip(clients, cases) {
            #expect(imported.client != nil)
            #expect(imported.client?.idTokenAlgorithm == idToken, "\(attributes)")
            #expect(imported.client?.accessTokenAlgorithm == accessToken, "\(attributes)")
            #expect(imported.says(.changed, "not known here") == isReported, "\(attributes)")
        }
    }

    @Test(
        "Access tokens are typed as the client's attribute says: JWT, unless it asks for RFC 9068"
    )
    func accessTokenType() async throws {
        let name = "access.token.header.type.rfc9068"
        let clients = try await ImportSample.clients([
            #""enabled": true"#, #""attributes": {"\#(name)": "true"}"#,
            #""attributes": {"\#(name)": "false"}"#,
        ])
        #expect(clients.map(\.client?.accessTokenType) == [.jwt, .atJWT, .jwt])
    }

    @Test("RFC 6750 §5.3: access tokens live a day at most, whatever the file says")
    func lifetime() async throws {
        let cases: [(String, Int64?, Bool)] = [
            ("600", 600, false), ("999999999", 86_400, true), ("1", 10, true), ("0", nil, true),
            ("-600", nil, true), ("soon", nil, true), ("99999999999999999999", nil, true),
            ("", nil, false),
        ]
        let clients = try await ImportSample.clients(
            cases.map { #""attributes": {"access.token.lifespan": "\#($0.0)"}"# }
        )
        for (imported, (text, expected, isReported)) in zip(clients, cases) {
            #expect(imported.client != nil)
            #expect(imported.client?.accessTokenLifetime == expected, "\(text)")
            #expect(imported.says(.changed, "access token") == isReported, "\(text)")
        }
    }

    @Test("OpenID Connect Core §11, §3.1.2.1: no one gets openid or offline_access unasked")
    func scopes() async throws {
        let imported = try await ImportSample.clients([
            """
            "defaultClientScopes": ["openid", "profile", "offline_access", "profile", "acr"],
            "optionalClientScopes": ["openid", "email", "web-origins", "nowhere", "acr"]
            """,
            #""publicClient": true"#,
        ])
        #expect(imported[0].client?.defaultScopes == ["profile", "acr"])
        #expect(imported[0].client?.optionalScopes == ["email", "web-origins", "offline_access"])
        #expect(imported[0].says(.changed, "must ask for offline_access"))
        // Keycloak's own, where neither the realm nor the client names any.
        #expect(
            imported[1].client?.defaultScopes
                == ["basic", "profile", "email", "roles", "web-origins", "acr"]
        )
        #expect(
            imported[1].client?.optionalScopes
                == ["address", "phone", "offline_access", "microprofile-jwt"]
        )
    }

    @Test("A client's representation is kept without its secrets and what has a place of its own")
    func representation() async throws {
        let imported = try await ImportSample.clients([
            #"""
            "id": "00000000-0000-4000-8000-000000000001", "secret": "a long enough secret",
            "registrationAccessToken": "a token", "webOrigins": ["+"], "adminUrl": "/admin",
            "fullScopeAllowed": false, "description": "${client_a}", "notBefore": 7,
            "attributes": {
                "client.secret.rotated": "an old secret", "client.secret.rotated.creation.time": "1",
                "saml.signing.private.key": "a key", "private.key": "a key",
                "post.logout.redirect.uris": "+", "login_theme": "leaves"
            }
            """#
        ])
        let expected: JSONObject = [
            "adminUrl": "/admin", "description": "${client_a}",
            "attributes": ["login_theme": "leaves"],
        ]
        let client = try #require(imported[0].client)
        #expect(client.kept.object == expected)
        #expect(!client.seesAllRoles && client.notBefore == 7)
    }
}
