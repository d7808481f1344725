import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What a realm asks of a client's assertion besides RFC 7523 §3.
extension RealmProfile.Assertions {
    /// How old one may be, in seconds.
    static let oldest: Int64 = 60

    /// What is wrong with claims that are right otherwise, if anything.
    func wrong(_ claims: JSONObject, at now: Int64) -> UnprovenClient.Reason? {
        guard self == .fresh else { return nil }
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
        let rsa: SignatureAlgorithm = assertionAlgorithm == .ps256 ? .ps256 : .rs256
        // `try?`: a key set that cannot be read contains no key.
        return keySet?.object.flatMap { try? JWKSet($0, unlabelledRSA: [rsa]) }
    }

    /// The algorithms that it may sign with.
    var assertionAlgorithms: Set<SignatureAlgorithm> {
        assertionAlgorithm.map { [$0] } ?? Set(SignatureAlgorithm.allCases)
    }
}

extension VerificationKey {
    /// What a session of the AT Protocol is bound to: a key under its name, for its algorithm.
    var binding: String {
        "\(keyID ?? "") \(algorithm.rawValue) \(JWKThumbprint(jwk).text)"
    }
}
