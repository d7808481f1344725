import PorticoAdministration
import PorticoBytes
package import PorticoProtocol
import PorticoSeals
import PorticoStores

/// The signing keys of a realm: those that sign, and those that verify earlier signatures.
///
/// A key exists from when it is made until it is retired: by then everything that it signed has
/// expired (``KeyRotation``). After that it is not published and verifies nothing, even if its row
/// still exists (OpenID Connect Core §10.1.1).
package struct RealmKeys: Sendable {
    fileprivate struct Entry: Sendable {
        let key: SigningKey
        /// Members of its JWK besides the key itself (`x5c`, RFC 7517 §4.7).
        let members: JSONObject
        let activeFrom: Int64
        let retiredFrom: Int64?
    }

    /// What is published during one period.
    package struct Published: Sendable {
        /// Seconds since 1970; `nil`: until a key is added or retired.
        fileprivate let until: Int64?
        /// The keys that verify what the realm has signed.
        package let verificationKeys: [VerificationKey]
        /// The algorithms of these.
        package let algorithms: [SignatureAlgorithm]
        /// The JWK set as it is sent (RFC 7517 §5): public members only.
        package let keySet: [UInt8]

        fileprivate init(_ entries: [Entry], _ kept: [JSONObject], until: Int64?) {
            self.until = until
            let entries = entries.filter { entry in
                guard let retiredFrom = entry.retiredFrom else { return true }
                return until.map { $0 <= retiredFrom } ?? false
            }
            let keys = entries.map(\.key)
            verificationKeys = keys.map(\.issuersKey)
            algorithms = SignatureAlgorithm.allCases.filter { algorithm in
                keys.contains { $0.algorithm == algorithm }
            }
            let set: JSONObject = [
                "keys": .array((entries.map(\.jwk) + kept).map(JSONValue.object))
            ]
            keySet = set.serialized()
        }
    }

    private let entries: [Entry]
    /// In order of time. Each is made once, so that key sets can be sent as they are.
    let stretches: [Published]

    /// - Parameter kept: Keys that are published besides.
    init(_ records: [SigningKeyRecord], kept: [KeptKey] = [], ring: KeyRing) throws {
        let seal = SigningKeySeal(ring: ring)
        let entries = try records.sorted { $0.activeFrom > $1.activeFrom }.map { record in
            Entry(
                key: try seal.open(record),
                // `try?`: a certificate that cannot be read is left out.
                members: record.certificate.flatMap { try? Certificate($0).jwkMembers }
                    ?? JSONObject(),
                activeFrom: record.activeFrom,
                retiredFrom: record.retiredFrom
            )
        }
        self.entries = entries
        let ends = Set(entries.compactMap(\.retiredFrom)).sorted().map(Optional.some)
        let published = kept.filter { $0.kind == .published }.compactMap(\.publicJWK)
        stretches = (ends + [nil]).map { Published(entries, published, until: $0) }
    }

    /// The keys that are published, and verify, at `now` (seconds since 1970).
    package func published(at now: Int64) -> Published {
        stretches.first { $0.until.map { now < $0 } ?? true } ?? Published([], [], until: nil)
    }

    /// The newest key of that algorithm that is active at `now` (seconds since 1970).
    package func active(_ algorithm: SignatureAlgorithm, at now: Int64) -> SigningKey? {
        entries.first {
            $0.key.algorithm == algorithm && $0.activeFrom <= now
                && ($0.retiredFrom.map { now < $0 } ?? true)
        }?.key
    }

    /// The keys by `kid`, with the time from which each signs.
    package var signingTimes: [String: Int64] {
        Dictionary(entries.map { ($0.key.keyID, $0.activeFrom) }) { first, _ in first }
    }
}

extension RealmKeys.Entry {
    fileprivate var jwk: JSONObject {
        var jwk = key.issuersKey.jwk.object
        for (name, value) in members { jwk[name] = value }
        return jwk
    }
}

/// What reads the refresh tokens that the server before has made, from when a realm swaps them on
/// (docs/decisions/0051).
struct FormerTokens: Sendable {
    let swap: TokenSwap
    private let keys: [HMACKey]

    /// - Returns: `nil` where the realm has never swapped any.
    /// - Throws: where the ring does not have the key that a secret was sealed with.
    init?(of realm: Realm, _ kept: [KeptKey], ring: KeyRing) throws {
        guard let swap = realm.tokenSwap else { return nil }
        let seal = KeptKeySeal(ring: ring)
        self.swap = swap
        keys = try kept.compactMap { key in
            guard key.kind == .hmac, let algorithm = HMACAlgorithm(wire: key.algorithm),
                let sealed = key.sealed
            else { return nil }
            let secret = try seal.open(sealed, of: key.keyID, realmID: key.realmID)
            // `try?`: a secret that is too short verifies nothing.
            return try? HMACKey(algorithm, secret: secret, keyID: key.keyID)
        }
    }

    /// Whether the window is open at `now` (seconds since 1970): tokens are swapped, or may be again, and
    /// what has ended must be known then.
    func isOpen(at now: Int64) -> Bool { now < swap.closesAt }

    /// The key that a token names.
    func key(named keyID: String) -> HMACKey? {
        keys.first { $0.keyID.map { sameBytes($0, keyID) } ?? false }
    }
}
