package import PorticoProtocol

/// Keeps people, their passwords, roles and what they allowed.
///
/// Where a change ends a person's sessions (disabled, deleted, signed out everywhere, a new
/// password), each client with a back-channel logout URI that got a grant in one of them is put down
/// to be told, once for each session, in the same transaction (``LogoutDeliveryStore``).
package protocol PersonStore: Sendable {
    /// The person of that id with the roles they have.
    func person(id: String, realmID: String) async throws -> PersonWithRoles?

    /// The person that `login` names: a user name, or an e-mail address where `byEmail`; compared in
    /// their one spelling (``LoginName/folded(_:)``). With the password hash, for signing in.
    /// Somebody's user name comes before somebody else's e-mail address.
    func credentials(realmID: String, login: String, byEmail: Bool) async throws
        -> PersonCredentials?

    /// People in the order of user names, after `cursor` (a user name), at most `limit`.
    func people(realmID: String, after cursor: String?, limit: Int) async throws -> [Person]

    /// Creates a person with password and roles, all or nothing.
    ///
    /// `.conflict` where user name or e-mail address is taken; exactly one of many concurrent calls
    /// for one user name creates it. An id that somebody had is taken. A role that the realm does
    /// not have throws ``MissingReference``.
    func create(_ person: NewPerson) async throws -> Creation

    /// Replaces what is kept of a person; id, realm and creation stay. `.conflict` is reported as
    /// thrown ``StoreConflict``.
    ///
    /// Where somebody is disabled, or enabled again, every session and grant that there is ends for
    /// good, and so does a wish for a new password: enabling revives nothing.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    func update(_ person: Person, replacing former: Person?) async throws -> Change

    /// Deletes a person: sessions, grants and roles go with them. The id is not used again. What is
    /// kept of sessions and grants, dead at once, goes with the next purge.
    func deletePerson(id: String, realmID: String) async throws -> Change

    /// Sets the password and ends every session and grant that there is, whatever its times say.
    /// `now` in seconds since 1970.
    func setPassword(_ password: PasswordHash, of personID: String, at now: Int64) async throws
        -> Change

    /// Gives a person a role that the realm has; giving it twice changes nothing.
    func assign(_ role: RoleName, to personID: String, realmID: String) async throws -> Change
    /// `.notFound` also where the person does not have the role.
    func remove(_ role: RoleName, from personID: String, realmID: String) async throws -> Change

    /// What the person allowed this client before; `nil`: nothing.
    func consent(personID: String, clientID: String) async throws -> Scope?
    /// Adds to what the person allowed this client (its UUID). `now` in seconds since 1970.
    func allow(_ scope: Scope, to clientID: String, by personID: String, at now: Int64)
        async throws

    /// The clients that the person allowed something, or that hold a live grant of theirs
    /// (``GrantStore``), in the order of their ids. `now` in seconds since 1970.
    func connectedApps(of personID: String, realmID: String, at now: Int64) async throws
        -> [ConnectedApp]

    /// Takes back what the person allowed a client (its UUID): what was allowed is forgotten, and
    /// every grant that the client has of theirs is dead with what was issued from it. Other clients
    /// and the person's sessions stay. `.notFound` where there was nothing.
    func disconnect(
        _ clientID: String,
        from personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> Change
}

extension PersonStore {
    package func update(_ person: Person) async throws -> Change {
        try await update(person, replacing: nil)
    }
}

/// A client that may act for a person.
package struct ConnectedApp: Hashable, Sendable {
    /// The client's UUID.
    package var clientID: String
    /// What it was allowed, and what its live grants are for.
    package var scope: Scope
    /// When the person allowed it; `nil` where nobody was asked. Seconds since 1970.
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

package struct PersonWithRoles: Hashable, Sendable {
    package var person: Person
    package var roles: [RoleName]

    package init(person: Person, roles: [RoleName]) {
        self.person = person
        self.roles = roles
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

/// A change would have given two things one name.
package struct StoreConflict: Error, Hashable, Sendable {
    package init() {}
}
