import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

/// docs/decisions/0034, counted where the database runs its transactions.
@Suite("What a sign-in writes") struct TransactionTests {
    private static let providers = ["google", "facebook", "apple", "keycloak"]

    @Test(
        "Nothing is stored before a person has proven who they are: no start, no page, no wrong answer",
        arguments: providers
    )
    func unproven(_ provider: String) async throws {
        let server = try await BackendUnderTest()
        let before = server.transactions
        let visitor = TestVisitor(server)
        for path in ["/", "/login", "/signup?return_to=/orders", "/logout", "/login/account"] {
            _ = try await visitor.open(path)
        }
        _ = try await visitor.request("/v1/auth/\(provider)?remember=1")
        _ = try await visitor.request(
            FormEncoding.appending(TestApp().start, to: "/v1/auth/\(provider)")
        )
        _ = try await server.post("/v1/auth/\(provider)/native/nonce", [])
        _ = try await visitor.session()
        // Cancelled, refused, made up, and down at the last moment.
        let page = try await visitor.open("/v1/auth/\(provider)")
        let back = try await visitor.submit(page, [("cancel", "1")])
        if provider == "apple" { _ = try await visitor.submit(back, []) }
        _ = try await visitor.open("/v1/auth/\(provider)/callback?code=c&state=s")
        _ = try await server.post("/v1/auth/\(provider)/callback", [("code", "c"), ("state", "s")])
        let standIn: StandInKind =
            switch provider {
            case "google": .google
            case "facebook": .facebook
            case "apple": .apple
            default: .openID
            }
        server.standIns.configure(standIn) { $0.failing = [.token] }
        _ = try await visitor.signIn(provider)
        server.standIns.configure(standIn) {
            $0.failing = []
            $0.idToken = [.forged]
            $0.profile = ["id": nil]
        }
        _ = try await visitor.signIn(provider)
        #expect(server.transactions == before)
        #expect(try server.keptRows() == 0)
        #expect(visitor.cookies["__Host-session"] == nil)
    }

    @Test(
        "decision 0034: a sign-in in a browser is one transaction, for every person and every method",
        arguments: providers
    )
    func web(_ provider: String) async throws {
        let server = try await BackendUnderTest()
        for isNew in [true, false] {
            let before = server.transactions
            let visitor = TestVisitor(server)
            let end = try await visitor.signIn(provider)
            #expect(end.path == (isNew ? "/onboarding" : "/dashboard"))
            #expect(server.transactions == before + 1)
            // What follows it reads.
            for _ in 0..<3 { #expect(try await visitor.session().status == 200) }
            _ = try await visitor.open("/dashboard")
            #expect(server.transactions == before + 1)
        }
    }

    @Test("decision 0034: an app's sign-in is two, one for the code and one for its redemption")
    func app() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp()
        let before = server.transactions
        let end = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        #expect(server.transactions == before + 1)
        let code = try #require(end.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let redeemed = try await app.redeem(String(code), at: server)
        #expect(redeemed.status == 200)
        #expect(server.transactions == before + 2)

        let token = try #require(redeemed.json.string("refresh_token"))
        for (key, count) in [("k", 3), ("k", 3)] {
            let reply = try await server.post(
                "/v1/auth/refresh",
                [("refresh_token", token)],
                headers: [.idempotencyKey: key]
            )
            #expect(reply.status == 200)
            // The repetition is computed again, without a write.
            #expect(server.transactions == before + count)
        }
    }

    @Test("decision 0034: what an app brings from its system is one, and so is One Tap")
    func native() async throws {
        let server = try await BackendUnderTest()
        let made = try await server.post("/v1/auth/google/native/nonce", [])
        let nonce = try #require(made.json.string("nonce"))
        var before = server.transactions
        let token = try server.googleToken(nonce: nonce)
        let reply = try await server.post(
            "/v1/auth/google/native",
            [("id_token", token), ("nonce", nonce)]
        )
        #expect(reply.status == 200)
        #expect(server.transactions == before + 1)
        before = server.transactions
        let credential = try server.googleToken(.ben, for: nil)
        let tapped = try await server.post(
            "/v1/auth/google/one-tap",
            [("credential", credential), ("g_csrf_token", "t")],
            headers: [.cookie: "g_csrf_token=t"]
        )
        #expect(tapped.location == "/onboarding")
        #expect(server.transactions == before + 1)
    }

    @Test("decision 0034: no request of a person or of a provider makes more than one")
    func others() async throws {
        let server = try await BackendUnderTest()
        let owner = TestVisitor(server)
        _ = try await owner.signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        var before = server.transactions
        func expectOne(_ what: Comment) {
            #expect(server.transactions == before + 1, what)
            before = server.transactions
        }
        let found = try await visitor.signIn("facebook", as: .ann)
        #expect(found.path == "/login/account")
        expectOne("the question is put")
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        expectOne("the code is mailed")
        let code = try #require(try await server.mailedCode())
        let other = BackendUnderTest.otherCode(than: code)
        let wrong = try await visitor.submit(asked, [("action", "confirm"), ("code", other)])
        expectOne("a wrong code")
        let joined = try await visitor.submit(wrong, [("action", "confirm"), ("code", code)])
        #expect(joined.path == "/dashboard")
        expectOne("the right code")
        #expect(try await visitor.program(.delete, "/v1/account/unlink/facebook").status == 200)
        expectOne("a way is removed")
        #expect(try await owner.program(.post, "/v1/auth/logout").status == 200)
        expectOne("signed out here")

        let paul = TestVisitor(server)
        _ = try await paul.signIn("facebook", as: .paul)
        expectOne("another person")
        let request = try #require(server.standIns.signedRequest(about: .paul))
        let gone = try await server.post(
            "/v1/auth/facebook/data-deletion",
            [("signed_request", request)]
        )
        #expect(gone.status == 200)
        expectOne("Facebook's data deletion")
        #expect(try await server.accounts().count == 1)
        _ = try await visitor.signIn("keycloak", as: .layla)
        expectOne("a third")
        let logout = try server.standIns.logoutToken(about: .layla, sessionID: nil)
        let told = try await server.post(
            "/v1/auth/keycloak/backchannel-logout",
            [("logout_token", logout ?? "")]
        )
        #expect(told.status == 200)
        expectOne("the provider's logout")
        _ = try await visitor.signIn("keycloak", as: .layla)
        expectOne("she returns")
        #expect(try await visitor.program(.delete, "/v1/account").status == 200)
        expectOne("the account is deleted")
    }
}
