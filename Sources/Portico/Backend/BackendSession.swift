import HTTPTypes
import PorticoBytes
import PorticoProtocol
public import PorticoSystem

/// A person's session at a backend: who they are, and a fresh session token.
///
/// The token is opaque and has a meaning only for the backend. The app never holds a token of an
/// identity provider. Any number of tasks may use one session, and several sessions that share a
/// storage, in this process or in others, are the same session.
public final class BackendSession: Sendable {
    /// Whether this sign-in registered the person. Always `false` for a session that was restored.
    public let isNew: Bool
    let client: BackendClient
    let endpoint: BackendEndpoint
    private let state: Locked<State>
    private let feed = ChangeFeed()
    let refresher = Refresher<BackendSession>()

    private struct State {
        var user: BackendUser
        /// `nil` once the session has ended: no token is kept after that.
        var record: BackendRecord?
        var ending: SignInError.Interaction?
    }

    init(client: BackendClient, endpoint: BackendEndpoint, record: BackendRecord, isNew: Bool) {
        self.client = client
        self.endpoint = endpoint
        self.isNew = isNew
        state = Locked(State(user: record.user, record: record))
    }

    /// Who is signed in, as the backend last reported. Stays readable after the session has ended.
    public var user: BackendUser { state.withLock { $0.user } }

    /// Whether the session is live, as far as this process knows.
    public var isActive: Bool { state.withLock { $0.record != nil } }

    /// When the session token expires. It is renewed before that.
    public var tokenExpiry: Date? { state.withLock { $0.record?.expiresAt } }

    /// The changes of this session. Each call returns its own stream, which ends with the session.
    public var changes: AsyncStream<SessionChange> { feed.stream() }

    /// A session token that is valid for `interval`, refreshed first if necessary. Send it only to
    /// the backend and to services that check it with the backend. After a sign-in by internet handle
    /// it is a cookie, which ``http`` sends and the backend replaces.
    ///
    /// - Parameter interval: `nil` for a minute, or half the life of a token that lives less than two.
    /// - Throws: interactionRequired if the session is over, misconfigured(.tokenLifeTooShort) if no
    ///   token of the backend lives that long, transient if a refresh did not succeed this time,
    ///   storage if its result could not be stored.
    public func token(validFor interval: Duration? = nil) async throws(SignInError) -> String {
        try await freshRecord(for: interval).accessToken.reveal()
    }

    /// A new session token, even if the old one is still valid. Any number of callers cause one
    /// request. After a sign-in by internet handle it is as ``check()``: the backend decides when the
    /// cookie is replaced.
    ///
    /// - Throws: As ``token(validFor:)``.
    public func refresh() async throws(SignInError) {
        let record = try activeRecord()
        if record.cookieName != nil { return try await check() }
        _ = try await refresher.record(of: self, for: .replacement(of: record.accessToken))
    }

    func activeRecord() throws(SignInError) -> BackendRecord {
        let (record, ending) = state.withLock { ($0.record, $0.ending) }
        guard let record else {
            throw SignInError(.interactionRequired(ending ?? .signedOut))
        }
        return record
    }

    func show(_ record: BackendRecord) -> Bool {
        let isShown = state.withLock { state -> Bool? in
            guard let old = state.record else { return nil }
            state.record = record
            state.user = record.user
            return old.accessToken != record.accessToken || old.user != record.user
        }
        if isShown == true { feed.tell(.refreshed) }
        return isShown != nil
    }

    @discardableResult
    func end(_ ending: SignInError.Interaction) -> BackendRecord? {
        let record = state.withLock { state in
            defer {
                state.record = nil
                if state.ending == nil { state.ending = ending }
            }
            return state.record
        }
        if record != nil { feed.tell(.ended(ending)) }
        return record
    }
}

extension BackendSession: KeptSession {
    var storage: any SessionStorage { client.context.storage }
    var unwritten: UnwrittenRecord<BackendRecord> { client.context.unwritten }
    var now: @Sendable () -> Date { client.context.now }
    var random: RandomSource { client.context.random }

    func renewed(
        _ stored: BackendRecord,
        by token: SecretText,
        _ request: PendingRefresh,
        under lock: SessionLock
    ) async throws(SignInError) -> BackendRecord {
        let answer: BackendAnswer
        do {
            answer = try await endpoint.refresh(token, idempotencyKey: request.idempotencyKey)
        } catch {
            guard error.isInvalidGrant else { throw error.error }
            throw SignInError(try await ending(refused: token, under: lock).kind, error.error)
        }
        // Tokens of another person must not be used.
        guard sameBytes(answer.user.id, stored.user.id) else {
            throw SignInError(.rejected(.subject))
        }
        let fresh = stored.refreshed(with: answer, receivedAt: now())
        try await storeResult(fresh, replacing: token, under: lock)
        return fresh
    }

