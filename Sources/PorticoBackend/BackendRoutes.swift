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
            .get(.onboarding, other.onboarding),
            .post(.onboarding, other.welcome),
            .get(.dashboard, other.dashboard),
            .get(.signOut, other.askToSignOut),
            .post(.signOut, other.signOut),
            .get(.appCallback, other.appDidNotOpen),
            .get(.help, other.help),
        ]
            + PageRow.all.map { row in
                row.route { context in try await row.respond(self, context) }
            }
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
        PageRow.all.map { row in
            row.route(below: "/realms/{realm}", for: row.isOfSignIn ? .popups : .people) {
                context in
                // Its people have the page at the backend.
                guard context.realm != nil else {
                    return endpoints(context).responder.redirect(row.path.rawValue)
                }
                return try await row.respond(endpoints(context), context)
            }
        }
    }
}

/// A page that people have wherever they sign in: at the backend's addresses, and below every realm.
private struct PageRow: Sendable {
    typealias Respond =
        @Sendable (BackendEndpoints, BackendContext) async throws -> Response

    let path: BackendPath
    let isPost: Bool
    let respond: Respond

    /// Whether an app's sign-in comes by, which finds back to its window.
    var isOfSignIn: Bool {
        [.joining, .code, .cookies, .confirmItsYou, .confirmCode].contains(path)
    }

    private static func get(_ path: BackendPath, _ respond: @escaping Respond) -> PageRow {
        PageRow(path: path, isPost: false, respond: respond)
    }

    private static func post(_ path: BackendPath, _ respond: @escaping Respond) -> PageRow {
        PageRow(path: path, isPost: true, respond: respond)
    }

    func route(
        below base: String = "",
        for audience: Audience = .people,
        _ respond: @escaping Route<BackendContext>.Handler
    ) -> Route<BackendContext> {
        let path = RoutePath(base + path.rawValue)
        return isPost ? .post(path, for: audience, respond) : .get(path, for: audience, respond)
    }

    static let all: [PageRow] = [
        .get(.joining) { try await $0.join.ask($1) },
        .post(.joining) { try await $0.join.decide($1) },
        .get(.code) { try await $0.join.code($1) },
        .post(.code) { try await $0.join.confirm($1) },
        .get(.cookies) { $0.join.cookies($1) },
        .get(.accountOverview) { try await $0.overview.overview($1) },
        .get(.accountDetails) { try await $0.details.details($1) },
        .post(.accountDetails) { try await $0.details.saveDetails($1) },
        .get(.accountEmail) { try await $0.details.email($1) },
        .post(.accountEmail) { try await $0.details.saveEmail($1) },
        .get(.accountWays) { try await $0.ways.ways($1) },
        .post(.accountWays) { try await $0.ways.change($1) },
        .get(.accountDevices) { try await $0.overview.devices($1) },
        .post(.accountDevices) { try await $0.overview.signOutDevice($1) },
        .get(.accountData) { try await $0.overview.download($1) },
        .get(.accountDelete) { try await $0.overview.leave($1) },
        .post(.accountDelete) { try await $0.overview.delete($1) },
        .get(.confirmItsYou) { try await $0.proof.ask($1) },
        .post(.confirmItsYou) { try await $0.proof.decide($1) },
        .get(.confirmCode) { try await $0.proof.code($1) },
        .post(.confirmCode) { try await $0.proof.confirm($1) },
    ]
}

extension Route where Context == BackendContext {
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
