import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoSignIn

/// Returns the tokens of sessions by handle, and refreshes them: one refresh at a time for each
/// session, in all processes (docs/decisions/0057).
actor HandleTokens {
    let handles: HandleSessionStore
    let vault: HandleTokenVault
    let servers: any HandleTokenServers
    let clock: Clock
    let pause: @Sendable (Duration) async -> Void
    private var refreshes: [String: Task<Result<Open, Failure>, Never>] = [:]
    /// Sessions whose new tokens could not be stored yet.
    private var unstored: Set<String> = []
    private var delays: [String: Delay] = [:]
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

    private func isDelayed(_ id: String) -> Bool {
        delays[id].map { $0.until > clock.moment().seconds } ?? false
    }

    /// Its host is asked again later: after 1, 2, 4 … 60 s.
    func delay(_ id: String) {
        let seconds = min(60, delays[id].map { $0.seconds * 2 } ?? 1)
        // Clearing all at once is coarse but rare.
        if delays.count >= 10_000 { delays = [:] }
        delays[id] = Delay(until: clock.moment().seconds + seconds, seconds: seconds)
    }

    func endDelay(_ id: String) {
        delays[id] = nil
    }

    func note(_ id: String, isUnstored: Bool) {
        if isUnstored { unstored.insert(id) } else { unstored.remove(id) }
    }
}

/// A refresh under its lease.
extension HandleTokens {
    /// - Returns: `nil` if the lease was lost before anything was sent.
    func exchange(
        _ session: HandleSession,
        _ lease: RefreshLease,
        but refused: SecretText?
    ) async throws(Failure) -> Open? {
        let usable = self.open(session).flatMap { isUsable($0, but: refused) ? $0 : nil }
        if session.sentAt != nil, let usable {
            // The answer to this very token was lost. Sending it again may end the session, and the
            // access token works.
            await giveBack(session, lease)
            return usable
        }
        guard let tokens = vault.open(session) else {
            await giveBack(session, lease)
            throw .signInAgain
        }
        guard let token = tokens.refresh else {
            guard let usable else { return try await end(session, "no_refresh_token", refused) }
            await giveBack(session, lease)
            return usable
        }
        let server: any HandleTokenServer
        do throws(HandleServerFailure) {
            server = try await servers.server(of: session)
        } catch {
            await giveBack(session, lease)
            switch error {
            case .movedAway: throw .signInAgain
            case .keyWithdrawn: return try await end(session, "key_withdrawn", refused)
            case .unreachable: return try later(session, usable)
            case .busy: return try whenBusy(usable)
            }
        }
        guard !isStopping else {
            await giveBack(session, lease)
            guard let usable else { throw .busy }
            return usable
        }
        guard try await isSending(session, lease) else { return nil }
        let answer: RefreshedTokens
        do throws(HandleRefreshFailure) {
            answer = try await server.refresh(token, with: tokens.key)
        } catch {
            switch error {
            case .invalidGrant: return try await end(session, "invalid_grant", refused)
            case .otherSubject(let foreign):
                // In the background; its outcome does not matter.
                if let foreign { Task { await server.revoke(foreign, with: tokens.key) } }
                return try await end(session, "other_sub", refused)
            case .unusable(let successor?):
                let left = HandleTokenVault.Tokens(refresh: successor, key: tokens.key)
                _ = try await store(left, scope: session.scope, expiresAt: nil, of: session)
                return try later(session, nil)
            case .unusable(.none):
                await giveBack(session, lease)
                return try later(session, usable)
            case .busy:
                await giveBack(session, lease, isUnspent: true)
                return try whenBusy(usable)
            case .failed(let isUnspent):
                await giveBack(session, lease, isUnspent: isUnspent)
                return try later(session, usable)
            }
        }
        let new = HandleTokenVault.Tokens(
            access: answer.access,
            refresh: answer.refresh ?? token,
            key: tokens.key
        )
        let expiresAt = answer.expiresIn.map { clock.moment().seconds + max(0, min($0, 1 << 40)) }
        var home = session
        if let host = answer.host { home.host = host }
        if let handle = answer.handle { home.handle = handle }
        let stored = try await store(new, scope: answer.scope, expiresAt: expiresAt, of: home)
        endDelay(session.sessionID)
        guard let open = self.open(stored) else { throw .unreachable }
        return open
    }

    private func isSending(_ session: HandleSession, _ lease: RefreshLease) async throws(Failure)
        -> Bool
    {
        do {
            let now = clock.moment().seconds
            return try await handles.sending(session.sessionID, lease, at: now)
        } catch {
            await giveBack(session, lease)
            throw .busy
        }
    }

