import PorticoBytes
public import PorticoProtocol
public import PorticoSystem

/// A person's session at the provider: who they are, and fresh access tokens.
///
/// Any number of tasks may use one session. Several sessions that share a storage, in this process
/// or in others, are the same session.
public final class Session: Sendable {
    let client: SignInClient
    let provider: RemoteProvider
    /// The session whose tokens this one shares: only that one renews them.
    let source: Session?
    private let state: Locked<State>
    private let feed = ChangeFeed()
    let refresher = Refresher<Session>()

    private struct State {
        var user: User
        var roles: Roles
        /// `nil` once the session has ended: no token is kept after that.
        var record: SessionRecord?
        var ending: SignInError.Interaction?
        /// The claims of the last UserInfo answer.
        var userInfo: JSONObject?
    }

    init(
        client: SignInClient,
        provider: RemoteProvider,
        record: SessionRecord,
        source: Session? = nil
    ) {
        self.client = client
        self.provider = provider
        self.source = source
        state = Locked(
            State(
                user: User(record.idToken.claims),
                roles: client.options.roleMapping.roles(in: record.idToken.claims.json),
                record: record
            )
        )
    }

    /// Who is signed in: the claims of the verified ID Token. Stays readable after the session has
    /// ended.
    public var user: User { state.withLock { $0.user } }

    /// The person's roles in the ID Token and the last UserInfo answer.
    public var roles: Roles { state.withLock { $0.roles } }

    /// Whether the person has a role, by what is known of them; the name must match exactly. To show
    /// and hide things only: the server must decide what is allowed.
    ///
    /// - Parameters:
    ///   - role: The name alone, without its owner.
    ///   - owner: The realm, or a client by its `client_id`.
    public func hasRole(_ role: String, in owner: RoleOwner = .realm) -> Bool {
        roles.contains(role, in: owner)
    }

    /// Whether the session is live, as far as this process knows.
    public var isActive: Bool { state.withLock { $0.record != nil } }

    /// The scope of the access token, as the provider granted it.
    public var scope: Scope { state.withLock { $0.record?.scope ?? .none } }

    /// When the access token expires, if the provider gives it.
    public var accessTokenExpiry: Date? { state.withLock { $0.record?.expiresAt } }

    /// How long an access token of this session lives, in seconds, from its issue to its end; `nil`: the
    /// provider does not say.
    package var accessTokenLife: Double? {
        state.withLock { state in state.record.flatMap { $0.expiresAt == nil ? nil : $0.life } }
    }

    /// Whether the session has a refresh token.
    public var isRefreshable: Bool { state.withLock { $0.record?.refreshToken != nil } }

    /// The changes of this session. Each call returns its own stream, which ends with the session.
    public var changes: AsyncStream<SessionChange> { feed.stream() }

    /// An access token that is valid for `interval`, refreshed first if necessary. One that is bound
    /// to a key (``SignInClient/Options/dpop``) is of use with ``http`` only.
    ///
    /// - Parameter interval: `nil` for a minute, or half the life of a token that lives less than two.
    /// - Throws: interactionRequired if the session is over or cannot be refreshed,
    ///   misconfigured(.tokenLifeTooShort) if no token of the provider lives that long, transient if a
    ///   refresh did not succeed this time, storage if its result could not be stored.
    public func token(validFor interval: Duration? = nil) async throws(SignInError) -> String {
        try await freshRecord(for: interval).accessToken.reveal()
    }

    /// The raw tokens, with a fresh access token.
    ///
    /// A session that adopts them in this process shares them: this session alone renews them. It goes
    /// on when the other one is signed out; the other one ends with it
    /// (``Session/init(adopting:by:)``).
    public func credentials() async throws(SignInError) -> Credentials {
        let record = try await freshRecord()
        return Credentials(
            accessToken: record.accessToken.reveal(),
            refreshToken: record.refreshToken?.reveal(),
            idToken: record.idToken.text.reveal(),
            source: isRenewedElsewhere ? source ?? self : self
        )
    }

    // MARK: The snapshot

    func activeRecord() throws(SignInError) -> SessionRecord {
        let (record, ending) = state.withLock { ($0.record, $0.ending) }
        guard let record else {
            throw SignInError(.interactionRequired(ending ?? .signedOut))
        }
        return record
    }

    func show(_ record: SessionRecord) -> Bool {
        let mapping = client.options.roleMapping
        let isShown = state.withLock { state -> Bool? in
            guard let old = state.record else { return nil }
            state.record = record
            state.user = User(record.idToken.claims)
            state.roles = mapping.roles(in: record.idToken.claims.json)
                .union(state.userInfo.map(mapping.roles(in:)) ?? .none)
            return old.accessToken != record.accessToken
        }
        if isShown == true { feed.tell(.refreshed) }
        return isShown != nil
    }

    /// Roles may appear only in the UserInfo answer.
    func show(userInfo claims: JSONObject) {
        let mapping = client.options.roleMapping
        state.withLock { state in
            guard let record = state.record else { return }
            state.userInfo = claims
            state.roles = mapping.roles(in: record.idToken.claims.json)
                .union(mapping.roles(in: claims))
        }
    }

