import PorticoATProtocol
import PorticoSignIn
import PorticoWeb

extension Backend {
    /// Revokes the tokens of ended sessions by handle. Called every few seconds.
    package func revokeHandleTokens() async throws {
        try await revocation.round()
    }

    /// Waits for hosts' answers to refreshes under way, and stores them. Called when the server
    /// stops, before the database is closed.
    package func finishRefreshes() async {
        await handleTokens.stop()
    }

    private var revocation: HandleRevocation {
        HandleRevocation(
            handles: signIn.handles,
            vault: HandleTokenVault(ring: signIn.ring),
            servers: ATTokenServers(directory: signIn.directory),
            clock: signIn.clock
        )
    }

    /// Makes the key that authenticates this server to hosts, if it is missing. Called when the
    /// server starts, and every few seconds.
    package func makeHandleKey() async throws {
        try await handleKeyKeeper.makeIfNone()
    }

    /// Withdraws retired keys that no session needs. Called now and then.
    package func withdrawUnneededHandleKeys() async throws {
        try await handleKeyKeeper.withdrawUnneeded()
    }

    /// Ends sessions that began as another kind of client than we are now. Called now and then.
    package func endHandleSessionsOfOtherKind() async throws {
        try await handleKeyKeeper.endSessionsOfOtherKind()
    }

    private var handleKeyKeeper: HandleKeyKeeper {
        HandleKeyKeeper(
            directory: signIn.directory,
            handles: signIn.handles,
            ring: signIn.ring,
            clock: signIn.clock
        )
    }

    func handleSession(_ core: SignInEndpoints) -> HandleSessionEndpoint {
        HandleSessionEndpoint(
            sessions: HandleSessions(directory: core.directory, whose: core.signOut.whose),
            departure: core.departure,
            signOut: core.signOut,
            revocation: revocation,
            headers: core.headers,
            origin: signIn.publicURL.origin
        )
    }

    func xrpc(_ core: SignInEndpoints) -> XRPCEndpoint {
        XRPCEndpoint(
            sessions: HandleSessions(directory: core.directory, whose: core.signOut.whose),
            tokens: handleTokens,
            calls: handleCalls,
            headers: core.headers
        )
    }
}

/// The endpoints of sign-ins by handle.
struct HandleEndpoints: Sendable {
    let login: HandleLogin
    let callback: HandleCallback
    let own: OwnDocuments

    /// Besides `GET /login`, which belongs to all sign-ins.
    var routes: [Route<SignInContext>] {
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
    func handleEndpoints(_ core: SignInEndpoints) -> HandleEndpoints {
        let (events, limits) = (signIn.events, signIn.limits)
        let pages = HandlePages(responder: core.responder)
        return HandleEndpoints(
            login: HandleLogin(
                directory: core.directory,
                cookies: core.attempts,
                pages: pages,
                events: events,
                limit: core.starts,
                origin: signIn.publicURL.origin
            ),
            callback: HandleCallback(
                directory: core.directory,
                cookies: core.attempts,
                late: core.late,
                complete: HandleCompletion(
                    complete: core.complete,
                    clock: signIn.clock,
                    pages: pages
                ),
                pages: pages,
                events: events,
                limit: limits.callbacks,
                redeemed: limits.redemptions
            ),
            own: OwnDocuments(directory: core.directory, headers: core.headers)
        )
    }
}
