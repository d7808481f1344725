import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Apps by document, in a realm of OpenID Connect") struct AppsByDocumentTests {
    private static let apps = "/realms/test/account/apps"
    private static let flag = "client_id_metadata_document_supported"
    private static let scope = ("scope", "openid email offline_access")

    /// A realm of OpenID Connect, and an app that it knows nothing of but its document.
    private func scene(
        _ changes: JSONObject = [:],
        isConfidential: Bool = false,
        isOn: Bool = true
    ) async throws -> ATScene {
        let ordinary: JSONObject = ["scope": .null, "dpop_bound_access_tokens": .null]
        return try await ATScene(ordinary.merging(changes), isConfidential: isConfidential) {
            $0.realm.profile = RealmProfile()
            $0.realm.profile.takesDocuments = isOn
        }
    }

    private func metadata(_ scene: ATScene) async throws -> JSONObject {
        try await scene.server.send(.get, "/.well-known/openid-configuration").json
    }

    @Test("decision 0064: a realm takes them only if that is switched on, and says so only then")
    func switched() async throws {
        let off = try await scene(isOn: false)
        #expect(try await metadata(off)[Self.flag] == nil)
        let unknown = try await off.push([Self.scope])
        #expect(unknown.status == 401 && unknown.error == "invalid_client")
        #expect(off.sites.fetched.isEmpty)
        let on = try await scene()
        #expect(try await metadata(on).bool(Self.flag) == true)
        #expect(try await on.push([Self.scope]).status == 201)
        #expect(on.sites.fetched == [ATScene.url])
        // Only hosts of the AT Protocol have a client for development.
        let local = try await on.push([("client_id", "http://localhost"), Self.scope])
        #expect(local.error == "invalid_client")
    }

    @Test("decision 0064: such an app asks, and gets the tokens of any other")
    func signsIn() async throws {
        let scene = try await scene()
        let page = try await scene.signIn([Self.scope])
        #expect(page.text.contains("app.example.com/client.json"))
        #expect(!page.text.contains("The best app"), "a name that anyone can give themselves")
        let reply = try await scene.tokens([("scope", "openid email roles offline_access")])
        #expect(reply.json.string("token_type") == "DPoP", "\(reply.text)")
        let granted = Set(reply.json.string("scope")?.split(separator: " ").map(String.init) ?? [])
        #expect(granted == ["openid", "email", "offline_access"], "its document names no others")
        #expect(reply.json["id_token"] != nil)
        let claims = try reply.accessClaims
        #expect(claims.string("sub") != nil && claims.string("sub") != ATScene.dids["alice"])
        #expect(claims.string("aud") == ATScene.issuer)
        #expect(claims.object("cnf")?.string("jkt") == scene.app.key.thumbprint.text)
        let refreshed = try await scene.refresh(try reply.refreshToken)
        #expect(refreshed.status == 200, "\(refreshed.text)")
    }

    @Test("decision 0064: a stranger is told no roles, and given no scope that the realm has not")
    func strangers() async throws {
        let scope = "openid roles unheard_of"
        let reply = try await scene(["scope": .string(scope)]).tokens([("scope", scope)])
        #expect(reply.json.string("scope")?.contains("unheard_of") == false, "\(reply.text)")
        let claims = try reply.accessClaims
        #expect(claims.object("realm_access")?.array("roles")?.isEmpty ?? true)
        #expect(claims.object("resource_access")?.isEmpty ?? true)
    }

    @Test("decision 0064: it pushes its requests and proves a key, whatever its document says")
    func demands() async throws {
        let scene = try await scene(["dpop_bound_access_tokens": false])
        let direct = try await TestBrowser(scene.server).authorize(scene.request([Self.scope]))
        #expect(direct.status == 400 && direct.redirected["code"] == nil)
        #expect(scene.sites.fetched.isEmpty, "nothing is fetched for a link")
        let code = try await scene.code([Self.scope])
        let bare = try await scene.server.token([
            ("grant_type", "authorization_code"), ("code", code), ("client_id", ATScene.url),
            ("redirect_uri", ATScene.redirect), ("code_verifier", TestFlow.verifier),
        ])
        #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
        #expect(try await scene.redeem(code).status == 200)
    }

    @Test("decision 0064: the account lists it with all other apps, and takes all back at once")
    func revoked() async throws {
        let scene = try await scene(isConfidential: true)
        let tokens = try await scene.tokens([Self.scope])
        let refresh = try #require(tokens.json.string("refresh_token"), "\(tokens.text)")
        let browser = TestBrowser(scene.server)
        let page = try await browser.submit(try await browser.get(Self.apps), TestRealm.login())
        let list = page.status == 200 ? page : try await browser.get(Self.apps)
        #expect(list.text.contains("Remove <bdi>app.example.com/client.json</bdi>"))
        let id = try #require(list.hiddenFields.first { $0.name == "id" }?.value)
        let removed = try await browser.post(
            Self.apps,
            list.formProof + [("id", id), ("action", "remove")]
        )
        #expect(removed.text.contains("can no longer use your account"))
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
        #expect(scene.server.log.contains("event=consent.removed "))
    }

    @Test("decision 0064: a confidential one is asked about once, and again when it has changed")
    func consents() async throws {
        func isSilent(_ scene: ATScene, _ browser: TestBrowser) async throws -> Bool {
            let answer = try await browser.authorize(try await scene.reference([Self.scope]))
            return answer.redirected["code"] != nil
        }
        func allowed(_ scene: ATScene) async throws -> TestBrowser {
            let browser = TestBrowser(scene.server)
            let page = try await scene.signIn([Self.scope], as: "alice", browser)
            _ = try await browser.submit(page, [("action", "allow")])
            return browser
        }
        let scene = try await scene(isConfidential: true)
        let browser = try await allowed(scene)
        #expect(try await isSilent(scene, browser))
        let other: JSONValue = [.string(ATScene.redirect), "https://app.example.com/other"]
        scene.publish(["redirect_uris": other])
        scene.server.clock.advance(by: 600)
        #expect(try await !isSilent(scene, browser))
        // A public client proves nothing that could be remembered.
        let stranger = try await self.scene()
        #expect(try await !isSilent(stranger, try await allowed(stranger)))
    }

    @Test("decision 0064: a client registered under an address is not taken from a document")
    func registered() async throws {
        let scene = try await scene()
        let tokens = try await scene.tokens([Self.scope])
        let refresh = try #require(tokens.json.string("refresh_token"), "\(tokens.text)")
        let realms = scene.server.database.realms
        let realm = try #require(try await realms.snapshot().realms.first)
        var client = Client.app(ATScene.url, "App", realmID: realm.id)
        client.redirectURIs = [RedirectURI("https://registered.example.com/cb")]
        #expect(try await realms.create(client) == .created)
        try await scene.server.provider.realms.refresh()
        let fetched = scene.sites.fetched.count
        scene.server.clock.advance(by: 601)
        // The document's redirect URI is none of the client's.
        #expect(try await scene.push([Self.scope]).status == 400)
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
        #expect(scene.sites.fetched.count == fetched)
    }

    @Test("decision 0064: once it is switched off, what such apps have is worth nothing")
    func switchedOff() async throws {
        let scene = try await scene()
        let tokens = try await scene.tokens([Self.scope])
        let access = try #require(tokens.json.string("access_token"), "\(tokens.text)")
        #expect(try await scene.app.userInfo(access).json.string("email") != nil)
        try await scene.server.changeRealm { $0.profile.takesDocuments = false }
        #expect(try await scene.app.userInfo(access).status == 401)
        #expect(try await scene.refresh(tokens.refreshToken).error == "invalid_client")
    }

    @Test("ATP-AS-4: scripts of any site may push and redeem there, without cookies")
    func scripts() async throws {
        let scene = try await scene()
        for endpoint in ["ext/par/request", "token"] {
            let asked = try await scene.server.send(
                .options,
                .endpoint(endpoint),
                headers: [
                    .origin: "https://elsewhere.example.net", .accessControlRequestMethod: "POST",
                ]
            )
            #expect(asked.headers[.accessControlAllowOrigin] == "*", "\(endpoint)")
            #expect(asked.headers[.accessControlAllowCredentials] == nil)
        }
    }
}
