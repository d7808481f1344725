import Foundation
import HTTPTypes
import Portico
import PorticoBytes
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
            tokens = try await app.redeem(apps.code(), "my-mobile-app", VendorApps.redirect)
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
        #expect(try await first.app.userInfo(second.accessToken).status == 200)
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
        let page = try await browser.get(browser.authorize(request).location ?? "")
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
        #expect(try await ProofRefusalTests.send(first.loginToken, other, to: node).status == 200)
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

    private static let scopes: [ScopeToken] = [.openid, .profile, .offlineAccess, .deviceSSO]

    private func client(
        _ apps: VendorApps,
        _ clientID: String = "my-mobile-app",
        storage: any SessionStorage = InMemory()
    ) -> SignInClient {
        var options = SignInClient.Options()
        options.dpop = true
        return apps.client(clientID, scopes: Self.scopes, storage: storage, options: options)
    }

    @Test("RFC 9449 §5, §7, §8: sign-in, UserInfo, a refresh after a restart, and sign-out")
    func life() async throws {
        let apps = try await VendorApps()
        let storage = InMemory()
        let session = try await apps.signIn(client(apps, storage: storage))
        #expect(try await session.userInfo().subject == session.user.subject)
        let token = try await session.token()
        let claims = try ProviderUnderTest.claims(token)
        #expect(claims.object("cnf")?.string("jkt") != nil)
        // As a Bearer token it is nothing.
        let bearer = try await apps.server.send(
            .get,
            .endpoint("userinfo"),
            headers: [.authorization: "Bearer \(token)"]
        )
        #expect(bearer.status == 401)
        for _ in 0..<3 {
            apps.server.clock.advance(by: 400)
            guard case .signedIn(let again) = await client(apps, storage: storage).restore() else {
                Issue.record("it is stored")
                return
            }
            let fresh = try await again.token()
            #expect(try ProviderUnderTest.claims(fresh)["cnf"] == claims["cnf"])
            #expect(try await again.userInfo().subject == session.user.subject)
        }
        #expect(await session.signOut(.tokens).revoked)
    }

    @Test("A lost answer is asked for again with the same key, and signs no one out")
    func lostAnswer() async throws {
        let apps = try await VendorApps()
        let session = try await apps.signIn(client(apps))
        apps.server.clock.advance(by: 400)
        apps.network.losesAnswers = true
        let kind = await VendorApps.kind { _ = try await session.token() }
        #expect(kind == .transient(.unreachable, retryAfter: nil))
        apps.network.losesAnswers = false
        _ = try await session.token()
        apps.server.clock.advance(by: 400)
        _ = try await session.token()
        #expect(session.isActive)
    }

    @Test("docs/decisions/0061: what hands a sign-in on proves the key; Native SSO shares it")
    func handedOn() async throws {
        let apps = try await VendorApps()
        let first = try await apps.signIn(client(apps))
        #expect(try await !first.loginToken(for: "my-other-app").reveal().isEmpty)
        let shared = InMemory()
        #expect(try await first.shareDevice(in: shared))
        let second = try await client(apps, "my-other-app").signIn(withSharedDevice: shared)
        let key = try ProviderUnderTest.claims(try await first.token())["cnf"]
        #expect(key != nil)
        #expect(try ProviderUnderTest.claims(try await second.token())["cnf"] == key)
        #expect(try await second.userInfo().subject == first.user.subject)
        apps.server.clock.advance(by: 400)
        _ = try await second.token()
    }

    @Test("RFC 9449 §5.2: a client that is registered with --dpop signs in with the option only")
    func required() async throws {
        let apps = try await VendorApps { new in
            for index in new.clients.indices { new.clients[index].dpopBoundAccessTokens = true }
        }
        let plain = apps.client("my-mobile-app", scopes: Self.scopes)
        let kind = await VendorApps.kind { _ = try await apps.signIn(plain) }
        #expect(kind == .misconfigured(.proofRefused))
        _ = try await apps.signIn(client(apps))
    }
}
