import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Returns the tokens of sessions by handle, and refreshes them: one refresh at a time for each
/// session, in all processes (docs/decisions/0057).
actor HandleTokens {
    let handles: HandleSessionStore
    let vault: HandleTokenVault
    let servers: any HandleTokenServers
    let clock: Clock
    let pause: @Sendable (Duration) async -> Void
    private var refreshes: [UniqueID: Task<Result<Open, Failure>, Never>] = [:]
    /// Sessions whose new tokens could not be stored yet.
    private var unstored: Set<UniqueID> = []
    private var delays: [UniqueID: Delay] = [:]
    /// Whether the server is stopping: no more refresh tokens are sent.
    private(set) var isStopping = false

    /// How many seconds before its expiry an access token is refreshed.
    private static let margin: Int64 = 30
    /// How many seconds new tokens are used, whatever the host says of their expiry: otherwise a
    /// host that says 0 would be asked at every call.
    private static let shortest: Int64 = 60
    /// How many seconds they are not refreshed after the host refused them.
    private static let patience: Int64 = 30

    /// Tokens to make requests with.
    struct Open: Sendable {
        let access: SecretText
        let key: DPoPKey
        /// As it is stored now.
        let session: HandleSession
    }

    enum Failure: Error, Hashable, Sendable {
        /// The session is over.
        case ended
        /// Only a new sign-in helps; the session stays. The person's host has changed, or the sealed
        /// tokens do not open.
        case signInAgain
        /// The host does not answer, or its answer is unusable. The session stays.
        case unreachable
        /// Another process is refreshing, the database is busy, or too many requests are under way.
        case busy
    }

    /// Until when a session's host is not asked again.
    private struct Delay {
        let until: Int64
        let seconds: Int64
    }

    /// - Parameter pause: Waits; tests do not.
    init(
        handles: HandleSessionStore,
        vault: HandleTokenVault,
        servers: any HandleTokenServers,
        clock: Clock,
        pause: @escaping @Sendable (Duration) async -> Void = {
            // `try?`: no one cancels the tasks that wait here.
            try? await Task.sleep(for: $0)
        }
    ) {
        self.handles = handles
        self.vault = vault
        self.servers = servers
        self.clock = clock
        self.pause = pause
    }

    /// The tokens of a live session. Any number of callers cause one refresh, and none of them, if
    /// it goes away, ends it.
    ///
    /// - Parameter refused: The access token that the host has just refused, if any. It is returned
    ///   again if a refresh has only just brought it.
    func tokens(for session: HandleSession, refused: SecretText? = nil) async throws(Failure)
        -> Open
    {
        if let open = self.open(session) {
            if isUsable(open, but: refused, for: Self.margin) { return open }
            if refused != nil, isNew(session, for: Self.patience) { return open }
        }
        while true {
            let isOwn = refreshes[session.sessionID] == nil
            let refresh = refreshes[session.sessionID] ?? start(session, refused)
            let open = try await refresh.value.get()
            // A refresh that began for another reason may bring the very token that was refused.
            if isOwn || refused != open.access { return open }
        }
    }

    private func start(_ session: HandleSession, _ refused: SecretText?)
        -> Task<Result<Open, Failure>, Never>
    {
        let refresh = Task { () -> Result<Open, Failure> in
            defer { refreshes[session.sessionID] = nil }
            do throws(Failure) {
                return .success(try await refreshed(session, but: refused))
            } catch {
                return .failure(error)
            }
        }
        refreshes[session.sessionID] = refresh
        return refresh
    }

    func open(_ session: HandleSession) -> Open? {
        guard let tokens = vault.open(session), let access = tokens.access else { return nil }
        return Open(access: access, key: tokens.key, session: session)
    }

    /// Whether an access token still works, as far as is known.
    ///
    /// - Parameter seconds: For how long at least.
    func isUsable(_ open: Open, but refused: SecretText?, for seconds: Int64 = 0) -> Bool {
        guard open.access != refused else { return false }
        guard let end = open.session.accessExpiresAt else { return true }
        return end - clock.moment().seconds > seconds
            || isNew(open.session, for: Self.shortest)
    }

    /// Whether a refresh brought a session's tokens less than so many seconds ago.
    private func isNew(_ session: HandleSession, for seconds: Int64) -> Bool {
        session.revision > 1
            && (0..<seconds).contains(clock.moment().seconds - session.refreshedAt)
    }
}

extension HandleTokens {
    /// Between looks at the lease of another process: 20 s in all.
    private static let pauses: [Duration] =
        [.milliseconds(50), .milliseconds(100)] + Array(repeating: .milliseconds(200), count: 99)

    /// Claims the lease and refreshes, or waits for the process that has it.
    private func refreshed(_ session: HandleSession, but refused: SecretText?) async throws(Failure)
        -> Open
    {
        var session = session
        for pause in Self.pauses {
            let usable = self.open(session).flatMap { isUsable($0, but: refused) ? $0 : nil }
            let isUnstored = unstored.contains(session.sessionID)
            guard !isUnstored, !isStopping, !isDelayed(session.sessionID) else {
                if let usable { return usable }
                throw isUnstored || isStopping ? .busy : .unreachable
            }
            let moment = clock.moment()
            let lease = RefreshLease(
                id: moment.random.bytes(16),
                revision: session.revision,
                until: moment.seconds + RefreshLease.seconds
            )
            let outcome: LeaseOutcome
            do {
                outcome = try await handles.lease(session.sessionID, lease, at: moment.seconds)
            } catch {
                throw .busy
            }
            switch outcome {
            case .leased(let leased):
                if let open = try await exchange(leased, lease, but: refused) { return open }
            case .changed(let newer):
                session = newer
                if let open = self.open(newer), isUsable(open, but: refused) { return open }
            case .held:
                if let usable { return usable }
                await self.pause(pause)
            case .ended: throw .ended
            }
        }
        throw .busy
    }

    /// Stops beginning refreshes, and waits until those whose token was sent have stored the answer:
    /// 20 s at most. An answer that is not stored by then is lost (docs/decisions/0057).
    func stop() async {
        isStopping = true
        for _ in 0..<400 {
            guard !refreshes.isEmpty || !unstored.isEmpty else { return }
            await pause(.milliseconds(50))
        }
    }

    private func isDelayed(_ id: UniqueID) -> Bool {
        delays[id].map { $0.until > clock.moment().seconds } ?? false
    }

    /// Its host is asked again later: after 1, 2, 4 … 60 s.
    func delay(_ id: UniqueID) {
        let seconds = min(60, delays[id].map { $0.seconds * 2 } ?? 1)
        // Clearing all at once is coarse but rare.
        if delays.count >= 10_000 { delays = [:] }
        delays[id] = Delay(until: clock.moment().seconds + seconds, seconds: seconds)
    }

    func endDelay(_ id: UniqueID) {
        delays[id] = nil
    }

    func note(_ id: UniqueID, isUnstored: Bool) {
        if isUnstored { unstored.insert(id) } else { unstored.remove(id) }
    }
}
