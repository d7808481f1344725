/// A person as they are to be, in place of what is kept of them.
package struct PersonChange: Sendable {
    package var person: NewPerson
    /// What the change was made from; `nil`: there is no one of that id yet.
    package var former: KeptPerson?

    package init(_ person: NewPerson, from former: KeptPerson?) {
        self.person = person
        self.former = former
    }
}

/// A person with everything that a file may say of them.
package struct KeptPerson: Equatable, Sendable {
    package var person: Person
    package var password: PasswordHash?
    package var roles: [RoleName]
    package var groupIDs: [String]
    package var credentials: [Credential]
    package var identities: [FederatedIdentity]
    /// By the client's id.
    package var consents: [String: [String]]
}
