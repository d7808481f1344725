import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoUpstream
import PorticoWeb

/// The cookies of pending sign-ins in one browser (docs/decisions/0027; WEB-BFF-6, WEB-BFF-7).
///
/// Each attempt has its own, named by eight characters of its state's hash, so that tabs do not
/// interfere with each other. Sealed, `HttpOnly`, `SameSite=Lax`, ten minutes; a second one for the
/// return lasts a day.
struct AttemptCookies: Sendable {
    private let policy: CookiePolicy
    private let ring: KeyRing
    private let directory: BackendDirectory
    private let waysBack: Seal

    /// In seconds (SEED-ADR-3).
    static let lifetime = 600
    static let signInReturnLifetime = 86_400
    /// The most attempts in one browser: beyond it the oldest are removed.
    static let most = 5
    /// The bytes of the `Cookie` field for all of them and their returns. A browser that sends more
    /// than the connection accepts gets no page: the rest is for a pending identity (4 kB),
    /// sessions and devices, and the other fields (4 kB). Two attempts with the longest return fit.
    static let room = ConnectionLimits.usualHeaders * 7 / 16

    init(_ policy: CookiePolicy, ring: KeyRing, directory: BackendDirectory) {
        self.policy = policy
        self.ring = ring
        self.directory = directory
        waysBack = Seal(ring: ring, purpose: "way back", realm: "")
    }

    /// The result of looking up a callback's own attempt.
    enum Found<Pending: PendingAttempt>: Sendable {
        case attempt(Pending, SignInReturn)
        /// It was begun in this browser, but has expired or was used.
        case over(SignInReturn)
        /// It was not begun in this browser, or the browser keeps no cookies.
        case nothing

        /// Of the attempt that this browser brought.
        var attemptID: UniqueID? {
            if case .attempt(let attempt, _) = self { attempt.id } else { nil }
        }
    }

    /// The fields that begin an attempt: its two cookies, and the removal of older ones.
    func begin(
        _ attempt: some PendingAttempt,
        _ signInReturn: SignInReturn,
        _ headers: HTTPFields,
        at moment: Moment
    )
        throws(CookiePolicy.Refusal) -> [HTTPField]
    {
        let id = Self.id(ofState: attempt.state.reveal())
        var writer = ByteWriter()
        writer.sized(attempt.encoded)
        writer.sized(signInReturn.encoded)
        let sealed = seal(of: type(of: attempt)).seal(
            writer.bytes,
            at: moment.now,
            random: moment.random
        )
        let way = waysBack.seal(signInReturn.encoded, at: moment.now, random: moment.random)
        let left = Self.room - policy.length(of: Self.attempt(id), sealed)
        let wayLength = policy.length(of: Self.signInReturn(id), way)
        var fields = [try policy.set(Self.attempt(id), to: sealed, for: Self.lifetime)]
        // It completes nothing, so it is the first to be left out.
        if wayLength <= left {
            fields.append(
                try policy.set(Self.signInReturn(id), to: way, for: Self.signInReturnLifetime)
            )
        }
        return evicted(headers, for: id, room: left - wayLength) + fields
    }

    /// The attempt with a callback's `state`, in the browser that it began in.
    ///
    /// - Throws: `invalid_app` and `not_found` where it could not begin today: it ends in a page,
    ///   and nowhere else.
    func find<Pending: PendingAttempt>(
        _ kind: Pending.Type = Pending.self,
        state: String,
        _ headers: HTTPFields,
        at moment: Moment
    ) throws(BackendError) -> Found<Pending> {
        let id = Self.id(ofState: state)
        if let found = opened(kind, id, headers, at: moment),
            // The name has only 32 bits of the hash; the state itself decides.
            ConstantTime.equal(found.attempt.state.reveal(), state)
        {
            return .attempt(found.attempt, try found.signInReturn.judged(by: directory))
        }
        guard let text = policy.value(of: Self.signInReturn(id), in: headers),
            // `try?`: a text that does not open is ignored.
            let bytes = try? waysBack.open(
                text,
                at: moment.now,
                within: Double(Self.signInReturnLifetime)
            ),
            // `try?`: only another version of the program writes other fields.
            let signInReturn = try? SealedReturn(encoded: bytes)
        else { return .nothing }
        return .over(try signInReturn.judged(by: directory))
    }

    /// The field that ends an attempt, whatever the outcome. The return stays: it completes
    /// nothing.
    func end(state: String) -> HTTPField {
        policy.remove(Self.attempt(Self.id(ofState: state)))
    }

    private func seal(of kind: (some PendingAttempt).Type) -> Seal {
        Seal(ring: ring, purpose: kind.purpose, realm: "")
    }

    private func opened<Pending: PendingAttempt>(
        _ kind: Pending.Type,
        _ id: String,
        _ headers: HTTPFields,
        at moment: Moment
    ) -> (attempt: Pending, signInReturn: SealedReturn)? {
        guard let text = policy.value(of: Self.attempt(id), in: headers),
            // `try?`: a text that does not open is ignored.
            let bytes = try? seal(of: kind).open(
                text,
                at: moment.now,
                within: Double(Self.lifetime)
            )
        else { return nil }
        var reader = ByteReader(bytes)
        // `try?`: only another version of the program writes other fields.
        guard let attempt = try? Pending(encoded: try reader.sized()),
            // `try?`: the same reason.
            let signInReturn = try? SealedReturn(encoded: try reader.sized())
        else { return nil }
        return (attempt, signInReturn)
    }

    /// The cookies removed for the new attempt: the oldest, so that at most ``most`` are left and
    /// all of them fit; before them, returns of finished attempts.
    private func evicted(_ headers: HTTPFields, for id: String, room: Int) -> [HTTPField] {
        // Browsers send older cookies first (RFC 6265 §5.4).
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
            // An older one does not stay in its place either.
            left = 0
            removed.append(policy.remove(Self.attempt(attempt.id)))
            if lengthOfWay[attempt.id] != nil {
                removed.append(policy.remove(Self.signInReturn(attempt.id)))
            }
        }
        let underWay = Set(attempts.map(\.id))
        for way in ways.reversed() where !underWay.contains(way.id) {
            left = way.length <= left ? left - way.length : 0
            if left == 0 { removed.append(policy.remove(Self.signInReturn(way.id))) }
        }
        return removed
    }

    private func brought(_ purpose: StaticString, _ headers: HTTPFields, but id: String)
        -> [CookiePolicy.Kept]
    {
        policy.all(of: purpose, in: headers).filter { Self.isID($0.id) && $0.id != id }
    }

    private static func attempt(_ id: String) -> CookieName { CookieName("attempt", id) }
    private static func signInReturn(_ id: String) -> CookieName { CookieName("return", id) }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 8
            && text.utf8.allSatisfy { $0.hexDigitValue != nil && $0.lowercased == $0 }
    }

    /// Eight hexadecimal characters.
    private static func id(ofState state: String) -> String {
        Hexadecimal.text(Hash256(of: state).bytes.prefix(4))
    }
}
