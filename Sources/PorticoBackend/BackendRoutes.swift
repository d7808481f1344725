import PorticoBytes
import PorticoWeb

extension BackendEndpoints {
    /// The BFF's routes (docs/openapi.yaml): one for each method at an address. Callbacks by POST, and
    /// Google's button, come from other sites' pages, and say so themselves.
    var routes: [Route<BackendContext>] {
        signIn + handles.routes + account + calls + documents + pages
    }

    private var signIn: [Route<BackendContext>] {
        [
            .get("/v1/auth/{provider}", for: .people) { try await start.get($0.provider, $0) }
                .from(.shown),
            // The request spends the answer it carries, so HEAD must not do the same.
            .get("/v1/auth/{provider}/callback", for: .people, answersHead: false) {
                try await callback.get($0.provider, isLink: false, $0)
            }.from(.shown),
            .post("/v1/auth/{provider}/callback", for: .people) {
                try await callback.post($0.provider, $0)
            },
            .get("/v1/auth/{provider}/callback/link", for: .people, answersHead: false) {
                try await callback.get($0.provider, isLink: true, $0)
            }.from(.shown),
            .post("/v1/auth/{provider}/callback/link", for: .people) {
                try await callback.post($0.provider, $0)
            },
            .post("/v1/auth/token", for: .programs, token.post).from(.none),
            .post("/v1/auth/refresh", for: .programs, refresh.post).from(.none),
            .get("/v1/auth/session", for: .programs, session.get),
            .post("/v1/auth/logout", for: .programs, session.logout),
            .post("/v1/auth/{provider}/native/nonce", for: .programs) {
                try await native.nonce($0.provider, $0)
            }.from(.none),
            .post("/v1/auth/{provider}/native", for: .programs) {
                try await native.post($0.provider, $0)
            }.from(.none),
            .post("/v1/auth/google/one-tap", for: .programs, native.oneTap),
        ]
    }

    private var account: [Route<BackendContext>] {
        [
            .get("/v1/account", for: .programs, accounts.get),
            .delete("/v1/account", for: .programs, accounts.delete),
            .get("/v1/account/sessions", for: .programs, accounts.sessions),
            .delete("/v1/account/sessions/{id}", for: .programs) {
                try await accounts.endSession($0.parameters["id"], $0)
            },
            .get("/v1/account/providers", for: .programs, accounts.providers),
            .post("/v1/account/link/{provider}", for: .programs) {
                try await accounts.link($0.provider, $0)
            },
            .delete("/v1/account/unlink/{provider}", for: .programs) {
                try await accounts.unlink($0.provider, $0)
            },
            .post("/v1/account/email", for: .programs, accounts.setEmail),
            .post("/v1/account/email/confirm", for: .programs, accounts.confirmEmail),
            .post("/v1/account/reauthentication", for: .programs, reauthentication.start),
            .post("/v1/account/reauthentication/confirm", for: .programs, reauthentication.confirm),
        ]
    }

    /// What apps ask by the cookie `sid` (docs/decisions/0063).
    private var handleCalls: [Route<BackendContext>] {
        [
            .get("/api/auth/session", for: .programs, handleSession.get),
            .get("/mobile/refresh-token", for: .programs, handleSession.refreshToken),
            .post("/api/auth/logout", for: .programs, handleSession.logout),
            .get("/xrpc/{method}", for: .programs) {
                try await xrpc.respond($0.parameters["method"], $0)
            },
            .post("/xrpc/{method}", for: .programs, uploads: xrpc.account) {
                try await xrpc.respond($0.parameters["method"], $0)
            },
        ]
    }

