package import PorticoProtocol
package import PorticoStores

/// Another provider that people signed in by, as its file had it (Keycloak
/// `IdentityProviderRepresentation`).
package struct IdentityProviderRepresentation: Sendable {
    package let json: JSONObject

    /// The ``RealmPart/kind`` of the parts that these are.
    package static let kind = "identityProviders"
    /// The same of its mappers.
    static let mapperKind = "identityProviderMappers"

    /// - Throws: where the key ring does not fit.
    package init(_ part: RealmPart, secrets: RealmSecrets) throws {
        json = try secrets.whole(part).ordered(RepresentationMembers.identityProvider.order)
    }
}
