package import PorticoProtocol

/// A person who signs in to a realm.
package struct Person: Hashable, Sendable {
    /// `sub` (OpenID Connect Core §2): at most 255 ASCII characters, never given to another.
    package var id: String
    package var realmID: String
    /// Unique in the realm; kept in its one spelling (``LoginName/folded(_:)``).
    package var username: String
    /// Unique in the realm in its one spelling, where present.
    ///
    /// What was proven of an address says nothing of another: whoever gives a person another one, it is
    /// unverified until ``isEmailVerified`` is set after it (OpenID Connect Core §5.1).
    package var email: String? {
        didSet {
            guard isEmailVerified, email.map(LoginName.folded) != oldValue.map(LoginName.folded)
            else { return }
            isEmailVerified = false
        }
    }
    package var isEmailVerified = false
    package var givenName: String?
    package var familyName: String?
    package var isEnabled = true
    /// Grants and sessions from before are dead. Seconds since 1970. Where it is raised, everything
    /// that there is dies at once, that of the same second too.
    package var notBefore: Int64 = 0
    /// Further facts by name: standard claims (`locale`, `phone_number`, …) and the realm's own.
    package var attributes: [String: [String]] = [:]
    /// What they must do at their next sign-in (``RequiredAction``).
    package var requiredActions: [String] = []
    /// The client (its id) whose own account this is: no one signs in to it.
    package var serviceClientID: String?
    /// Seconds since 1970.
    package var createdAt: Int64
    package var updatedAt: Int64

    package init(id: String, realmID: String, username: String, createdAt: Int64) {
        self.id = id
        self.realmID = realmID
        self.username = username
        self.createdAt = createdAt
        updatedAt = createdAt
    }

    /// The name to show: given and family name, else the user name.
    package var displayName: String {
        let parts = [givenName, familyName].compactMap { $0 }.filter { !$0.isEmpty }
        return parts.isEmpty ? username : parts.joined(separator: " ")
    }
}

/// A password as it is kept: an encoded hash with its parameters and salt (docs/decisions/0037).
package struct PasswordHash: Hashable, Sendable {
    /// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`
    package var encoded: String

    package init(encoded: String) {
        self.encoded = encoded
    }
}

/// A stronger hash of the same password (docs/decisions/0037).
package struct PasswordUpgrade: Hashable, Sendable {
    /// The hash that the password was checked against.
    package var former: PasswordHash
    package var stronger: PasswordHash

    package init(from former: PasswordHash, to stronger: PasswordHash) {
        self.former = former
        self.stronger = stronger
    }
}

package struct NewPerson: Sendable {
    package var person: Person
    package var password: PasswordHash?
    package var roles: [RoleName]
    /// The ids of their groups.
    package var groupIDs: [String] = []
    package var credentials: [Credential] = []
    package var identities: [FederatedIdentity] = []
    /// What they allowed clients (their ids).
    package var consents: [(clientID: String, scope: Scope, at: Int64)] = []

    package init(person: Person, password: PasswordHash?, roles: [RoleName] = []) {
        self.person = person
        self.password = password
        self.roles = roles
    }
}
