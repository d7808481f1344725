package import HTTPTypes
package import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoUpstream
package import PorticoWeb

/// The cookies of pending sign-ins in one browser (docs/decisions/0027; WEB-BFF-6, WEB-BFF-7).
///
/// Each attempt has its own, named by eight characters of its state's hash, so that tabs do not
/// interfere with each other. Sealed, `HttpOnly`, `SameSite=Lax`, ten minutes; a second one for the
/// return lasts a day.
package struct AttemptCookies: Sendable {
    private let policy: CookiePolicy
    private let ring: KeyRing
    private let directory: ProviderDirectory
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

    init(_ policy: CookiePolicy, ring: KeyRing, directory: ProviderDirectory) {
        self.policy = policy
        self.ring = ring
        self.directory = directory
        waysBack = Seal(ring: ring, purpose: "way back", realm: directory.place.sealRealm)
    }

    /// The result of looking up a callback's own attempt.
    package enum Found<Pending: PendingAttempt>: Sendable {
        case attempt(Pending, SignInReturn)
        /// It was begun in this browser, but has expired or was used.
        case over(SignInReturn)
        /// It was not begun in this browser, or the browser keeps no cookies.
        case nothing

        /// Of the attempt that this browser brought.
        package var attemptID: UniqueID? {
            if case .attempt(let attempt, _) = self { attempt.id } else { nil }
        }
    }

    /// The fields that begin an attempt: its two cookies, and the removal of older ones.
    package func begin(
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
    package func find<Pending: PendingAttempt>(
        _ kind: Pending.Type = Pending.self,
        state: String,
        _ headers: HTTPFields,
        at moment: Moment
    ) throws(ServiceError) -> Found<Pending> {
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
    package func end(state: String) -> HTTPField {
        policy.remove(Self.attempt(Self.id(ofState: state)))
    }

    private func seal(of kind: (some PendingAttempt).Type) -> Seal {
        Seal(ring: ring, purpose: kind.purpose, realm: directory.place.sealRealm)
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

/// A sign-in that is under way, as it is kept sealed in the browser that began it.
package protocol PendingAttempt: Sendable {
    /// What its seal is for, so that none opens as one of another kind.
    static var purpose: StaticString { get }
    var id: UniqueID { get }
    var state: SecretText { get }
    /// Contains secrets: to be sealed.
    var encoded: [UInt8] { get }

    init(encoded: [UInt8]) throws(ByteReader.Malformed)
}

extension Attempt: PendingAttempt {
    static var purpose: StaticString { "sign-in attempt" }
}

/// An authorization response received as a cross-site POST, redirected to the same address by GET,
/// so that the browser sends the attempt's `SameSite=Lax` cookie (PRV-A-4, docs/decisions/0027).
///
/// Sealed for 60 seconds; it proves only that we received it.
struct PostedAnswer: Sendable {
    private let seal: Seal

    /// In seconds.
    private static let lifetime = 60.0
    /// The most bytes of a posted body: a code, a state, and Apple's `user` (attack E11).
    static let longestBody = 16 * 1024
    /// The most bytes kept, because they are sent in a URL.
    private static let longestKept = 4 * 1024
    private static let names = [
        "code", "state", "iss", "error", "error_description", "error_reason", "user",
    ]

    init(ring: KeyRing, place: SignInPlace) {
        seal = Seal(ring: ring, purpose: "posted answer", realm: place.sealRealm)
    }

    func seal(_ form: FormParameters, at moment: Moment) -> String {
        var kept = Self.names.compactMap { name in form[name].map { (name: name, value: $0) } }
        // A display name is less important than the sign-in.
        if FormEncoding.encode(kept).count > Self.longestKept {
            kept.removeAll { $0.name == "user" }
        }
        return seal.seal(FormEncoding.encode(kept), at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if it is too old, or not ours.
    func open(_ text: String, at moment: Moment) -> FormParameters? {
        // `try?`: every failure has the same answer.
        guard
            let bytes = try? seal.open(
                text,
                at: moment.now,
                within: Self.lifetime,
                maximumLength: 2 * Self.longestKept
            )
        else { return nil }
        // `try?`: the sealed text is a form.
        return try? FormParameters(decoding: bytes)
    }
}

/// Answers a callback without an attempt in this browser: no request to a provider is made.
package struct LateAnswer: Sendable {
    package let sessions: SessionCheck
    let responder: SignInResponder
    let forms: PageForms

    /// A signed-in person continues; otherwise the page, or the app, reports it.
    ///
    /// - Parameter signInReturn: `nil` where nothing is known of the attempt.
    package func callAsFunction(_ signInReturn: SignInReturn?, _ context: SignInContext)
        async throws
        -> Response
    {
        switch signInReturn?.destination {
        case .web(let path, _)?:
            if try await sessions.ifAny(context) != nil { return responder.go(to: path, context) }
        case nil:
            if try await sessions.ifAny(context) != nil {
                return responder.go(to: .dashboard, context)
            }
        case .app?, .link?: break
        }
        // None of our cookies arrived: does this browser keep no cookies, or was it another one?
        if signInReturn == nil, !context.wantsJSON, forms.cookies.form.value(context.headers) == nil
        {
            return responder.go(to: .cookies, context, cookies: [try forms.newCookie(context)])
        }
        return responder.failed(
            SignInFailure(.invalidState, signInReturn == nil ? .unknown : .expired),
            signInReturn,
            context
        )
    }

    /// - Parameter attempt: The one that this browser brought. Its answers count for it alone: what
    ///   others at that address send, or have people's browsers send, does not keep it from its end.
    package func checkRate(_ limit: RateLimiter, of attempt: UniqueID?, _ context: SignInContext)
        throws(ServiceError)
    {
        let key =
            attempt.map { LimitKey("answers of an attempt", $0.text) }
            ?? LimitKey("callback", context.sender)
        if case .wait(let seconds) = limit.take(key, at: context.moment.now) {
            throw ServiceError(
                .rateLimited,
                "Too many answers came from this address.",
                retryAfter: seconds
            )
        }
    }
}
