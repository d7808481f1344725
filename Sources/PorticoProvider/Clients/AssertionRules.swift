import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a realm asks of a client's assertion besides RFC 7523 §3. The realm chooses, no caller does.
enum AssertionRules: Sendable {
    case ordinary
    /// As at the hosts of the AT Protocol: made within the last minute by a clock that is not fast,
    /// and by a key that is named where there are several.
    case atProtocol

    init(of realm: LiveRealm) {
        self = realm.realm.atProtocol == nil ? .ordinary : .atProtocol
    }

    /// How old one may be, in seconds.
    static let oldest: Int64 = 60

    /// What is wrong with claims that are right otherwise, if anything.
    func wrong(_ claims: JSONObject, at now: Int64) -> UnprovenClient.Reason? {
        guard self == .atProtocol else { return nil }
        guard let expires = claims["exp"].flatMap(NumericDate.date).map(NumericDate.seconds),
            expires > now
        else { return .expired }
        guard let issued = claims["iat"].flatMap(NumericDate.date).map(NumericDate.seconds),
            issued <= now
        else { return .notYetValid }
        return issued >= now - Self.oldest ? nil : .tooOld
    }

    /// Whether it is said which key has signed, if the algorithm fits several.
    func isSigner(named header: JWSHeader, among keys: JWKSet) -> Bool {
        self == .ordinary || header.keyID != nil || keys.keys(fitting: header).count <= 1
    }
}

extension Client {
    /// The public keys that the client authenticates with, if it has any.
    var assertionKeys: JWKSet? {
        if let documented { return documented.keys }
        // `try?`: a registered key set that cannot be read contains no key.
        return keySet?.object.flatMap { try? JWKSet($0) }
    }

    /// The algorithms that it may sign with: the one that its document names.
    var assertionAlgorithms: Set<SignatureAlgorithm> {
        guard case .privateKeyJWT(let algorithm, _) = documented?.document.authentication else {
            return Set(SignatureAlgorithm.allCases)
        }
        return [algorithm]
    }
}

extension VerificationKey {
    /// What a session of the AT Protocol is bound to: a key under its name, for its algorithm.
    var binding: String {
        "\(keyID ?? "") \(algorithm.rawValue) \(JWKThumbprint(jwk).text)"
    }
}
