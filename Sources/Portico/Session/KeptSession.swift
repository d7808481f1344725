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

    /// Refreshes `record` at the server and stores the result with
    /// ``storeResult(_:replacing:under:)``.
    ///
    /// - Parameter lock: Of the storage.
    func renewed(
        _ record: Record,
        by token: SecretText,
        _ request: PendingRefresh,
        under lock: SessionLock
    ) async throws(SignInError) -> Record

    /// Revokes tokens that will not be used, as far as possible.
    func discard(_ record: Record) async

    /// Whether another session renews the tokens of this one.
    var isRenewedElsewhere: Bool { get }

    /// The record with that session's tokens, stored; `nil` if this session renews its own.
    func renewedElsewhere(_ stored: Record, for goal: RefreshGoal, under lock: SessionLock)
        async throws(SignInError) -> Record?
}

extension KeptSession {
    var isRenewedElsewhere: Bool { false }

    func renewedElsewhere(_ stored: Record, for goal: RefreshGoal, under lock: SessionLock)
        async throws(SignInError) -> Record?
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

    /// Refreshes once, under the lock of the storage. Where the lock was lost in the middle, the
    /// result is written under another one.
    func refresh(for goal: RefreshGoal) async -> Result<Record, SignInError> {
        do throws(SignInError) {
            do throws(SignInError) {
                return .success(try await refreshOnce(for: goal))
            } catch {
                guard error == Self.suspending, unwritten.result(of: try activeRecord()) != nil
                else { throw error }
                return .success(try await refreshOnce(for: goal))
            }
        } catch {
            return .failure(error)
        }
    }

    private func refreshOnce(for goal: RefreshGoal) async throws(SignInError) -> Record {
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        try await writeUnwritten(under: lock)
        return try await refresh(for: goal, under: lock)
    }

    private func writeUnwritten(under lock: SessionLock) async throws(SignInError) {
        guard let (record, replaced) = unwritten.result(of: try activeRecord()) else { return }
        do throws(SignInError) {
            try await store(record, replacing: replaced, under: lock)
        } catch {
            // The write was done although it failed, or another process has written since: what is
            // stored is as good.
            guard error == Self.busy else { throw error }
        }
        unwritten.drop(of: record)
    }

    private func refresh(for goal: RefreshGoal, under lock: SessionLock)
        async throws(SignInError) -> Record
    {
        let stored = try await storedRecord()
        // Another process may have refreshed while this one waited for the lock.
        if isMet(goal, by: stored) {
            guard show(stored) else { throw Self.signedOut }
            return stored
        }
        if let fresh = try await renewedElsewhere(stored, for: goal, under: lock) { return fresh }
        guard let token = stored.refreshToken else {
            throw SignInError(.interactionRequired(.expired))
        }
        let fresh = try await renew(stored, by: token, under: lock)
        // The answer to a repeated request is as old as the first: its token may have expired.
        guard !fresh.isUsable(at: now()), let next = fresh.refreshToken, next != token else {
            return fresh
        }
        return try await renew(fresh, by: next, under: lock)
    }

    private func renew(_ record: Record, by token: SecretText, under lock: SessionLock)
        async throws(SignInError) -> Record
    {
        let request = try await prepare(record, token, under: lock)
        return try await renewed(record, by: token, request, under: lock)
    }

    private static var signedOut: SignInError { SignInError(.interactionRequired(.signedOut)) }
    private static var busy: SignInError { SignInError(.transient(.busy, retryAfter: nil)) }
    private static var suspending: SignInError {
        SignInError(.transient(.suspending, retryAfter: nil))
    }

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
    private func prepare(_ record: Record, _ token: SecretText, under lock: SessionLock)
        async throws(SignInError) -> PendingRefresh
    {
        if let pending = record.pending, pending.isFor(token) { return pending }
        let pending = PendingRefresh(token, random: random)
        var record = record
        record.pending = pending
        let bytes = record.serialized()
        try await lock.hold { () throws(SignInError) in try await storage.write(bytes) }
        return pending
    }

