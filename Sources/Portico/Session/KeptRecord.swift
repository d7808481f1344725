import PorticoBytes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is kept of a session of either kind, at a provider or at a backend: over restarts, and
/// between the processes that share it.
protocol KeptRecord: Sendable {
    /// Of the sign-in, so that another sign-in is never taken for this one.
    var id: String { get }
    /// What servers are called with.
    var accessToken: SecretText { get }
    var receivedAt: Date { get }
    /// `nil` means unknown, not for ever.
    var expiresAt: Date? { get }
    var refreshToken: SecretText? { get }
    var pending: PendingRefresh? { get set }

    /// - Returns: `nil` where the bytes are no record, or one that only a later version can read.
    init?(_ bytes: [UInt8])

    /// The form in which a storage keeps it.
    func serialized() -> [UInt8]
}

extension KeptRecord {
    /// Whether the access token can still be used for `interval` or for half of its life, by this
    /// device's clock.
    func isFresh(for interval: TimeInterval, at now: Date) -> Bool {
        // A clock that was set back says nothing about how old the token is.
        guard now.timeIntervalSince(receivedAt) >= -60 else { return false }
        guard let expiresAt else { return now.timeIntervalSince(receivedAt) < assumedTokenLife }
        // A token that lives for less than the interval would be refreshed at every use.
        let enough = min(interval, expiresAt.timeIntervalSince(receivedAt) / 2)
        return expiresAt.timeIntervalSince(now) > enough
    }

    /// Whether the access token may be tried, as the only one there will be.
    func isUsable(at now: Date) -> Bool {
        expiresAt.map { $0 > now } ?? true
    }

    func isOf(_ other: some KeptRecord) -> Bool {
        sameBytes(id, other.id)
    }
}

/// For how long a token is used whose life the server does not tell.
private let assumedTokenLife: TimeInterval = 3600
