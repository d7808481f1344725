package import PorticoProtocol

/// A client that may act for a person.
package struct ConnectedApp: Hashable, Sendable {
    /// The client's UUID.
    package var clientID: String
    /// What it was allowed, and what its live grants are for.
    package var scope: Scope
    /// When the person allowed it; `nil` where the person was not asked. Seconds since 1970.
    package var allowedAt: Int64?
    /// When it last got tokens by a grant that is live; `nil` where it has none.
    package var lastUsedAt: Int64?

    package init(clientID: String, scope: Scope, allowedAt: Int64?, lastUsedAt: Int64?) {
        self.clientID = clientID
        self.scope = scope
        self.allowedAt = allowedAt
        self.lastUsedAt = lastUsedAt
    }
}

/// A person with what they were given themselves; ``RoleGraph`` says what that amounts to.
package struct PersonWithRoles: Hashable, Sendable {
    package var person: Person
    package var roles: [RoleName]
    /// The ids of their groups.
    package var groupIDs: [String]

    package init(person: Person, roles: [RoleName], groupIDs: [String] = []) {
        self.person = person
        self.roles = roles
        self.groupIDs = groupIDs
    }
}

package struct PersonCredentials: Hashable, Sendable {
    package var person: Person
    package var password: PasswordHash?
    /// How often the person was signed out everywhere. What was begun at an earlier count is dead:
    /// a sign-in that checked the former password, too.
    package var epoch: Int64

    package init(person: Person, password: PasswordHash?, epoch: Int64 = 0) {
        self.person = person
        self.password = password
        self.epoch = epoch
    }
}
