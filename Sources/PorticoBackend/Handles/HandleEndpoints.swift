import PorticoATProtocol
import PorticoWeb

/// The endpoints of sign-ins by handle.
struct HandleEndpoints: Sendable {
    let login: HandleLogin
    let callback: HandleCallback
    let own: OwnDocuments

    /// Besides `GET /login`, which belongs to all sign-ins.
    var routes: [Route<BackendContext>] {
        [
            .get("/mobile-auth", for: .people, login.page).from(.shown),
            .post("/login", for: .people, login.post).from(.shown),
            // The request spends the answer it carries, so HEAD must not do the same.
            .get(RoutePath(OwnClientDocument.callbackPath), for: .people, answersHead: false) {
                try await callback.get($0)
            }.from(.shown),
            .get(RoutePath(OwnClientDocument.path), for: .programs) { try own.metadata($0) },
            .get(RoutePath(OwnClientDocument.keysPath), for: .programs) { try own.keys($0) },
        ]
    }
}

extension Backend {
    func handleEndpoints(
        _ attempts: AttemptCookies,
        _ late: LateAnswer,
        _ complete: SignInCompletion,
        _ starts: StartLimit,
        _ responder: BackendResponder
    ) -> HandleEndpoints {
        let pages = HandlePages(responder: responder)
        return HandleEndpoints(
            login: HandleLogin(
                directory: directory,
                cookies: attempts,
                pages: pages,
                events: events,
                limit: starts,
                origin: publicURL.origin
            ),
            callback: HandleCallback(
                directory: directory,
                cookies: attempts,
                late: late,
                complete: HandleCompletion(complete: complete, clock: clock, pages: pages),
                pages: pages,
                events: events,
                limit: limits.callbacks,
                redeemed: limits.redemptions
            ),
            own: OwnDocuments(directory: directory, headers: responder.headers)
        )
    }
}
