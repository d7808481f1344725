import HTTPTypes
import PorticoBackend
import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// The choice of a sign-in method.
extension PageWalk {
    static let choosing = [
        PageWalk(ChooseMethodPage.self, "sign in") { walker in
            let visitor = try await walker.registered("facebook", at: try await BackendUnderTest())
            _ = try await visitor.press("here", on: try await visitor.open("/logout"))
            return try await visitor.open("/login?return_to=/orders&remember=1").reply
        },
        PageWalk(ChooseMethodPage.self, "sign in for an app") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open(FormEncoding.appending(TestApp().start, to: "/login"))
                .reply
        },
        PageWalk(ChooseMethodPage.self, "sign up") { walker in
            try await walker.visitor(try await BackendUnderTest()).open("/signup").reply
        },
        PageWalk(ChooseMethodPage.self, "sign up for an app") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open(FormEncoding.appending(TestApp().start, to: "/signup"))
                .reply
        },
        PageWalk(ChooseMethodPage.self, "not responding") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.google) { $0.isDown = true }
            let visitor = walker.visitor(server)
            _ = try await visitor.open("/v1/auth/google")
            return try await visitor.open("/login").reply
        },
        PageWalk(ChooseMethodPage.self, "no methods") { walker in
            let server = try await BackendUnderTest()
            try await server.setUp("google", "facebook", "apple", "keycloak") {
                $0.isEnabled = false
            }
            return try await walker.visitor(server).open("/login").reply
        },
    ]

    /// What a sign-in that failed says at the choice (docs/decisions/0028).
    static let problems: [PageWalk] = failed + refusedAccounts + contract

    private static let failed = [
        problem("cancelled") { server, visitor in
            let page = try await visitor.open("/v1/auth/google")
            return try await visitor.submit(page, [("cancel", "1")])
        },
        problem("took too long") { server, visitor in
            let page = try await visitor.open("/v1/auth/google")
            server.clock.advance(by: 601)
            return try await visitor.choose(.ann, at: page, "google")
        },
        problem("unmatched") { server, visitor in
            let state = try await visitor.request("/v1/auth/facebook").redirected["state"] ?? ""
            return try await visitor.open("/v1/auth/google/callback?code=x&state=\(state)")
        },
        problem("not answering") { server, visitor in
            server.standIns.configure(.google) { $0.failing = [.token] }
            return try await visitor.signIn("google")
        },
        problem("misconfigured") { server, visitor in
            server.standIns.configure(.openID) {
                $0.tokenAnswer = .refused(status: 401, code: "invalid_client")
            }
            return try await visitor.signIn("keycloak")
        },
        problem("sign in again") { server, visitor in
            server.standIns.configure(.openID) { $0.authorizationError = "login_required" }
            return try await visitor.open("/v1/auth/keycloak")
        },
        problem("not asked again") { server, visitor in
            server.leaveSession()
            return try await visitor.open("/v1/auth/keycloak?prompt=login")
        },
        problem("failed") { server, visitor in
            server.standIns.configure(.google) { $0.idToken = [.wrongNonce] }
            return try await visitor.signIn("google")
        },
    ]

    private static let refusedAccounts = [
        problem("organisation denies") { server, visitor in
            try await server.setUp("google") { $0.settings["hostedDomains"] = ["example.org"] }
            return try await visitor.signIn("google")
        },
        PageWalk(ChooseMethodPage.self, "sign-up closed") { walker in
            let server = try await BackendUnderTest(rules: AccountRules(isSignUpOpen: false))
            return try await walker.visitor(server).signIn("google").reply
        },
        problem("account blocked") { server, visitor in
            _ = try await TestVisitor(server).signIn("google")
            for account in try await server.accounts() {
                _ = try await server.database.accounts.block(
                    account.id,
                    true,
                    at: server.clock.seconds
                )
            }
            return try await visitor.signIn("google")
        },
        problem("link required") { server, visitor in
            var second = StandInPerson.ann
            second.id = "second"
            server.standIns.setPeople([.ann, second], at: .google)
            _ = try await TestVisitor(server).signIn("google", as: .ann)
            let found = try await visitor.signIn("google", as: second)
            // As a page of before the account had this provider: this one no longer offers it.
            let asked = try await visitor.submit(found, [("action", "mailbox")], form: 0)
            let code = ("code", try await server.mailedCode() ?? "")
            return try await visitor.press("confirm", on: asked, [code])
        },
    ]

    /// As docs/openapi.yaml writes it, for a front end of the team's own: no provider is named.
    private static let contract = [
        problem("a provider is not answering") { _, visitor in
            try await visitor.open("/login?error=authentication_failed&reason=provider_unreachable")
        },
        problem("failed for no known reason") { _, visitor in
            try await visitor.open("/login?error=authentication_failed&reason=invalid_id_token")
        },
        problem("e-mail unverified") { _, visitor in
            try await visitor.open("/login?error=email_unverified")
        },
    ]

    private static func problem(
        _ state: String,
        _ walk:
            @escaping @Sendable (BackendUnderTest, TestVisitor) async throws -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(ChooseMethodPage.self, state) { walker in
            let server = try await BackendUnderTest()
            return try await walk(server, walker.visitor(server)).reply
        }
    }
}