    /// Stores the result of a refresh. One that the storage does not take, or that comes when the
    /// lock was lost, is kept (``UnwrittenRecord``).
    func storeResult(_ fresh: Record, replacing token: SecretText?, under lock: SessionLock)
        async throws(SignInError)
    {
        do throws(SignInError) {
            try await store(fresh, replacing: token, under: lock)
        } catch {
            switch error.kind {
            case .storage, .transient(.suspending, _): break
            default: throw error
            }
            if isActive {
                unwritten.keep(fresh, replacing: token)
            } else {
                await discard(fresh)
            }
            throw error
        }
    }

    /// Stores a record before it is shown. One that arrives after a sign-out is dropped.
    func store(_ fresh: Record, replacing token: SecretText?, under lock: SessionLock)
        async throws(SignInError)
    {
        do throws(SignInError) {
            try await lock.hold { () throws(SignInError) in
                // Another writer had the lock meanwhile; its record is as good as this one.
                guard try await storedRecord().refreshToken == token else { throw Self.busy }
                try await storage.write(fresh.serialized())
                guard show(fresh) else {
                    // Signed out during the write: the sign-out may have removed only the old
                    // record.
                    try await storage.remove()
                    throw Self.signedOut
                }
            }
        } catch {
            if error == Self.signedOut { await discard(fresh) }
            throw error
        }
    }

    /// Ends the session after `invalid_grant`, but only if the refused token is still the current one.
    ///
    /// - Parameters:
    ///   - token: The token that the server refused.
    ///   - current: The one of that kind in a record; the refresh token.
    /// - Returns: The error for the caller.
    func ending(
        refused token: SecretText,
        under lock: SessionLock,
        current: (Record) -> SecretText? = { $0.refreshToken }
    ) async throws(SignInError) -> SignInError {
        try await lock.hold { () throws(SignInError) in
            let stored = try await storedRecord()
            guard current(stored) == token else { return Self.busy }
            end(.sessionEnded)
            unwritten.drop(of: stored)
            try await storage.remove()
            return SignInError(.interactionRequired(.sessionEnded))
        }
    }
}

/// Ends a session locally, whatever happens at the server.
extension KeptSession {
    /// The record as stored: another process may have refreshed since, so its refresh token is
    /// current.
    func latestRecord() async -> Record? {
        // `try?`: an unreadable storage is no reason to stay signed in.
        guard let current = try? activeRecord(),
            let stored = try? await storage.record() as Record?, stored.isOf(current)
        else { return nil }
        return stored
    }

    /// What a refresh got and could not store: newer than anything stored.
    func takeUnwritten(of record: Record?) -> Record? {
        guard let record, let kept = unwritten.result(of: record) else { return nil }
        unwritten.drop(of: record)
        return kept.record
    }

