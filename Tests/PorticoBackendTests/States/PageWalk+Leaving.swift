import HTTPTypes
import PorticoBackend
import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// Going back to an app, going on, signing out.
extension PageWalk {
    static let leaving: [PageWalk] = returns + signOuts

    private static let returns = [
        PageWalk(ReturnToAppPage.self, "ready") { walker in
            let app = TestApp(redirectURI: "com.example.notes:/callback")
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.signIn("google", as: .ann, app.start).reply
        },
        PageWalk(ReturnToAppPage.self, "app not opened") { walker in
            var app = BackendUnderTest.notes
            app.handOff.storeLinks = [
                "https://apps.apple.com/app/id1", "https://play.google.com/store/apps/details?id=1",
            ]
            let visitor = walker.visitor(try await BackendUnderTest(apps: [app]))
            return try await visitor.open("/auth/callback?code=x").reply
        },
        PageWalk(ReturnToAppPage.self, "app not opened, no link") { walker in
            var app = BackendUnderTest.notes
            app.redirectURIs = [RedirectURI("https://app.example.com/auth/callback")]
            let visitor = walker.visitor(try await BackendUnderTest(apps: [app]))
            return try await visitor.open("/auth/callback?code=x").reply
        },
        PageWalk(AlreadySignedInPage.self, "asked") { walker in
            let visitor = try await walker.registered(at: try await BackendUnderTest())
            return try await visitor.open("/login").reply
        },
        PageWalk(AlreadySignedInPage.self, "no name") { walker in
            let server = try await BackendUnderTest()
            server.standIns.setPeople([.nameless()], at: .openID)
            let visitor = try await walker.registered("keycloak", as: .nameless(), at: server)
            return try await visitor.open("/login").reply
        },
    ]

    private static let signOuts = [
        PageWalk(BackendSignOutPage.self, "asked") { walker in
            let visitor = try await walker.registered(at: try await BackendUnderTest())
            return try await visitor.open("/logout").reply
        },
        signedOut("here"),
        signedOut("everywhere"),
        PageWalk(BackendSignedOutPage.self, "was not signed in") { walker in
            try await walker.visitor(try await BackendUnderTest()).open("/logout").reply
        },
    ]

    private static func signedOut(_ action: String) -> PageWalk {
        PageWalk(BackendSignedOutPage.self, action) { walker in
            let visitor = try await walker.registered(at: try await BackendUnderTest())
            return try await visitor.press(action, on: try await visitor.open("/logout")).reply
        }
    }

    /// When something does not work, at the backend.
    static let trouble: [PageWalk] =
        refusals + [
            embedded("ios", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Instagram 350.0"),
            embedded("android", "Mozilla/5.0 (Linux; Android 15; wv) Chrome/130.0"),
            embedded("other", "Mozilla/5.0 (Windows NT 10.0) FBAN/Desktop"),
            help("all known") {
                $0.privacy = "https://example.com/privacy"
                $0.terms = "https://example.com/terms"
            },
            help("a page to ask") { $0.contact = "https://example.com/help" },
            help("no contact") { $0.contact = nil },
        ]

    private static func embedded(_ state: String, _ userAgent: String) -> PageWalk {
        PageWalk(OpenInBrowserPage.self, state) { walker in
            let visitor = walker.visitor(try await BackendUnderTest(), userAgent: userAgent)
            return try await visitor.open("/v1/auth/google").reply
        }
    }

    private static func help(
        _ state: String,
        _ change: @escaping @Sendable (inout ServiceIdentity) -> Void
    ) -> PageWalk {
        PageWalk(HelpPage.self, state) { walker in
            var identity = BackendUnderTest.identity
            change(&identity)
            let server = try await BackendUnderTest(identity: identity)
            return try await walker.visitor(server).open("/help").reply
        }
    }

    private static let refusals = [
        PageWalk(NotAnsweringPage.self, "just now") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.openID) { $0.isDown = true }
            return try await walker.visitor(server).open("/v1/auth/keycloak").reply
        },
        PageWalk(NotAnsweringPage.self, "since a while") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.google) { $0.isDown = true }
            let visitor = walker.visitor(server)
            _ = try await visitor.open("/v1/auth/google")
            server.clock.advance(by: 720)
            return try await visitor.open("/v1/auth/google").reply
        },
        PageWalk(ErrorPage.self, "way on") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open("/v1/auth/google?platform=television").reply
        },
        PageWalk(ErrorPage.self, "provider misconfigured") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.openID) {
                $0.metadata["issuer"] = "https://other.example.com"
            }
            return try await walker.visitor(server).open("/v1/auth/keycloak").reply
        },
        PageWalk(ErrorPage.self, "too many tries") { walker in
            let visitor = walker.visitor(try await BackendUnderTest(limits: .init()))
            for _ in 0..<5 { _ = try await visitor.request("/v1/auth/google") }
            return try await visitor.open("/v1/auth/google").reply
        },
        PageWalk(ErrorPage.self, "not found") { walker in
            try await walker.visitor(try await BackendUnderTest()).open("/v1/auth/nobody").reply
        },
        PageWalk(ErrorPage.self, "method not allowed") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open("/dashboard", method: .put).reply
        },
    ]

    /// What only a demonstration has.
    static let demonstration = [
        PageWalk(OutboxPage.self, "no mail") { walker in
            let server = try await BackendUnderTest(isDemonstration: true)
            return try await walker.visitor(server).open("/_outbox").reply
        },
        PageWalk(OutboxPage.self, "three mails") { walker in
            let server = try await BackendUnderTest(isDemonstration: true)
            let visitor = try await walker.registered(at: server)
            _ = try await visitor.add("facebook", as: .paul)
            _ = try await visitor.add("keycloak", as: .ann)
            _ = try await visitor.add("apple", as: .ann)
            let mails = try await server.database.outbox.latest(limit: 10)
            let ids = mails.map(\.draft.id)
            try await server.database.outbox.markSent(ids[1], at: server.clock.seconds - 100)
            try await server.database.outbox.markFailed(ids[2], dueAt: nil)
            return try await visitor.open("/_outbox").reply
        },
    ]
}
