import PorticoBytes

/// A role of a realm, or of one of its clients.
package struct Role: Hashable, Sendable {
    /// A UUID.
    package var id: String
    package var realmID: String
    /// The `client_id` whose role it is; `nil` for a role of the realm.
    package var clientID: String?
    package var name: String
    package var description: String
    package var attributes: [String: [String]]

    package init(
        id: String,
        realmID: String,
        clientID: String?,
        name: String,
        description: String,
        attributes: [String: [String]] = [:]
    ) {
        self.id = id
        self.realmID = realmID
        self.clientID = clientID
        self.name = name
        self.description = description
        self.attributes = attributes
    }

    package var roleName: RoleName { RoleName(clientID: clientID, name: name) }
}

/// A role as a person has it: what tokens say. Compared as bytes, as the store keeps it: characters that
/// Unicode holds equal make two roles.
package struct RoleName: Hashable, Sendable {
    /// `nil` for a role of the realm.
    package var clientID: String?
    package var name: String

    package init(clientID: String?, name: String) {
        self.clientID = clientID
        self.name = name
    }

    package static func == (one: RoleName, other: RoleName) -> Bool {
        sameBytes(one.name, other.name)
            && one.clientID.map(ExactText.init) == other.clientID.map(ExactText.init)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(clientID.map(ExactText.init))
        hasher.combine(ExactText(name))
    }
}
