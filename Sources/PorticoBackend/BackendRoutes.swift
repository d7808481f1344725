import PorticoBytes
import PorticoSignIn
import PorticoWeb

extension BackendEndpoints {
    /// The BFF's routes (docs/openapi.yaml): one for each method at an address. Callbacks by POST, and
    /// Google's button, come from other sites' pages, and say so themselves.
    var routes: [Route<SignInContext>] {
        signIn + handles.routes + account + calls + documents + pages
    }

    private var signIn: [Route<SignInContext>] {
        [
            .get("/v1/auth/{provider}", for: .people) { try await core.start.get($0.provider, $0) }
                .from(.shown),
            // The request spends the answer it carries, so HEAD must not do the same.
            .get("/v1/auth/{provider}/callback", for: .people, answersHead: false) {
                try await core.callback.get($0.provider, isLink: false, $0)
            }.from(.shown),
            .post("/v1/auth/{provider}/callback", for: .people) {
                try await core.callback.post($0.provider, $0)
            },
            .get("/v1/auth/{provider}/callback/link", for: .people, answersHead: false) {
                try await core.callback.get($0.provider, isLink: true, $0)
            }.from(.shown),
            .post("/v1/auth/{provider}/callback/link", for: .people) {
                try await core.callback.post($0.provider, $0)
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

    private var account: [Route<SignInContext>] {
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
    private var handleCalls: [Route<SignInContext>] {
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
    private var calls: [Route<SignInContext>] {
        [
            .post("/v1/auth/{provider}/backchannel-logout", for: .programs) {
                try await core.providerCalls.logout($0.provider, $0)
            }.from(.none),
            .post("/v1/auth/apple/notifications", for: .programs) {
                try await core.providerCalls.appleNotification("apple", $0)
            }.from(.none),
            .post("/v1/auth/facebook/deauthorize", for: .programs) {
                try await core.providerCalls.facebookDeauthorize("facebook", $0)
            }.from(.none),
            .post("/v1/auth/facebook/data-deletion", for: .programs) {
                try await core.providerCalls.facebookDataDeletion("facebook", $0)
            }.from(.none),
        ]
            + Route.any(of: ProxyEndpoint.methods, "/bff/{api}/{rest...}", for: .programs) {
                try await proxy.respond($0.parameters["api"], $0.parameters["rest"], $0)
            }
            + handleCalls
    }

    private var documents: [Route<SignInContext>] {
        [
            .get("/.well-known/apple-app-site-association", for: .programs) { _ in
                association.apple()
            },
            .get("/.well-known/assetlinks.json", for: .programs) { _ in association.android() },
        ]
    }

    private var pages: [Route<SignInContext>] {
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
                row.route { context in try await row.respond(core, context) }
            }
    }
}

extension Route where Context == SignInContext {
    fileprivate static func get(_ page: SignInPath, _ respond: @escaping Handler) -> Route {
        .get(RoutePath(page.rawValue), for: .people, respond)
    }

    fileprivate static func post(_ page: SignInPath, _ respond: @escaping Handler) -> Route {
        .post(RoutePath(page.rawValue), for: .people, respond)
    }
}
