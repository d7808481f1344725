package import PorticoProtocol

/// A key of a realm that signs nothing here: it came with the realm and is published, verifies old
/// refresh tokens, or is kept for an export.
package struct KeptKey: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Verifies the refresh tokens of the server before.
        case hmac
        /// Published, so that what it signed can still be verified, or encrypted for it.
        case published
        case silent
    }

    package var realmID: String
    /// `kid`, unique in the realm.
    package var keyID: String
    package var kind: Kind
    /// `alg`, in the file's word.
    package var algorithm: String
    /// The private key or secret, sealed at rest; `nil`: not in the file.
    package var sealed: String?
    /// As in the key set (RFC 7517 §4); `nil` where it is not published.
    package var publicJWK: JSONObject?
    package var priority: Int64
    /// Keycloak's component without its secrets.
    package var component: JSONObject

    package init(
        realmID: String,
        keyID: String,
        kind: Kind,
        algorithm: String,
        sealed: String?,
        publicJWK: JSONObject?,
        priority: Int64,
        component: JSONObject
    ) {
        self.realmID = realmID
        self.keyID = keyID
        self.kind = kind
        self.algorithm = algorithm
        self.sealed = sealed
        self.publicJWK = publicJWK
        self.priority = priority
        self.component = component
    }
}
