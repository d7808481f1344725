import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// The pages of a realm with identity providers of its own (docs/decisions/0168).
extension PageWalk {
    static let realm = [
        PageWalk(SignInPage.self, "providers, too") { walker in
            try await realm(walker) { _ in }.page.reply
        },
        PageWalk(SignInPage.self, "providers only") { walker in
            try await realm(walker) { $0.realm.signsInWithPassword = false }.page.reply
        },
        PageWalk(SignInPage.self, "no method") { walker in
            let browser = walker.browser(
                try await ProviderUnderTest { $0.realm.signsInWithPassword = false }
            )
            return try await browser.authorize(TestFlow.request())
        },
        PageWalk(SignInPage.self, "stopped at a provider") { walker in
            let (visitor, page) = try await realm(walker) { _ in }
            let google = try await visitor.submit(page, [("way", "google")])
            return try await visitor.submit(google, [("cancel", "1")]).reply
        },
        PageWalk(FoundAccountPage.self, "with a password") { walker in
            let (visitor, page) = try await realm(walker) {
                $0.people[0].person.email = "ann@example.com"
            }
            let google = try await visitor.submit(page, [("way", "google")])
            return try await visitor.choose(.ann, at: google, "google").reply
        },
        PageWalk(ChooseMethodPage.self, "with a password") { walker in
            let server = try await BackendUnderTest(realm: { _ in })
            try await server.shareRealm()
            return try await walker.visitor(server).open("/login?return_to=/orders").reply
        },
        PageWalk(AccountOverviewPage.self, "of a realm") { walker in
            try await account(walker).reply
        },
        PageWalk(SignInMethodsPage.self, "a password") { walker in
            try await account(walker, "ways").reply
        },
        PageWalk(AccountDetailsPage.self, "two names") { walker in
            try await account(walker, "details").reply
        },
        PageWalk(AccountDetailsPage.self, "given name missing") { walker in
            let visitor = walker.visitor(try await BackendUnderTest(realm: named))
            let page = try await signIn(visitor, "details")
            return try await visitor.press("save", on: page, [("given_name", "")]).reply
        },
        PageWalk(ConfirmItsYouPage.self, "with a password") { walker in
            let server = try await BackendUnderTest(realm: { _ in })
            let visitor = walker.visitor(server)
            let page = try await signIn(visitor, "delete")
            server.clock.advance(by: 601)
            return try await visitor.press("delete", on: page, [("sure", "1")]).reply
        },
    ]

    /// A page of Alice's account in the realm `test`.
    private static func account(_ walker: Walker, _ page: String = "") async throws
        -> TestVisitor.Visited
    {
        try await signIn(walker.visitor(try await BackendUnderTest(realm: named)), page)
    }

    private static func named(_ new: inout NewRealm) {
        new.people[0].person.givenName = "Alice"
        new.people[0].person.familyName = "Liddell"
    }

    private static func signIn(_ visitor: TestVisitor, _ page: String) async throws
        -> TestVisitor.Visited
    {
        let path = "/realms/test/account" + (page.isEmpty ? "" : "/\(page)")
        return try await visitor.submit(try await visitor.open(path), TestRealm.login())
    }

    /// The sign-in page of the realm `test`.
    private static func realm(_ walker: Walker, _ configure: @escaping (inout NewRealm) -> Void)
        async throws
        -> (visitor: TestVisitor, page: TestVisitor.Visited)
    {
        let visitor = walker.visitor(try await BackendUnderTest(realm: configure))
        let address = FormEncoding.appending(
            TestFlow.request().map { (name: $0.0, value: $0.1) },
            to: "/realms/test/protocol/openid-connect/auth"
        )
        return (visitor, try await visitor.open(address))
    }
}
