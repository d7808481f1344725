import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Apps by document, in a realm of OpenID Connect") struct AppsByDocumentTests {
    private static let url = "https://app.example.com/client.json"
    private static let redirect = "https://app.example.com/callback"
    private static let apps = "/realms/test/account/apps"
    private static let flag = "client_id_metadata_document_supported"

    /// A realm, and an app that it knows nothing of but the document at ``url``.
    private struct Scene {
        let server: ProviderUnderTest
        let sites = DocumentSites()
        let app: Prover
        let key: SigningKey
        let document: JSONObject

        init(_ changes: JSONObject = [:], isConfidential: Bool = false, isOn: Bool = true)
            async throws
        {
            key = try SigningKey(generating: .es256, keyID: "one", random: .system)
            var document: JSONObject = [
                "client_id": .string(AppsByDocumentTests.url),
                "redirect_uris": [.string(AppsByDocumentTests.redirect)],
                "token_endpoint_auth_method": "none", "client_name": "Your bank",
                "grant_types": ["authorization_code", "refresh_token"],
            ]
            if isConfidential {
                document["token_endpoint_auth_method"] = "private_key_jwt"
                document["token_endpoint_auth_signing_alg"] = "ES256"
                document["jwks"] = ["keys": [.object(key.verificationKey.jwk.object)]]
            }
            self.document = document.merging(changes)
            sites[AppsByDocumentTests.url] = DocumentSites.Answer(self.document)
            server = try await ProviderUnderTest(documentsBy: sites) {
                $0.realm.profile.takesDocuments = isOn
            }
            app = try Prover(server)
        }

        /// What a confidential client authenticates with; nothing for a public one.
        var proof: [(String, String)] {
            get throws {
                guard document["jwks"] != nil else { return [] }
                let claims: JSONObject = [
                    "iss": .string(AppsByDocumentTests.url),
                    "sub": .string(AppsByDocumentTests.url), "aud": .string(TestRealm.issuer),
                    "iat": .integer(server.clock.seconds),
                    "exp": .integer(server.clock.seconds + 60),
                    "jti": .string(RandomSource.system.text(16)),
                ]
                return [
                    (
                        "client_assertion_type",
                        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                    ),
                    ("client_assertion", try key.sign(claims: claims, type: .jwt)),
                ]
            }
        }

        func request(_ scope: String) -> [(String, String)] {
            TestFlow.request(
                AppsByDocumentTests.url,
                scope: scope,
                [("redirect_uri", AppsByDocumentTests.redirect)]
            )
        }

        func push(_ scope: String = "openid email offline_access") async throws -> Reply {
            try await server.post(
                ProviderUnderTest.path("ext/par/request"),
                try request(scope) + proof
            )
        }

        /// What a browser brings to the authorization endpoint.
        func reference(_ scope: String = "openid email offline_access") async throws
            -> [(String, String)]
        {
            let pushed = try await push(scope)
            let uri = try #require(pushed.json.string("request_uri"), "\(pushed.text)")
            return [("client_id", AppsByDocumentTests.url), ("request_uri", uri)]
        }

        func form(_ code: String) throws -> [(String, String)] {
            TestFlow.redemption(
                code,
                AppsByDocumentTests.url,
                [("redirect_uri", AppsByDocumentTests.redirect)]
            ) + (try proof)
        }

        /// Tokens that alice gives the app in that browser.
        func tokens(
            _ scope: String = "openid email offline_access",
            _ browser: TestBrowser? = nil
        ) async throws -> Reply {
            let browser = browser ?? TestBrowser(server)
            let page = try await browser.signIn("alice", try await reference(scope))
            let answer = try await browser.submit(page, [("action", "allow")])
            let code = try #require(answer.redirected["code"], "\(answer.text)")
            return try await app.post("token", try form(code))
        }

        func refresh(_ token: String) async throws -> Reply {
            let form = [
                ("grant_type", "refresh_token"), ("refresh_token", token),
                ("client_id", AppsByDocumentTests.url),
            ]
            return try await app.post("token", try form + proof)
        }

        var metadata: JSONObject {
            get async throws {
                let path = "/realms/test/.well-known/openid-configuration"
                return try await server.send(.get, path).json
            }
        }
    }

    @Test("decision 0064: a realm takes them only if that is switched on, and says so only then")
    func switched() async throws {
        let off = try await Scene(isOn: false)
        #expect(try await off.metadata[Self.flag] == nil)
        let unknown = try await off.push()
        #expect(unknown.status == 401 && unknown.error == "invalid_client")
        #expect(off.sites.fetched.isEmpty)
        let on = try await Scene()
        #expect(try await on.metadata.bool(Self.flag) == true)
        #expect(try await on.push().status == 201)
        #expect(on.sites.fetched == [Self.url])
        // Only hosts of the AT Protocol have a client for development.
        let local = try await on.server.post(
            ProviderUnderTest.path("ext/par/request"),
            TestFlow.request("http://localhost", [("redirect_uri", "http://127.0.0.1/")])
        )
        #expect(local.error == "invalid_client")
    }

    @Test("decision 0064: such an app always asks, and gets ordinary tokens without roles")
    func signsIn() async throws {
        let scene = try await Scene()
        let browser = TestBrowser(scene.server)
        let page = try await browser.signIn("alice", try await scene.reference())
        #expect(page.text.contains("app.example.com/client.json"))
        #expect(!page.text.contains("Your bank"), "a name that anyone can give themselves")
        let scope = "openid email roles offline_access"
        let reply = try await scene.tokens(scope)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json.string("token_type") == "DPoP")
        let granted = Set(reply.json.string("scope")?.split(separator: " ") ?? [])
        #expect(granted == ["openid", "email", "offline_access"], "its document names no others")
        let text = try #require(reply.json.string("access_token"))
        let claims = try JWT(parsing: text).uncheckedClaims()
        let own = try await scene.server.tokens("alice", "web1").json.string("access_token") ?? ""
        #expect(
            claims.string("sub") == (try JWT(parsing: own).uncheckedClaims().string("sub"))
        )
        #expect(claims.object("cnf")?.string("jkt") == scene.app.key.thumbprint.text)
        #expect(reply.json["id_token"] != nil)
        #expect(try await scene.app.userInfo(text).json.string("email") != nil)
        let refreshed = try await scene.refresh(reply.json.string("refresh_token") ?? "")
        #expect(refreshed.status == 200, "\(refreshed.text)")
        // Asked for or not, a stranger is told nothing of roles, nor given a scope that the realm has not.
        let asking = try await Scene(["scope": "openid roles unheard_of"])
        let told = try await asking.tokens("openid roles unheard_of")
        #expect(told.json.string("scope")?.contains("unheard_of") == false)
        let roles = try JWT(parsing: told.json.string("access_token") ?? "").uncheckedClaims()
        #expect(roles.object("realm_access")?.array("roles")?.isEmpty ?? true)
    }

    @Test("decision 0064: it pushes its requests and proves a key, whatever its document says")
    func demands() async throws {
        let scene = try await Scene([
            "dpop_bound_access_tokens": false, "require_pushed_authorization_requests": false,
        ])
        let direct = try await TestBrowser(scene.server).authorize(scene.request("openid"))
        #expect(direct.status == 400 && direct.redirected["code"] == nil)
        #expect(scene.sites.fetched.isEmpty, "nothing is fetched for a link")
        let browser = TestBrowser(scene.server)
        let page = try await browser.signIn("alice", try await scene.reference())
        let answer = try await browser.submit(page, [("action", "allow")])
        let code = try #require(answer.redirected["code"])
        let bare = try await scene.server.token(try scene.form(code))
        #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
        #expect(try await scene.app.post("token", try scene.form(code)).status == 200)
    }

    @Test("decision 0064: the account lists it with all other apps, and takes all back at once")
    func revoked() async throws {
        let scene = try await Scene(isConfidential: true)
        let browser = TestBrowser(scene.server)
        let tokens = try await scene.tokens("openid offline_access", browser)
        let refresh = try #require(tokens.json.string("refresh_token"), "\(tokens.text)")
        let access = try #require(tokens.json.string("access_token"))
        let page = try await browser.get(Self.apps)
        #expect(page.text.contains("Remove <bdi>app.example.com/client.json</bdi>"))
        let id = try #require(page.hiddenFields.first { $0.name == "id" }?.value)
        let removed = try await browser.post(
            Self.apps,
            page.formProof + [("id", id), ("action", "remove")]
        )
        #expect(removed.text.contains("can no longer use your account"))
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
        #expect(try await scene.app.userInfo(access).status == 401)
        #expect(scene.server.log.contains("event=consent.removed "))
    }

    @Test(
        "decision 0064: a confidential one is asked about once, and again when its document has changed"
    )
    func consents() async throws {
        let scene = try await Scene(isConfidential: true)
        let browser = TestBrowser(scene.server)
        _ = try await scene.tokens("openid offline_access", browser)
        func isSilent() async throws -> Bool {
            let scope = "openid offline_access"
            let answer = try await browser.authorize(try await scene.reference(scope))
            return answer.redirected["code"] != nil
        }
        #expect(try await isSilent())
        let other: JSONValue = [.string(Self.redirect), "https://app.example.com/other"]
        scene.sites[Self.url] = DocumentSites.Answer(
            scene.document.merging(["redirect_uris": other])
        )
        scene.server.clock.advance(by: 600)
        #expect(try await !isSilent())
        // A public client proves nothing that could be remembered.
        let stranger = try await Scene()
        let again = TestBrowser(stranger.server)
        _ = try await stranger.tokens("openid", again)
        let asked = try await again.authorize(try await stranger.reference("openid"))
        #expect(asked.redirected["code"] == nil)
    }

    @Test(
        "decision 0064: a client that is registered under an address is never taken from a document"
    )
    func registered() async throws {
        let scene = try await Scene()
        let tokens = try await scene.tokens()
        let refresh = try #require(tokens.json.string("refresh_token"))
        let realms = scene.server.database.realms
        let realm = try #require(try await realms.snapshot().realms.first)
        var client = Client.app(Self.url, "App", realmID: realm.id)
        client.redirectURIs = [RedirectURI("https://registered.example.com/cb")]
        #expect(try await realms.create(client) == .created)
        try await scene.server.provider.realms.refresh()
        let fetched = scene.sites.fetched.count
        scene.server.clock.advance(by: 601)
        let pushed = try await scene.push("openid")
        #expect(pushed.status == 400, "the document's redirect is none of the client's")
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
        #expect(scene.sites.fetched.count == fetched)
    }

    @Test("decision 0064: once it is switched off, what such apps have is worth nothing")
    func switchedOff() async throws {
        let scene = try await Scene()
        let tokens = try await scene.tokens()
        let access = try #require(tokens.json.string("access_token"))
        #expect(try await scene.app.userInfo(access).status == 200)
        let realms = scene.server.database.realms
        var realm = try #require(try await realms.snapshot().realms.first)
        realm.profile.takesDocuments = false
        #expect(try await realms.update(realm) == .changed)
        try await scene.server.provider.realms.refresh()
        #expect(try await scene.app.userInfo(access).status == 401)
        let refresh = tokens.json.string("refresh_token") ?? ""
        #expect(try await scene.refresh(refresh).error == "invalid_client")
    }

    @Test("ATP-AS-4: scripts of any site may push and redeem there, without cookies")
    func scripts() async throws {
        let scene = try await Scene()
        for endpoint in ["ext/par/request", "token"] {
            let asked = try await scene.server.send(
                .options,
                ProviderUnderTest.path(endpoint),
                headers: [
                    .origin: "https://elsewhere.example.net", .accessControlRequestMethod: "POST",
                ]
            )
            #expect(asked.headers[.accessControlAllowOrigin] == "*", "\(endpoint)")
            #expect(asked.headers[.accessControlAllowCredentials] == nil)
        }
    }
}
