package import PorticoProtocol

/// A signing key of a realm as it is kept.
///
/// A key goes `next` (published for at least the key set's max-age) -> `active` -> `retired`, until
/// the last token signed with it has expired (OpenID Connect Core §10.1.1).
package struct SigningKeyRecord: Hashable, Sendable {
    package var realmID: String
    /// `kid`, unique in the realm.
    package var keyID: String
    package var algorithm: SignatureAlgorithm
    /// The private key, sealed at rest.
    package var sealedPrivateKey: String
    /// Seconds since 1970.
    package var createdAt: Int64
    /// From when tokens are signed with it.
    package var activeFrom: Int64
    /// From when it is neither used nor published; `nil`: not decided.
    package var retiredFrom: Int64?
    /// Of several that are active, the one with the highest number signs.
    package var priority: Int64 = 0
    /// Its certificate, DER in base64 (`x5c`, RFC 7517 §4.7); `nil`: it has none.
    package var certificate: String?
    /// Keycloak's component that it came from, without secrets.
    package var component: JSONObject?

    package init(
        realmID: String,
        keyID: String,
        algorithm: SignatureAlgorithm,
        sealedPrivateKey: String,
        createdAt: Int64,
        activeFrom: Int64,
        retiredFrom: Int64? = nil
    ) {
        self.realmID = realmID
        self.keyID = keyID
        self.algorithm = algorithm
        self.sealedPrivateKey = sealedPrivateKey
        self.createdAt = createdAt
        self.activeFrom = activeFrom
        self.retiredFrom = retiredFrom
    }
}
