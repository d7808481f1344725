import PorticoBytes
import PorticoSystem

/// A stored session that all processes sharing the storage renew in turn: at a provider
/// (``Session``) or at a backend (``BackendSession``).
protocol KeptSession: AnyObject, Sendable {
    associatedtype Record: KeptRecord

    var storage: any SessionStorage { get }
    var now: @Sendable () -> Date { get }
    var random: RandomSource { get }
    var refresher: Refresher<Self> { get }
    var unwritten: UnwrittenRecord<Record> { get }

    /// Whether the session is live, as far as this process knows.
    var isActive: Bool { get }

    /// - Throws: Why the session has ended.
    func activeRecord() throws(SignInError) -> Record

    /// Shows a record that is already stored.
    ///
    /// - Returns: Whether the session was still live.
    func show(_ record: Record) -> Bool

    /// Ends the session locally and deletes its tokens.
    ///
    /// - Returns: The last record, or `nil` if the session had already ended.
    @discardableResult
    func end(_ ending: SignInError.Interaction) -> Record?

    /// Refreshes `record` at the server and stores the result with ``store(_:replacing:)``. Called
    /// under the lock of the storage.
    func renewed(_ record: Record, by token: SecretText, _ request: PendingRefresh)
        async throws(SignInError) -> Record

    /// Revokes tokens that will not be used, as far as possible.
    func discard(_ record: Record) async

    /// Whether another session renews the tokens of this one.
    var isRenewedElsewhere: Bool { get }

    /// The record with that session's tokens, stored; `nil` if this session renews its own.
    func renewedElsewhere(_ stored: Record, for goal: RefreshGoal) async throws(SignInError)
        -> Record?
}

extension KeptSession {
    var isRenewedElsewhere: Bool { false }

    func renewedElsewhere(_ stored: Record, for goal: RefreshGoal) async throws(SignInError)
        -> Record?
    { nil }

    /// The record with an access token that is valid for `interval`, refreshed first if necessary.
    func freshRecord(for interval: Duration? = nil) async throws(SignInError) -> Record {
        let record = try activeRecord()
        let wanted = Freshness(interval)
        let isWritten = unwritten.result(of: record) == nil
        if isWritten, record.isFresh(wanted, at: now()) { return record }
        guard record.refreshToken != nil || isRenewedElsewhere else {
            if wanted == .usual, record.isUsable(at: now()) { return record }
            try record.checkLife(for: wanted)
            throw SignInError(.interactionRequired(.expired))
        }
        // A caller that asks for more than there is must not refresh every time.
        if isWritten, record.isFresh(.usual, at: now()) { try record.checkLife(for: wanted) }
        let fresh = try await refresher.record(of: self, for: .freshness(wanted))
        try fresh.checkLife(for: wanted)
        return fresh
    }

    /// Refreshes once, under the lock of the storage.
    func refresh(for goal: RefreshGoal) async -> Result<Record, SignInError> {
        do throws(SignInError) {
            let lock = try await storage.lock(patience: lockPatience)
            defer { lock.release() }
            try await writeUnwritten()
            return .success(try await refreshLocked(for: goal))
        } catch {
            return .failure(error)
        }
    }

    private func writeUnwritten() async throws(SignInError) {
        guard let (record, replaced) = unwritten.result(of: try activeRecord()) else { return }
        do throws(SignInError) {
            try await store(record, replacing: replaced)
        } catch {
            // The write was done although it failed, or another process has written since: what is
            // stored is as good.
            guard error == Self.busy else { throw error }
        }
        unwritten.drop(of: record)
    }

    private func refreshLocked(for goal: RefreshGoal) async throws(SignInError) -> Record {
        let stored = try await storedRecord()
        // Another process may have refreshed while this one waited for the lock.
        if isMet(goal, by: stored) {
            guard show(stored) else { throw Self.signedOut }
            return stored
        }
        if let fresh = try await renewedElsewhere(stored, for: goal) { return fresh }
        guard let token = stored.refreshToken else {
            throw SignInError(.interactionRequired(.expired))
        }
        let fresh = try await renewed(stored, by: token, try await prepare(stored, token))
        // The answer to a repeated request is as old as the first: its token may have expired.
        guard !fresh.isUsable(at: now()), let next = fresh.refreshToken, next != token else {
            return fresh
        }
        return try await renewed(fresh, by: next, try await prepare(fresh, next))
    }

    private static var signedOut: SignInError { SignInError(.interactionRequired(.signedOut)) }
    private static var busy: SignInError { SignInError(.transient(.busy, retryAfter: nil)) }

    /// The session as stored now.
    ///
    /// - Throws: interactionRequired(.signedOut) if another process ended or replaced it.
    func storedRecord() async throws(SignInError) -> Record {
        let current = try activeRecord()
        guard let stored: Record = try await storage.record(), stored.isOf(current) else {
            end(.signedOut)
            unwritten.drop(of: current)
            throw Self.signedOut
        }
        return stored
    }

    private func isMet(_ goal: RefreshGoal, by record: Record) -> Bool {
        switch goal {
        case .freshness(let wanted): record.isFresh(wanted, at: now())
        case .replacement(let used):
            record.accessToken != used && record.isFresh(.lasting(0), at: now())
        }
    }

    /// Stores the key of this refresh before the request is sent. A refresh that got no answer is
    /// repeated with the same key, so that the server can give the same answer again.
    private func prepare(_ record: Record, _ token: SecretText) async throws(SignInError)
        -> PendingRefresh
    {
        if let pending = record.pending, pending.isFor(token) { return pending }
        let pending = PendingRefresh(token, random: random)
        var record = record
        record.pending = pending
        try await storage.write(record.serialized())
        return pending
    }

    /// Stores the result of a refresh. One that the storage does not take is kept
    /// (``UnwrittenRecord``).
    func storeResult(_ fresh: Record, replacing token: SecretText?) async throws(SignInError) {
        do throws(SignInError) {
            try await store(fresh, replacing: token)
        } catch {
            guard case .storage = error.kind else { throw error }
            if isActive {
                unwritten.keep(fresh, replacing: token)
            } else {
                await discard(fresh)
            }
            throw error
        }
    }

    /// Stores a record before it is shown. One that arrives after a sign-out is dropped.
    func store(_ fresh: Record, replacing token: SecretText?) async throws(SignInError) {
        do throws(SignInError) {
            // Another writer did not take the lock; its record is as good as this one.
            guard try await storedRecord().refreshToken == token else { throw Self.busy }
            try await storage.write(fresh.serialized())
        } catch {
            if error == Self.signedOut { await discard(fresh) }
            throw error
        }
        guard show(fresh) else {
            // Signed out during the write: the sign-out may have removed only the old record.
            try await storage.remove()
            await discard(fresh)
            throw Self.signedOut
        }
    }

    /// Ends the session after `invalid_grant`, but only if the refresh token is still the current
    /// one.
    ///
    /// - Parameter token: The token that the server refused.
    /// - Returns: The error for the caller.
    func ending(refused token: SecretText) async throws(SignInError) -> SignInError {
        let stored = try await storedRecord()
        guard stored.refreshToken == token else { return Self.busy }
        end(.sessionEnded)
        unwritten.drop(of: stored)
        try await storage.remove()
        return SignInError(.interactionRequired(.sessionEnded))
    }
}

/// The lock is held at most as long as a token request takes; this is longer.
private let lockPatience = Duration.seconds(40)
