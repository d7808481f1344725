package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoSystem

/// Replaces a realm's signing key for one algorithm, so that every token can be verified at any
/// time (OpenID Connect Core §10.1.1).
///
/// The new key is published first and signs later, when every cache of the key set has it; the
/// previous key stays published until the last token it signed has expired.
package struct KeyRotation: Sendable {
    /// How long clients may cache the key set: the `max-age` sent with it, in seconds.
    package static let keySetMaxAge: Int64 = 300

    /// An allowance for other nodes' clocks and for reading the store once a second.
    static let margin: Int64 = 60

    /// Ten years: a longer overlap is shortened to it.
    static let longestOverlap: Int64 = 3650 * 86_400

    private let maker: SigningKeyMaker
    private let realm: Realm
    /// The longest life of any token that the realm signs, in seconds.
    private let longestLife: Int64

    package init(maker: SigningKeyMaker, realm: Realm, clients: [Client]) {
        self.maker = maker
        self.realm = realm
        longestLife = clients.reduce(realm.lifetimes.accessToken) {
            max($0, $1.accessTokenLifetime ?? 0)
        }
    }

    package enum Start: Hashable, Sendable {
        /// When every cache filled before the new key was published has expired.
        case whenPublished
        /// At once. Clients that cached the key set see an unknown key and must fetch again, as
        /// they should (OpenID Connect Core §10.1.1). A waiting key is used instead of making
        /// another one.
        case now
    }

    package enum Refusal: Error, Hashable, Sendable {
        /// A key already waits and will sign from that time on (seconds since 1970).
        case underWay(keyID: String, activeFrom: Int64)
    }

    /// The arguments for ``RealmStore/rotate(adding:changing:)``.
    package struct Outcome: Sendable {
        package var adding: [SigningKeyRecord] = []
        package var changing: [SigningKeyRecord] = []
        /// The key that signs from ``activeFrom`` on.
        package let keyID: String
        package let activeFrom: Int64
    }

    /// - Parameters:
    ///   - keys: All keys of the realm.
    ///   - overlap: How long the previous key stays published after the new one signs, in seconds.
    ///     Never shorter than the life of its last token. If `nil`, as long as a browser session
    ///     can last, so that an older ID Token still works as `id_token_hint`
    ///     (RP-Initiated Logout 1.0 §2).
    package func callAsFunction(
        _ algorithm: SignatureAlgorithm,
        of keys: [SigningKeyRecord],
        start: Start = .whenPublished,
        overlap: Int64? = nil,
        at moment: Moment
    ) throws -> Outcome {
        let now = moment.seconds
        let current = keys.filter { $0.algorithm == algorithm }
        let waiting = current.filter { $0.activeFrom > now }.max { $0.activeFrom < $1.activeFrom }
        if let waiting, start == .whenPublished {
            throw Refusal.underWay(keyID: waiting.keyID, activeFrom: waiting.activeFrom)
        }
        // The first key for an algorithm waits too: no cached key set has it yet.
        let activeFrom = start == .now ? now : now + Self.keySetMaxAge + Self.margin
        let asked = min(overlap ?? realm.lifetimes.sessionMaximum, Self.longestOverlap)
        let retiredFrom = activeFrom + max(longestLife, asked) + Self.margin

        var outcome: Outcome
        if var promoted = waiting {
            promoted.activeFrom = activeFrom
            outcome = Outcome(keyID: promoted.keyID, activeFrom: activeFrom)
            outcome.changing = [promoted]
        } else {
            let new = try maker.make(
                algorithm,
                realmID: realm.id,
                activeFrom: activeFrom,
                at: moment
            )
            outcome = Outcome(keyID: new.keyID, activeFrom: activeFrom)
            outcome.adding = [new]
        }
        // Keys retired by an earlier rotation keep their time.
        for var former in current where former.retiredFrom == nil {
            guard former.keyID != outcome.keyID else { continue }
            former.retiredFrom = retiredFrom
            outcome.changing.append(former)
        }
        return outcome
    }
}

/// Makes signing keys, sealed for the store.
package struct SigningKeyMaker: Sendable {
    private let seal: SigningKeySeal

    package init(ring: KeyRing) {
        seal = SigningKeySeal(ring: ring)
    }

    /// - Parameter activeFrom: When it starts signing tokens; seconds since 1970.
    package func make(
        _ algorithm: SignatureAlgorithm,
        realmID: String,
        activeFrom: Int64,
        at moment: Moment
    ) throws -> SigningKeyRecord {
        let key = try SigningKey(
            generating: algorithm,
            keyID: Self.keyID(at: moment),
            random: moment.random
        )
        return SigningKeyRecord(
            realmID: realmID,
            keyID: key.keyID,
            algorithm: algorithm,
            sealedPrivateKey: seal.seal(key, realmID: realmID, random: moment.random),
            createdAt: moment.seconds,
            activeFrom: activeFrom
        )
    }

    /// `2026-11-21-` and 48 random bits: an administrator sees a key's age, and key IDs are unique
    /// across realms (RFC 7517 §4.5).
    private static func keyID(at moment: Moment) -> String {
        let day = moment.now.formatted(.iso8601.year().month().day())
        return "\(day)-\(moment.random.text(6))"
    }
}

extension SigningKeyRecord {
    /// The algorithms that `keys` sign with at `now` (seconds since 1970). A published key that
    /// still waits does not count.
    package static func activeAlgorithms(of keys: [SigningKeyRecord], at now: Int64) -> Set<
        SignatureAlgorithm
    > {
        Set(
            keys.filter { $0.activeFrom <= now && ($0.retiredFrom.map { now < $0 } ?? true) }
                .map(\.algorithm)
        )
    }
}