    private func giveBack(
        _ session: HandleSession,
        _ lease: RefreshLease,
        isUnspent: Bool = false
    ) async {
        // `try?`: a lease that cannot be returned ends by itself.
        try? await handles.giveBack(session.sessionID, lease, isUnspent: isUnspent)
    }

    /// No server was asked: the access token is used if it works, and the next call may ask.
    private func whenBusy(_ usable: Open?) throws(Failure) -> Open {
        guard let usable else { throw .busy }
        return usable
    }

    /// The host gave nothing: the access token is used if it works, and the host is asked again later.
    private func later(_ session: HandleSession, _ usable: Open?) throws(Failure) -> Open {
        delay(session.sessionID)
        guard let usable else { throw .unreachable }
        return usable
    }

    /// The host has ended the session, unless other tokens have been stored (ATP-TL-7).
    private func end(_ session: HandleSession, _ reason: String, _ refused: SecretText?)
        async throws(Failure) -> Open
    {
        let now = clock.moment().seconds
        let newer: HandleSession?
        do {
            let change = try await handles.endedByHost(
                session.sessionID,
                revision: session.revision,
                as: reason,
                at: now
            )
            guard change == .notFound else { throw Failure.ended }
            newer = try await handles.live(session.sessionID, at: now)?.handle
        } catch {
            throw error as? Failure ?? .busy
        }
        guard let newer else { throw .ended }
        guard let open = self.open(newer), isUsable(open, but: refused) else { throw .busy }
        return open
    }

    /// Stores new tokens before any caller gets them. If that fails, it is tried again, and no caller
    /// gets them meanwhile.
    ///
    /// - Parameter session: With the host and the handle to store.
    /// - Returns: The session as it is stored.
    private func store(
        _ tokens: HandleTokenVault.Tokens,
        scope: String,
        expiresAt: Int64?,
        of session: HandleSession
    ) async throws(Failure) -> HandleSession {
        let (id, moment) = (session.sessionID, clock.moment())
        let sealed = vault.seal(tokens, for: id, random: moment.random)
        let keep: @Sendable () async throws -> KeepOutcome = { [handles] in
            try await handles.keep(
                sealed,
                scope: scope,
                accessExpiresAt: expiresAt,
                host: session.host,
                handle: session.handle,
                of: id,
                after: session.revision,
                at: moment.seconds
            )
        }
        do {
            if try await keep() == .ended { throw Failure.ended }
            guard let stored = try await handles.live(id, at: moment.seconds)?.handle else {
                throw Failure.ended
            }
            return stored
        } catch let error as Failure {
            throw error
        } catch {
            keepTrying(id, keep)
            throw .busy
        }
    }

    /// For about an hour: without these tokens the person is signed out.
    private func keepTrying(
        _ id: String,
        _ keep: @escaping @Sendable () async throws -> KeepOutcome
    ) {
        note(id, isUnstored: true)
        Task {
            var wait = Duration.milliseconds(200)
            for _ in 0..<720 {
                await pause(wait)
                // `try?`: it is tried again.
                if (try? await keep()) != nil { break }
                wait = min(wait * 2, .seconds(5))
            }
            note(id, isUnstored: false)
        }
    }
}

/// Seals the tokens of sessions by handle, with the key that they are bound to, for their own
/// session (ATP-TL-6).
struct HandleTokenVault: Sendable {
    private let vault: SealedAtRest

    init(ring: KeyRing) {
        vault = SealedAtRest(ring: ring, purpose: "handle tokens")
    }

    struct Tokens: Sendable {
        /// `nil`: the host gave only a refresh token.
        var access: SecretText?
        var refresh: SecretText?
        /// The session's key, from its beginning to its end.
        var key: DPoPKey
    }

    func seal(_ tokens: Tokens, for sessionID: String, random: RandomSource) -> String {
        var writer = ByteWriter()
        writer.optionalText(tokens.access?.reveal())
        writer.optionalText(tokens.refresh?.reveal())
        writer.fixed(tokens.key.revealStored())
        return Base64URL.encode(vault.seal(writer.bytes, for: sessionID, random: random))
    }

    /// - Returns: `nil` if there are none, or the key ring can no longer open them.
    func open(_ session: HandleSession) -> Tokens? {
        guard let text = session.sealed, let sealed = Base64URL.decode(text),
            // `try?`: tokens that do not open are lost; the person signs in again.
            let bytes = try? vault.open(sealed, for: session.sessionID)
        else { return nil }
        var reader = ByteReader(bytes)
        // `try?`: only another version of the program writes other fields.
        return try? Tokens(&reader)
    }
}

extension HandleTokenVault.Tokens {
    fileprivate init(_ reader: inout ByteReader) throws {
        access = try reader.optionalText().map { SecretText($0) }
        refresh = try reader.optionalText().map { SecretText($0) }
        key = try DPoPKey(stored: try reader.fixed(32))
        try reader.end()
    }
}