    func discard(_ record: BackendRecord) async {
        // `try?`: no caller waits for the result, and the token soon expires anyway.
        _ = try? await endpoint.signOut(record.sentToken, everywhere: false)
    }
}

extension BackendSession {
    /// Sends requests with this session's token: to the backend's own origin, and to those in
    /// ``BackendClient/Options/apiOrigins``. After a 401, the token is renewed and the request sent
    /// again, once.
    ///
    /// After a sign-in by internet handle the token is a cookie. It goes to the backend's own origin
    /// only; one that an answer sets is stored, and sent from then on; and a 401 that says that there
    /// is no session ends this one.
    public var http: AuthorizedHTTP {
        let isCookie = state.withLock { $0.record?.cookieName != nil }
        return AuthorizedHTTP(
            source: isCookie ? CookieSource(session: self) : BackendToken(session: self)
        )
    }
}

/// The session token of a session at a backend.
private struct BackendToken: TokenSource {
    let session: BackendSession

    var exchange: ProviderHTTP { session.client.context.http }
    var origins: [String] {
        [session.endpoint.base.address.origin] + session.client.options.apiOrigins
    }
    var allowsInsecureLoopback: Bool { session.client.options.allowInsecureLoopback }

    func token() async throws(SignInError) -> SentToken {
        .bearer(try await session.freshRecord().accessToken)
    }

    func token(replacing used: SecretText) async throws(SignInError) -> SentToken? {
        .bearer(
            try await session.refresher.record(of: session, for: .replacement(of: used))
                .accessToken
        )
    }

    func token(in request: HTTPRequest) -> SentToken? {
        request.token(after: "Bearer ").map(SentToken.bearer)
    }

    /// The body may have any form: a proxy that checks with the backend answers with its own page.
    func isRefusal(_ reply: HTTPReply) -> Bool {
        reply.response.status == .unauthorized
    }
}

extension BackendSession: CustomStringConvertible, CustomReflectable {
    public var description: String { "BackendSession(\(user.id) at \(client.backend))" }
    public var customMirror: Mirror {
        Mirror(self, children: ["user": user, "isActive": isActive])
    }
}

extension BackendSession {
    /// Ends the session: first locally, so that it is over even without a network, then at the
    /// backend.
    ///
    /// - Parameter everywhere: Whether to end all of the person's sessions, in every app and
    ///   browser. By the cookie of a sign-in by internet handle the backend ends this one only: the
    ///   outcome is then ``SignOutReport/Revocation-swift.enum/notOffered``.
    /// - Returns: The outcome. ``SignOutReport/revocation-swift.property`` is about the session at
    ///   the backend; no browser is involved.
    @discardableResult
    public func signOut(everywhere: Bool = false) async -> SignOutReport {
        let latest = await latestRecord()
        let shown = end(.signedOut)
        let unwritten = takeUnwritten(of: shown)
        let storageError = await clearStorage(of: latest ?? shown)
        var revocation = SignOutReport.Revocation.notAsked
        if let record = unwritten ?? latest ?? shown {
            do throws(SignInError) {
                if record.cookieName == nil {
                    try await revoke(record, everywhere)
                    revocation = .revoked
                } else {
                    _ = try await endpoint.signOut(record.sentToken, everywhere: false)
                    revocation = everywhere ? .notOffered : .revoked
                }
            } catch {
                revocation = .failed(error)
            }
        }
        return SignOutReport(
            revocation: revocation,
            browserSession: .notAsked,
            storageError: storageError
        )
    }

    /// Refreshes an expired session token first: the backend must know which person's sessions to
    /// end.
    private func revoke(_ record: BackendRecord, _ everywhere: Bool) async throws(SignInError) {
        if record.isFresh(.lasting(10), at: now()),
            try await endpoint.signOut(record.sentToken, everywhere: everywhere)
        {
            return
        }
        guard let token = record.refreshToken else { return try unknown(everywhere) }
        // The key of a refresh that got no answer: without it, the repetition would count as a
        // replay.
        let request = record.pending.flatMap { $0.isFor(token) ? $0 : nil }
        let answer: BackendAnswer
        do {
            answer = try await endpoint.refresh(
                token,
                idempotencyKey: request?.idempotencyKey ?? random.text(16)
            )
        } catch {
            if error.isInvalidGrant { return try unknown(everywhere) }
            throw error.error
        }
        guard
            try await endpoint.signOut(.bearer(answer.tokens.accessToken), everywhere: everywhere)
        else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
    }

    /// A session unknown to the backend has ended at the backend too; the person's other sessions
    /// have not.
    private func unknown(_ everywhere: Bool) throws(SignInError) {
        if everywhere { throw SignInError(.interactionRequired(.sessionEnded)) }
    }
}
