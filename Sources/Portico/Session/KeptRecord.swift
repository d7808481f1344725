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
