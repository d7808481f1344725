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

extension RealmPart {
    /// The kind of what an import noted of a thing that it wrote: nothing shows it, and no export has
    /// it. Kinds that begin with `~` are not Keycloak's.
    package static let imported = "~imported"
    /// Likewise of a person, by their id.
    static let importedPerson = "~imported-person"
    /// Likewise, by their id: that a person of whom there is such a note has another password than an
    /// import gave them, chosen or given here.
    static let chosenPassword = "~chosen-password"
    /// Likewise, by an id that a file has for a person who has another one here, or that an import makes
    /// of a user name which a person had here or has in a file, and has not here: the person's id. It
    /// outlives the person.
    static let knownPerson = "~known-person"
    /// The member of a person's note that holds the id which an import makes of their user name, where
    /// it is not theirs.
    package static let madeID = "madeId"
    /// Likewise those that it makes of user names which files took from them.
    package static let formerIDs = "formerIds"
}
