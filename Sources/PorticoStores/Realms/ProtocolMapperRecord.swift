/// A protocol mapper of a realm that came from Keycloak, as its file has it (Keycloak
/// `ProtocolMapperRepresentation`). Every kind is kept; what the known ones do stands in
/// PorticoProvider.
package struct ProtocolMapperRecord: Hashable, Sendable {
    /// Unique in the realm; a UUID in Keycloak's own files.
    package var id: String
    package var name: String
    /// Keycloak's word, such as `oidc-usermodel-attribute-mapper` (`protocolMapper` in the file).
    package var kind: String
    /// Keycloak's keys. Every value is a text, whatever it means.
    package var config: [String: String]
    package var consentRequired: Bool

    package init(
        id: String,
        name: String,
        kind: String,
        config: [String: String],
        consentRequired: Bool = false
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.config = config
        self.consentRequired = consentRequired
    }
}
