import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoUpstream
import PorticoWeb

/// The cookies of sign-ins under way in one browser (docs/decisions/0027; WEB-BFF-6, WEB-BFF-7).
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
    /// Bytes of the `Cookie` field for all of them and their ways back. A browser that brings more than
    /// the connection takes gets no page any more: the rest is for a pending identity (4 kB), sessions
    /// and devices, and the other fields (4 kB). Two attempts with the longest way back fit.
    static let room = ConnectionLimits.usualHeaders * 7 / 16

    init(_ policy: CookiePolicy, ring: KeyRing) {
        self.policy = policy
        attempts = Seal(ring: ring, purpose: "sign-in attempt", realm: "")
        waysBack = Seal(ring: ring, purpose: "way back", realm: "")
    }

    /// What a callback finds of its own attempt.
    enum Found: Sendable {
        case attempt(Attempt, SignInReturn)
        /// It was begun in this browser, and is over: too old, or used.
        case over(SignInReturn)
        /// It was not begun in this browser, or the browser keeps no cookies.
        case nothing
    }

    /// The fields that begin an attempt: its two cookies, and the removal of what must give way.
    func begin(
        _ attempt: Attempt,
        _ wayBack: SignInReturn,
        _ headers: HTTPFields,
        at moment: Moment
    )
        throws(CookiePolicy.Refusal) -> [HTTPField]
    {
        let id = Self.id(ofState: attempt.state.reveal())
        var writer = ByteWriter()
        writer.sized(attempt.encoded)
        writer.sized(wayBack.encoded)
        let sealed = attempts.seal(writer.bytes, at: moment.now, random: moment.random)
        let way = waysBack.seal(wayBack.encoded, at: moment.now, random: moment.random)
        let left = Self.room - policy.length(of: Self.attempt(id), sealed)
        let wayLength = policy.length(of: Self.wayBack(id), way)
        var fields = [try policy.set(Self.attempt(id), to: sealed, for: Self.lifetime)]
        // It completes nothing, and is the first that there is no room for.
        if wayLength <= left {
            fields.append(try policy.set(Self.wayBack(id), to: way, for: Self.wayBackLifetime))
        }
        return evicted(headers, for: id, room: left - wayLength) + fields
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
            let wayBack = try? SignInReturn(encoded: bytes)
        else { return .nothing }
        return .over(wayBack)
    }

    /// The field that ends an attempt, whatever came of it. The way back stays: it completes
    /// nothing.
    func end(state: String) -> HTTPField {
        policy.remove(Self.attempt(Self.id(ofState: state)))
    }

    private func opened(_ id: String, _ headers: HTTPFields, at moment: Moment)
        -> (attempt: Attempt, wayBack: SignInReturn)?
    {
        guard let text = policy.value(of: Self.attempt(id), in: headers),
            // `try?`: whatever does not open says nothing.
            let bytes = try? attempts.open(text, at: moment.now, within: Double(Self.lifetime))
        else { return nil }
        var reader = ByteReader(bytes)
        // `try?`: only another version of the program writes other fields.
        guard let attempt = try? Attempt(encoded: try reader.sized()),
            // `try?`: as above.
            let wayBack = try? SignInReturn(encoded: try reader.sized())
        else { return nil }
        return (attempt, wayBack)
    }

    /// What must give way to the new attempt: the oldest that the browser brings, so that there are not
    /// more than ``most`` and all of them fit; before them ways back whose attempt is over.
    private func evicted(_ headers: HTTPFields, for id: String, room: Int) -> [HTTPField] {
        // Browsers send the cookies that were made first, first (RFC 6265 §5.4).
        let attempts = brought("attempt", headers, but: id)
        let ways = brought("return", headers, but: id)
        let lengthOfWay = Dictionary(ways.map { ($0.id, $0.length) }) { $0 + $1 }
        var left = room
        var removed: [HTTPField] = []
        for (place, attempt) in attempts.reversed().enumerated() {
            let length = attempt.length + (lengthOfWay[attempt.id] ?? 0)
            if length <= left, place < Self.most - 1 {
                left -= length
                continue
            }
            // Nor does an older one stay in its place.
            left = 0
            removed.append(policy.remove(Self.attempt(attempt.id)))
            if lengthOfWay[attempt.id] != nil {
                removed.append(policy.remove(Self.wayBack(attempt.id)))
            }
        }
        let underWay = Set(attempts.map(\.id))
        for way in ways.reversed() where !underWay.contains(way.id) {
            left = way.length <= left ? left - way.length : 0
            if left == 0 { removed.append(policy.remove(Self.wayBack(way.id))) }
        }
        return removed
    }

    private func brought(_ purpose: StaticString, _ headers: HTTPFields, but id: String)
        -> [CookiePolicy.Kept]
    {
        policy.all(of: purpose, in: headers).filter { Self.isID($0.id) && $0.id != id }
    }

    private static func attempt(_ id: String) -> CookieName { CookieName("attempt", id) }
    private static func wayBack(_ id: String) -> CookieName { CookieName("return", id) }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 8
            && text.utf8.allSatisfy { $0.hexDigitValue != nil && $0.lowercased == $0 }
    }

    /// Eight hexadecimal characters.
    private static func id(ofState state: String) -> String {
        Hexadecimal.text(Hash256(of: state).bytes.prefix(4))
    }
}