    /// Providers' notifications, and requests proxied to APIs.
    private var calls: [Route<BackendContext>] {
        [
            .post("/v1/auth/{provider}/backchannel-logout", for: .programs) {
                try await providerCalls.logout($0.provider, $0)
            }.from(.none),
            .post("/v1/auth/apple/notifications", for: .programs) {
                try await providerCalls.appleNotification("apple", $0)
            }.from(.none),
            .post("/v1/auth/facebook/deauthorize", for: .programs) {
                try await providerCalls.facebookDeauthorize("facebook", $0)
            }.from(.none),
            .post("/v1/auth/facebook/data-deletion", for: .programs) {
                try await providerCalls.facebookDataDeletion("facebook", $0)
            }.from(.none),
        ]
            + Route.any(of: ProxyEndpoint.methods, "/bff/{api}/{rest...}", for: .programs) {
                try await proxy.respond($0.parameters["api"], $0.parameters["rest"], $0)
            }
            + handleCalls
    }

    private var documents: [Route<BackendContext>] {
        [
            .get("/.well-known/apple-app-site-association", for: .programs) { _ in
                association.apple()
            },
            .get("/.well-known/assetlinks.json", for: .programs) { _ in association.android() },
        ]
    }

    private var pages: [Route<BackendContext>] {
        [
            .get(.root, other.root),
            .get(.login) {
                try handles.login.isAsked($0)
                    ? try await handles.login.get($0) : try await choose.signIn($0)
            }.from(.shown),
            .get(.back, choose.back),
            .get("/login/back/{rest...}", for: .people, choose.back),
            .get(.signup, choose.signUp),
            .get(.joining, join.ask),
            .post(.joining, join.decide),
            .get(.code, join.code),
            .post(.code, join.confirm),
            .get(.cookies, join.cookies),
            .get(.onboarding, other.onboarding),
            .post(.onboarding, other.welcome),
            .get(.dashboard, other.dashboard),
            .get(.signOut, other.askToSignOut),
            .post(.signOut, other.signOut),
            .get(.appCallback, other.appDidNotOpen),
            .get(.help, other.help),
            .get(.accountOverview, overview.overview),
            .get(.accountDetails, details.details),
            .post(.accountDetails, details.saveDetails),
            .get(.accountEmail, details.email),
            .post(.accountEmail, details.saveEmail),
            .get(.accountWays, ways.ways),
            .post(.accountWays, ways.change),
            .get(.accountDevices, overview.devices),
            .post(.accountDevices, overview.signOutDevice),
            .get(.accountDelete, overview.leave),
            .post(.accountDelete, overview.delete),
            .get(.confirmItsYou, proof.ask),
            .post(.confirmItsYou, proof.decide),
            .get(.confirmCode, proof.code),
            .post(.confirmCode, proof.confirm),
        ]
    }
}

extension Backend {
    /// The endpoints for a request below a realm.
    func endpoints(_ context: BackendContext) -> BackendEndpoints {
        endpoints(of: context.realm, at: context.request.realmHost ?? publicURL)
    }

    /// What a realm that is not the backend's has of it: signing in with identity providers, and what asks
    /// about that. Its sign-in page, its account and its apps are the Provider's.
    var routesOfRealms: [Route<BackendContext>] {
        let broker = "/realms/{realm}/broker/{provider}"
        return [
            .get(RoutePath("\(broker)/login"), for: .popups) {
                try await endpoints($0).start.get($0.provider, $0)
            }.from(.shown),
            // The request spends the answer it carries, so HEAD must not do the same.
            .get(RoutePath("\(broker)/endpoint"), for: .popups, answersHead: false) {
                try await endpoints($0).callback.get($0.provider, isLink: nil, $0)
            }.from(.shown),
            .post(RoutePath("\(broker)/endpoint"), for: .popups) {
                try await endpoints($0).callback.post($0.provider, $0)
            },
            .post(RoutePath("\(broker)/backchannel-logout"), for: .programs) {
                try await endpoints($0).providerCalls.logout($0.provider, $0)
            }.from(.none),
            .post(RoutePath("\(broker)/notifications"), for: .programs) {
                try await endpoints($0).providerCalls.appleNotification($0.provider, $0)
            }.from(.none),
            .post(RoutePath("\(broker)/deauthorize"), for: .programs) {
                try await endpoints($0).providerCalls.facebookDeauthorize($0.provider, $0)
            }.from(.none),
            .post(RoutePath("\(broker)/data-deletion"), for: .programs) {
                try await endpoints($0).providerCalls.facebookDataDeletion($0.provider, $0)
            }.from(.none),
        ] + pagesOfRealms
    }

