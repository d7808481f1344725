import PorticoBytes
import PorticoSeals

/// Seals the parameters of pushed requests of one realm (RFC 9126 §2): they may hold a login token or
/// an ID Token, and a copy of the database alone is to open none.
struct PushedRequestSeal: Sendable {
    private let seal: Seal

    init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "pushed request", realm: realmID)
    }

    /// In seconds. The row says when the request itself expires.
    private static let lifetime: Double = 86_400
    private static let longest = (AuthorizationFlowSeal.longestRequest + Seal.overhead) * 4 / 3 + 4

    func seal(_ parameters: [UInt8], at moment: Moment) -> [UInt8] {
        Array(seal.seal(parameters, at: moment.now, random: moment.random).utf8)
    }

    /// - Returns: `nil` for what this realm has not sealed.
    func open(_ sealed: [UInt8], at moment: Moment) -> [UInt8]? {
        // `try?`: every failure is an unknown request (RFC 9126 §2.2).
        try? seal.open(
            sealed,
            at: moment.now,
            within: Self.lifetime,
            maximumLength: Self.longest
        )
    }
}
