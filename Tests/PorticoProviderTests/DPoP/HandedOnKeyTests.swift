import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Handing on a sign-in that is bound to a key") struct HandedOnKeyTests {
    /// The first app's tokens, bound to its key.
    private struct First {
        let apps: VendorApps
        let app: Prover
        let tokens: Reply

        init() async throws {
            apps = try await VendorApps()
            app = try Prover(apps.server)
            let code = try await apps.code()
            tokens = try await app.redeem(code, "my-mobile-app", VendorApps.redirect)
        }

        /// OpenID Connect Native SSO §4.
        var exchange: [(String, String)] { VendorApps.exchange(of: tokens) }

        /// RFC 8693 §2.1.
        var loginToken: [(String, String)] {
            [
                ("grant_type", LoginTokenScene.grantType), ("client_id", "my-mobile-app"),
                ("requested_token_type", LoginTokenScene.loginToken),
                ("audience", "my-other-app"),
                ("subject_token", tokens.json.string("refresh_token") ?? ""),
                ("subject_token_type", LoginTokenScene.refreshToken),
            ]
        }
    }

    @Test("RFC9449-5-5: Native SSO from a bound grant needs its key, and gives bound tokens")
    func nativeSSO() async throws {
        let first = try await First()
        let server = first.apps.server
        #expect(first.tokens.json.string("token_type") == "DPoP")
        #expect(try await server.token(first.exchange).error == "invalid_dpop_proof")
        #expect(try await Prover(server).post("token", first.exchange).error == "invalid_grant")

        let second = try await first.app.post("token", first.exchange)
        #expect(second.status == 200)
        #expect(second.json.string("token_type") == "DPoP")
        let access = try second.accessToken
        #expect(try await first.app.userInfo(access).status == 200)
        let refresh = try second.refreshToken
        #expect(try await server.refresh(refresh, "my-other-app").error == "invalid_dpop_proof")
        #expect(try await first.app.refresh(refresh, "my-other-app").status == 200)
    }

    @Test("RFC9449-5-5: a login token is made from a bound refresh token only with its key")
    func loginToken() async throws {
        let first = try await First()
        let server = first.apps.server
        #expect(try await server.token(first.loginToken).error == "invalid_dpop_proof")
        #expect(try await Prover(server).post("token", first.loginToken).error == "invalid_grant")
        let token = try await first.app.post("token", first.loginToken)
        #expect(token.status == 200)
        #expect(token.json.string("token_type") == "N_A", "it is no access token")

        // The other app has its own key, which binds the code that comes of it.
        let other = try Prover(server)
        let redirect = ("redirect_uri", VendorApps.redirectURI)
        let request = TestFlow.request(
            "my-other-app",
            scope: "openid",
            [
                redirect, ("login_hint", try token.accessToken),
                ("dpop_jkt", other.key.thumbprint.text),
            ]
        )
        let browser = TestBrowser(server)
        // The link leads to an address without the token first.
        let begun = try await browser.authorize(request)
        let page = try await browser.get(begun.location ?? "")
        let answer = try await browser.submit(page, [("action", "continue")])
        let code = try #require(answer.redirected["code"])
        #expect(
            try await server.redeem(code, "my-other-app", [redirect]).error == "invalid_dpop_proof"
        )
        let tokens = try await other.redeem(code, "my-other-app", [redirect])
        #expect(tokens.status == 200)
        #expect(tokens.json.string("token_type") == "DPoP")
    }

    @Test("RFC9449-11.1-1: a login token's proof is good once at all nodes")
    func onceAtAllNodes() async throws {
        let first = try await First()
        let server = first.apps.server
        let node = try ProofRefusalTests.node(of: server)
        let proof = try await first.app.proof(.post, "token")
        #expect(try await server.post("token", first.loginToken, proof: proof).status == 200)
        let again = try await ProofRefusalTests.send(first.loginToken, proof, to: node)
        #expect(again.status == 400 && again.error == "invalid_dpop_proof")
        // Another proof is as good there.
        let other = try await first.app.proof(.post, "token")
        let token = try await ProofRefusalTests.send(first.loginToken, other, to: node)
        #expect(token.status == 200)
    }

    @Test("RFC9449-7.2-1: a bound access token makes a login token with its key only")
    func accessTokenAsSubject() async throws {
        let server = try await ProviderUnderTest { new in
            new.clients[client: "web1"].loginTokenTargets = [.init(clientID: "plain")]
        }
        let app = try Prover(server)
        let web1 = TestRealm.web1
        let tokens = try await app.tokens("web1", basic: web1)
        let form = [
            ("grant_type", LoginTokenScene.grantType),
            ("requested_token_type", LoginTokenScene.loginToken), ("audience", "plain"),
            ("subject_token", try tokens.accessToken),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ]
        #expect(try await server.token(form, basic: web1).error == "invalid_request")
        let other = try await Prover(server).post("token", form, basic: web1)
        #expect(other.error == "invalid_request")
        #expect(try await app.post("token", form, basic: web1).status == 200)
        // One that is bound to no key needs none, and the request may have a proof.
        let free = try await server.tokens("alice", "web1").json.string("access_token") ?? ""
        let unbound = TestFlow.change(form, [("subject_token", free)])
        #expect(try await app.post("token", unbound, basic: web1).status == 200)
    }
}