    @discardableResult
    func end(_ ending: SignInError.Interaction) -> SessionRecord? {
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

extension Session: KeptSession {
    var storage: any SessionStorage { client.context.storage }
    var unwritten: UnwrittenRecord<SessionRecord> { client.context.unwritten }
    var now: @Sendable () -> Date { client.context.now }
    var random: RandomSource { client.context.random }
}

extension User {
    init(_ claims: IDTokenClaims) {
        self.init(issuer: claims.issuer, subject: claims.subject, claims: claims.json)
    }
}

extension Session {
    /// A session from an answer that was not checked, for the previews of an app
    /// (PorticoTesting). It is not stored.
    ///
    /// - Throws: If the answer has no ID Token, or the client no valid issuer.
    package convenience init(unchecked tokens: TokenResponse, by client: SignInClient) throws {
        guard let text = tokens.idToken else { throw SignInError(.rejected(.idTokenMissing)) }
        let claims = try JWT(parsing: text.reveal(), limit: 1 << 20).uncheckedClaims()
        self.init(
            client: client,
            provider: try client.remoteProvider(),
            record: SessionRecord(
                client.context.random.text(16),
                tokens,
                VerifiedToken(text: text, claims: try IDTokenClaims(claims)),
                for: client,
                [:],
                receivedAt: client.context.now()
            )
        )
    }
}

extension BackendSession {
    /// As ``Session/init(unchecked:by:)``.
    ///
    /// - Parameter body: The answer of the backend to a hand-off code.
    package convenience init(unchecked body: [UInt8], by client: BackendClient) throws {
        let endpoint = try client.endpoint()
        let answer = try BackendAnswer(parsing: body)
        let record = BackendRecord(
            id: client.context.random.text(16),
            backend: endpoint.base.text,
            app: client.app,
            answer: answer,
            receivedAt: client.context.now()
        )
        self.init(client: client, endpoint: endpoint, record: record, isNew: answer.isNewUser)
    }
}

extension Session {
    /// Ends the session: first locally, so that it is over even without a network, then at the
    /// provider (OpenID Connect RP-Initiated Logout §6), by way of ``SignInMethod/standard``.
    ///
    /// - Parameter scope: How much is ended.
    @discardableResult
    public func signOut(_ scope: SignOutScope = .everything) async -> SignOutReport {
        await signOut(scope, using: .standard)
    }

    /// Ends the session as ``signOut(_:)`` does, and shows the provider's sign-out page where the
    /// person signed in.
    ///
    /// A session that shares the tokens of another one ends locally only: the other one goes on.
    ///
    /// - Parameters:
    ///   - scope: How much is ended.
    ///   - method: A sheet closes when the provider returns to the client's redirect, which must be
    ///     registered as `post_logout_redirect_uri` too.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using method: SignInMethod
    ) async -> SignOutReport {
        await signOut(scope) { end in
            do throws(SignInError) {
                return switch try method.signOutKind(for: end.client.redirect) {
                case .loopback(let loopback): await end.end(in: loopback.browser, returnPath: nil)
                case .sheet(let sheet): await end.end(in: sheet)
                }
            } catch {
                return .failed(error)
            }
        }
    }

    /// Ends the session as ``signOut(_:)`` does, and shows the provider's sign-out page in a
    /// browser.
    ///
    /// - Parameters:
    ///   - scope: How much is ended.
    ///   - browser: Shows the provider's sign-out page. A background request from the app would
    ///     lack the browser's cookies and could not end anything.
    ///   - returnPath: A loopback path that is registered at the provider as
    ///     `post_logout_redirect_uri`; the report can then show whether the browser came back.
    ///   - timeout: How long to wait for the browser.
    @discardableResult
    public func signOut(
        _ scope: SignOutScope = .everything,
        using browser: any ExternalBrowser,
        returnPath: String? = nil,
        timeout: Duration = .seconds(60)
    ) async -> SignOutReport {
        await signOut(scope) {
            await $0.end(in: browser, returnPath: returnPath, timeout: timeout)
        }
    }

    private func signOut(
        _ scope: SignOutScope,
        in show: (EndSession) async -> SignOutReport.BrowserSession
    ) async -> SignOutReport {
        let latest = await latestRecord()
        let shown = end(.signedOut)
        let unwritten = takeUnwritten(of: shown)
        let storageError = await clearStorage(of: latest ?? shown)
        guard let record = unwritten ?? latest ?? shown else {
            return SignOutReport(
                revocation: .notAsked,
                browserSession: .notAsked,
                storageError: storageError
            )
        }
        let scope = record.isShared ? .local : scope
        var revocation = SignOutReport.Revocation.notAsked
        if scope.revokes {
            revocation = await RevocationEndpoint.revoke(record, at: provider, for: client)
        }
        var browserSession: SignOutReport.BrowserSession = .notAsked
        if scope.endsBrowserSession {
            browserSession = await show(
                EndSession(provider: provider, client: client, idToken: record.idToken.text)
            )
        }
        return SignOutReport(
            revocation: revocation,
            browserSession: browserSession,
            storageError: storageError
        )
    }
}
