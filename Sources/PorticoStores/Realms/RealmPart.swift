package import PorticoProtocol

/// Something of an imported realm that nothing here acts on, and an export gives back: an identity
/// provider, an authentication flow, a component.
package struct RealmPart: Hashable, Sendable {
    package var realmID: String
    /// The member of Keycloak's `RealmRepresentation` that it stood in: `identityProviders`.
    package var kind: String
    /// Unique among those of its kind.
    package var id: String
    /// Keycloak's representation without secrets.
    package var document: JSONObject
    /// The secrets, sealed at rest.
    package var sealed: String?

    package init(
        realmID: String,
        kind: String,
        id: String,
        document: JSONObject,
        sealed: String? = nil
    ) {
        self.realmID = realmID
        self.kind = kind
        self.id = id
        self.document = document
        self.sealed = sealed
    }
}
