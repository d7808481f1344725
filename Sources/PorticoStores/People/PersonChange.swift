package import PorticoProtocol

/// A person as they are to be, in place of what is kept of them.
package struct PersonChange: Sendable {
    package var person: NewPerson
    /// What the change was made from; `nil`: there is no one of that id yet.
    package var former: KeptPerson?
    /// Whether more than the note is written.
    package var differs: Bool

    package init(_ person: NewPerson, from former: KeptPerson?, differs: Bool = true) {
        self.person = person
        self.former = former
        self.differs = differs
    }
}

/// A person with everything that a file may say of them.
package struct KeptPerson: Equatable, Sendable {
    package var person: Person
    package var password: PasswordHash?
    /// Whether the password was chosen or given here; where no import noted anything of them, whether
    /// they were signed out everywhere, which a new password does.
    package var hasChosenPassword: Bool
    package var roles: [RoleName]
    package var groupIDs: [String]
    package var credentials: [Credential]
    package var identities: [FederatedIdentity]
    /// By the client's id.
    package var consents: [String: [String]]
    /// What an import noted of them; `nil`: they come from no file.
    package var imported: JSONObject?
}
