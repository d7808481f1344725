import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoUpstream
import PorticoWeb

/// The cookies of sign-ins under way in one browser (decision 4; WEB-BFF-6, WEB-BFF-7).
///
/// Each attempt has its own, named by eight characters of its state's hash, so that tabs do not
/// disturb each other. Sealed, `HttpOnly`, `SameSite=Lax`, ten minutes; beside it the way back, a
/// day.
struct AttemptCookies: Sendable {
    private let policy: CookiePolicy
    private let attempts: Seal
    private let waysBack: Seal

    /// Seconds (SEED-ADR-3).
    static let lifetime = 600
    static let wayBackLifetime = 86_400
    /// More attempts than these in one browser: the oldest give way.
    static let most = 5

    init(_ policy: CookiePolicy, ring: KeyRing) {
        self.policy = policy
        attempts = Seal(ring: ring, purpose: "sign-in attempt", realm: "")
        waysBack = Seal(ring: ring, purpose: "way back", realm: "")
    }

    /// What a callback finds of its own attempt.
    enum Found: Sendable {
        case attempt(Attempt, WayBack)
        /// It was begun in this browser, and is over: too old, or used.
        case over(WayBack)
        /// It was not begun in this browser, or the browser keeps no cookies.
        case nothing
    }

    /// The fields that begin an attempt: its two cookies, and the removal of what must give way.
    func begin(_ attempt: Attempt, _ wayBack: WayBack, _ headers: HTTPFields, at moment: Moment)
        throws(CookiePolicy.Refusal) -> [HTTPField]
    {
        let id = Self.id(ofState: attempt.state.reveal())
        var writer = ByteWriter()
        writer.sized(attempt.encoded)
        writer.sized(wayBack.encoded)
        let sealed = attempts.seal(writer.bytes, at: moment.now, random: moment.random)
        let way = waysBack.seal(wayBack.encoded, at: moment.now, random: moment.random)
        return evicted(headers, for: id)
            + [
                try policy.set(Self.attempt(id), to: sealed, for: Self.lifetime),
                try policy.set(Self.wayBack(id), to: way, for: Self.wayBackLifetime),
            ]
    }

    /// The attempt that a callback's `state` belongs to, in the browser that it began in.
    func find(state: String, _ headers: HTTPFields, at moment: Moment) -> Found {
        let id = Self.id(ofState: state)
        if let found = opened(id, headers, at: moment),
            // The name has 32 bits of the hash only; the state itself decides.
            ConstantTime.equal(found.attempt.state.reveal(), state)
        {
            return .attempt(found.attempt, found.wayBack)
        }
        guard let text = policy.value(of: Self.wayBack(id), in: headers),
            // `try?`: whatever does not open says nothing.
            let bytes = try? waysBack.open(
                text,
                at: moment.now,
                within: Double(Self.wayBackLifetime)
            ),
            // `try?`: only another version of the program writes other fields.
            let wayBack = try? WayBack(encoded: bytes)
        else { return .nothing }
        return .over(wayBack)
    }

    /// The field that ends an attempt, whatever came of it. The way back stays: it completes
    /// nothing.
    func end(state: String) -> HTTPField {
        policy.remove(Self.attempt(Self.id(ofState: state)))
    }

    private func opened(_ id: String, _ headers: HTTPFields, at moment: Moment)
        -> (attempt: Attempt, wayBack: WayBack)?
    {
        guard let text = policy.value(of: Self.attempt(id), in: headers),
            // `try?`: whatever does not open says nothing.
            let bytes = try? attempts.open(text, at: moment.now, within: Double(Self.lifetime))
        else { return nil }
        var reader = ByteReader(bytes)
        // `try?`: only another version of the program writes other fields.
        guard let attempt = try? Attempt(encoded: try reader.sized()),
            // `try?`: as above.
            let wayBack = try? WayBack(encoded: try reader.sized())
        else { return nil }
        return (attempt, wayBack)
    }

    /// Of the attempts that the browser brings all but the newest, so that with the new one there
    /// are not more than ``most``; what does not open goes first.
    private func evicted(_ headers: HTTPFields, for id: String) -> [HTTPField] {
        let ids = policy.ids(of: "attempt", in: headers).filter { $0 != id }
        guard ids.count >= Self.most else { return [] }
        // Browsers send the cookies that were made first, first (RFC 6265 §5.4).
        return ids.prefix(ids.count - Self.most + 1).flatMap {
            [policy.remove(Self.attempt($0)), policy.remove(Self.wayBack($0))]
        }
    }

    private static func attempt(_ id: String) -> CookieName { CookieName("attempt", id) }
    private static func wayBack(_ id: String) -> CookieName { CookieName("return", id) }

    /// Eight hexadecimal characters.
    private static func id(ofState state: String) -> String {
        Hash256(of: state).bytes.prefix(4).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
