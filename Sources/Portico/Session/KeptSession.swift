import PorticoBytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A session that a storage keeps, and that all who share the storage renew by turns: at a provider
/// (``Session``) or at a backend (``BackendSession``).
protocol KeptSession: AnyObject, Sendable {
    associatedtype Record: KeptRecord

    var storage: any SessionStorage { get }
    var now: @Sendable () -> Date { get }
    var random: RandomSource { get }
    var refresher: Refresher<Self> { get }

    /// - Throws: Why the session has ended.
    func activeRecord() throws(SignInError) -> Record

    /// Shows a record that is stored already.
    ///
    /// - Returns: Whether the session had not ended meanwhile.
    func show(_ record: Record) -> Bool

    /// Ends the session here and forgets its tokens.
    ///
    /// - Returns: What there was, `nil` where it had ended before.
    @discardableResult
    func end(_ ending: SignInError.Interaction) -> Record?

    /// What the server makes of `record`, stored by ``store(_:replacing:)``. Called under the lock
    /// of the storage.
    func renewed(_ record: Record, by token: SecretText, _ request: PendingRefresh)
        async throws(SignInError) -> Record

    /// Revokes tokens that nobody will use, as far as that goes.
    func discard(_ record: Record) async
}

extension KeptSession {
    /// The record with an access token that can be used for `interval`, refreshed first where it
    /// must be.
    func freshRecord(for interval: Duration) async throws(SignInError) -> Record {
        let record = try activeRecord()
        let now = now()
        let seconds = TimeInterval(max(0, interval.components.seconds))
        if record.isFresh(for: seconds, at: now) { return record }
        guard record.refreshToken != nil else {
            if record.isUsable(at: now) { return record }
            throw SignInError(.interactionRequired(.expired))
        }
        return try await refresher.record(of: self, for: .freshness(seconds))
    }

    /// One refresh, alone among all who share the storage.
    func refresh(for goal: RefreshGoal) async -> Result<Record, SignInError> {
        do throws(SignInError) {
            let lock = try await storage.lock(patience: lockPatience)
            defer { lock.release() }
            return .success(try await refreshLocked(for: goal))
        } catch {
            return .failure(error)
        }
    }

    private func refreshLocked(for goal: RefreshGoal) async throws(SignInError) -> Record {
        let stored = try await storedRecord()
        // Another process may have done it while we waited for the lock.
        if isMet(goal, by: stored) {
            guard show(stored) else { throw Self.signedOut }
            return stored
        }
        guard let token = stored.refreshToken else {
            throw SignInError(.interactionRequired(.expired))
        }
        let fresh = try await renewed(stored, by: token, try await prepare(stored, token))
        // The answer to a repeated request is as old as the first: its token may be over by now.
        guard !fresh.isUsable(at: now()), let next = fresh.refreshToken, next != token else {
            return fresh
        }
        return try await renewed(fresh, by: next, try await prepare(fresh, next))
    }

    private static var signedOut: SignInError { SignInError(.interactionRequired(.signedOut)) }

    /// The session as the storage has it now.
    ///
    /// - Throws: interactionRequired(.signedOut) where it was ended or replaced elsewhere.
    func storedRecord() async throws(SignInError) -> Record {
        let current = try activeRecord()
        let bytes = try await storage.read()
        guard let stored = bytes.flatMap(Record.init), stored.isOf(current) else {
            end(.signedOut)
            throw Self.signedOut
        }
        return stored
    }

    private func isMet(_ goal: RefreshGoal, by record: Record) -> Bool {
        switch goal {
        case .freshness(let seconds): record.isFresh(for: seconds, at: now())
        case .replacement(let used):
            record.accessToken != used && record.isFresh(for: 0, at: now())
        }
    }

    /// Stores the key of this refresh before the request leaves. A refresh whose answer was lost is
    /// repeated with the key that it had, so that the server can give the same answer again.
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

    /// Stores the result before anybody sees it. One that comes after a sign-out is dropped.
    func store(_ fresh: Record, replacing token: SecretText?) async throws(SignInError) {
        let stored: Record
        do throws(SignInError) {
            stored = try await storedRecord()
        } catch {
            if error == Self.signedOut { await discard(fresh) }
            throw error
        }
        // Somebody wrote without the lock: theirs is as good as ours.
        guard stored.refreshToken == token else {
            throw SignInError(.transient(.busy, retryAfter: nil))
        }
        try await storage.write(fresh.serialized())
        guard show(fresh) else {
            // Signed out while it was written: the sign-out may have removed the old one only.
            try await storage.remove()
            await discard(fresh)
            throw Self.signedOut
        }
    }

    /// Only `invalid_grant` for the refresh token that is still the current one ends a session.
    ///
    /// - Parameter token: What the server calls no good.
    /// - Returns: What to tell the caller.
    func ending(refused token: SecretText) async throws(SignInError) -> SignInError {
        guard try await storedRecord().refreshToken == token else {
            return SignInError(.transient(.busy, retryAfter: nil))
        }
        end(.sessionEnded)
        try await storage.remove()
        return SignInError(.interactionRequired(.sessionEnded))
    }
}

/// The lock is held for at most as long as a token request takes; this is longer.
private let lockPatience = Duration.seconds(40)