    private var pagesOfRealms: [Route<BackendContext>] {
        [
            .inRealm(.joining, get: { try await endpoints($0).join.ask($0) }),
            .inRealm(.joining, post: { try await endpoints($0).join.decide($0) }),
            .inRealm(.code, get: { try await endpoints($0).join.code($0) }),
            .inRealm(.code, post: { try await endpoints($0).join.confirm($0) }),
            .inRealm(.cookies, get: { endpoints($0).join.cookies($0) }),
            .inRealm(.accountWays, get: { try await endpoints($0).ways.ways($0) }),
            .inRealm(.accountWays, post: { try await endpoints($0).ways.change($0) }),
            .inRealm(.confirmItsYou, get: { try await endpoints($0).proof.ask($0) }),
            .inRealm(.confirmItsYou, post: { try await endpoints($0).proof.decide($0) }),
            .inRealm(.confirmCode, get: { try await endpoints($0).proof.code($0) }),
            .inRealm(.confirmCode, post: { try await endpoints($0).proof.confirm($0) }),
        ]
    }
}

extension Route where Context == BackendContext {
    fileprivate static func inRealm(_ page: BackendPath, get: @escaping Handler) -> Route {
        .get(RoutePath("/realms/{realm}" + page.rawValue), for: .popups, get)
    }

    fileprivate static func inRealm(_ page: BackendPath, post: @escaping Handler) -> Route {
        .post(RoutePath("/realms/{realm}" + page.rawValue), for: .popups, post)
    }

    fileprivate static func get(_ page: BackendPath, _ respond: @escaping Handler) -> Route {
        .get(RoutePath(page.rawValue), for: .people, respond)
    }

    fileprivate static func post(_ page: BackendPath, _ respond: @escaping Handler) -> Route {
        .post(RoutePath(page.rawValue), for: .people, respond)
    }
}

/// The BFF's rate limits. Counted per process.
package struct BackendLimits: Sendable {
    let starts: RateLimiter
    let callbacks: RateLimiter
    /// The redeemed attempts.
    let redemptions: SeenLately<LimitKey>
    let guesses: RateLimiter
    /// Refused tokens of native sign-ins.
    let refusedTokens: RateLimiter
    let providerCalls: RateLimiter
    let links: RateLimiter
    let mails: MailLimits

    /// - Parameters:
    ///   - startsPerMinute: Of sign-ins in one browser.
    ///   - startsPerAddress: The same, at one address, in a minute; no fewer than of a browser.
    package init(
        startsPerMinute: Int = 5,
        startsPerAddress: Int = 60,
        callbacksPerMinute: Int = 10
    ) {
        starts = RateLimiter(
            Self.ofEverybody(startsPerMinute),
            Self.ofEverybody(max(startsPerMinute, startsPerAddress))
        )
        callbacks = RateLimiter(Self.ofEverybody(callbacksPerMinute))
        redemptions = SeenLately<LimitKey>()
        guesses = RateLimiter(burst: 20, perMinute: 10)
        refusedTokens = RateLimiter(burst: 10, perMinute: 10)
        providerCalls = RateLimiter(burst: 60, perMinute: 60)
        links = RateLimiter(.perHour(5))
        mails = MailLimits()
    }

    /// A limit that every sign-in counts towards. If many people arrive at once, each from their
    /// own address, they must not fill the table for each other: 1 MiB is enough for 2,700 a
    /// second.
    private static func ofEverybody(_ count: Int) -> RateLimit {
        RateLimit(burst: count, perMinute: Double(count), keys: 32_768)
    }
}