    /// Removes the stored record under the lock: another sign-in may be about to take its place.
    /// While a refresh has the lock, the record is removed at once, and again after it.
    func clearStorage(of record: Record?) async -> SignInError? {
        guard let record else { return nil }
        do throws(SignInError) {
            if try await removeUnderLock(record, patience: .zero) { return nil }
            try await removeStored(record)
            // A process that holds the lock for this long reads the storage again before it writes.
            _ = try await removeUnderLock(record, patience: .seconds(5))
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: Whether the lock was free in time, and held to the end.
    private func removeUnderLock(_ record: Record, patience: Duration)
        async throws(SignInError) -> Bool
    {
        let lock: SessionLock
        do throws(SignInError) {
            lock = try await storage.lock(patience: patience)
        } catch {
            return false
        }
        defer { lock.release() }
        do throws(SignInError) {
            try await lock.hold { () throws(SignInError) in try await removeStored(record) }
            return true
        } catch {
            guard case .transient(.suspending, _) = error.kind else { throw error }
            return false
        }
    }

    /// Removes this sign-in's record only: another sign-in may have begun.
    private func removeStored(_ record: Record) async throws(SignInError) {
        guard let bytes = try await storage.read() else { return }
        if let stored = try Record.reading(bytes), !stored.isOf(record) { return }
        try await storage.remove()
    }
}

/// The stored state of a session, at a provider or at a backend: it survives restarts, and is
/// shared by processes.
protocol KeptRecord: Sendable {
    /// Identifies the sign-in, so that another sign-in is never mistaken for this one.
    var id: String { get }
    /// The token for calling servers.
    var accessToken: SecretText { get }
    var receivedAt: Date { get }
    /// `nil` means unknown, not for ever.
    var expiresAt: Date? { get }
    var refreshToken: SecretText? { get }
    var pending: PendingRefresh? { get set }

    /// The version of the storage format. It grows when an earlier version cannot read the format.
    static var version: Int64 { get }

    /// - Returns: `nil` if the bytes are not a record of this version.
    init?(_ bytes: [UInt8])

    /// The record in its storage format.
    func serialized() -> [UInt8]
}

extension KeptRecord {
    /// How long the access token lives in all, in seconds.
    var life: TimeInterval {
        expiresAt.map { $0.timeIntervalSince(receivedAt) } ?? assumedTokenLife
    }

    /// Whether the access token is as fresh as asked, by the local clock.
    func isFresh(_ freshness: Freshness, at now: Date) -> Bool {
        let age = now.timeIntervalSince(receivedAt)
        // A clock that was set back does not show how old the token is.
        guard age >= -60 else { return false }
        return switch freshness {
        // A token that lives for less than a minute would be refreshed at every use.
        case .usual: life - age > (expiresAt == nil ? 0 : min(60, life / 2))
        case .lasting(let seconds): life - age > seconds
        }
    }

    /// - Throws: misconfigured(.tokenLifeTooShort)
    func checkLife(for freshness: Freshness) throws(SignInError) {
        if case .lasting(let seconds) = freshness, life <= seconds {
            throw SignInError(.misconfigured(.tokenLifeTooShort))
        }
    }

    /// Whether the access token may be tried although it cannot be refreshed.
    func isUsable(at now: Date) -> Bool {
        expiresAt.map { $0 > now } ?? true
    }

    func isOf(_ other: some KeptRecord) -> Bool {
        sameBytes(id, other.id)
    }
}

/// How long an access token must still be valid.
enum Freshness: Sendable, Equatable {
    /// For a minute, or for half of its life if that is shorter.
    case usual
    /// For this many seconds.
    case lasting(TimeInterval)

    init(_ interval: Duration?) {
        self = interval.map { .lasting(TimeInterval(max(0, $0.components.seconds))) } ?? .usual
    }
}

/// The assumed life of a token if the server does not give one.
private let assumedTokenLife: TimeInterval = 3600

/// The result of a refresh that the storage did not take, kept for all sessions of a client.
///
/// What is stored instead is spent, and a provider that sees it again ends the session (RFC 9700
/// §4.14.2). So the result stays in memory and is written before anything else is tried. Another
/// process that refreshes before that presents the spent one: only a server that knows
/// `Idempotency-Key` answers it.
final class UnwrittenRecord<Record: KeptRecord>: Sendable {
    private struct Kept {
        let record: Record
        let replaced: SecretText?
    }

    private let kept = Locked<Kept?>(nil)

    /// - Parameter token: The refresh token that is stored instead.
    func keep(_ record: Record, replacing token: SecretText?) {
        kept.withLock { $0 = Kept(record: record, replaced: token) }
    }

    /// The result of the same sign-in as `record`, and the refresh token that is stored instead.
    func result(of record: Record) -> (record: Record, replaced: SecretText?)? {
        kept.withLock { kept in
            kept.flatMap { $0.record.isOf(record) ? ($0.record, $0.replaced) : nil }
        }
    }

    /// The result of the same sign-in as `record` is written, or will never be.
    func drop(of record: Record) {
        kept.withLock { kept in
            if kept?.record.isOf(record) == true { kept = nil }
        }
    }
}
