import PorticoBytes
import PorticoSystem

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

    /// - Returns: `nil` if the bytes are not a record, or a record of a later, incompatible
    ///   version.
    init?(_ bytes: [UInt8])

    /// The record in its storage format.
    func serialized() -> [UInt8]
}

extension KeptRecord {
    /// Whether the access token is valid for `interval` or for half of its life, by the local
    /// clock.
    func isFresh(for interval: TimeInterval, at now: Date) -> Bool {
        // A clock that was set back does not show how old the token is.
        guard now.timeIntervalSince(receivedAt) >= -60 else { return false }
        guard let expiresAt else { return now.timeIntervalSince(receivedAt) < assumedTokenLife }
        // A token that lives for less than the interval would be refreshed at every use.
        let enough = min(interval, expiresAt.timeIntervalSince(receivedAt) / 2)
        return expiresAt.timeIntervalSince(now) > enough
    }

    /// Whether the access token may be tried although it cannot be refreshed.
    func isUsable(at now: Date) -> Bool {
        expiresAt.map { $0 > now } ?? true
    }

    func isOf(_ other: some KeptRecord) -> Bool {
        sameBytes(id, other.id)
    }
}

/// The assumed life of a token if the server does not give one.
private let assumedTokenLife: TimeInterval = 3600
