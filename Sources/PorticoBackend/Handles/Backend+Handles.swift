import PorticoATProtocol
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
            handles: handles,
            vault: HandleTokenVault(ring: ring),
            servers: ATTokenServers(directory: directory),
            clock: clock
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
        HandleKeyKeeper(directory: directory, handles: handles, ring: ring, clock: clock)
    }

    func whose(
        _ cookies: SessionCookies,
        _ live: LiveSessions,
        _ directory: BackendDirectory
    ) -> WhoseBrowser {
        WhoseBrowser(
            sessions: live,
            handles: handles,
            directory: directory,
            cookies: cookies,
            activity: activity
        )
    }

    func handleSession(
        _ departure: AccountDeparture,
        _ signOut: BrowserSignOut,
        _ headers: SecurityHeaders
    ) -> HandleSessionEndpoint {
        HandleSessionEndpoint(
            sessions: HandleSessions(directory: directory, whose: signOut.whose),
            departure: departure,
            signOut: signOut,
            revocation: revocation,
            headers: headers,
            origin: publicURL.origin
        )
    }

    func xrpc(_ whose: WhoseBrowser, _ headers: SecurityHeaders) -> XRPCEndpoint {
        XRPCEndpoint(
            sessions: HandleSessions(directory: directory, whose: whose),
            tokens: handleTokens,
            calls: handleCalls,
            headers: headers
        )
    }
}

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
