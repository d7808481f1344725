package import PorticoBytes
package import PorticoStores
package import PorticoSystem
package import PorticoWeb

/// People: who they are, what they sign in with, and where they are signed in.
extension RealmAdministration {
    /// Makes a person, with what every new one of the realm gets besides.
    ///
    /// - Parameters:
    ///   - new: Without a password: ``NewPassword`` has it.
    ///   - demands: What they must do at their first sign-in besides.
    /// - Returns: The person as they are kept.
    @discardableResult
    package func create(
        _ new: NewPerson,
        password: NewPassword? = nil,
        demanding demands: [String] = [],
        by administrator: Administrator,
        at moment: Moment
    ) async throws -> Person {
        var new = new
        let rights = try await rights(
            of: administrator,
            in: new.person.realmID,
            needing: .manageUsers
        )
        let realm = rights.realm
        new.person = try checked(new.person)
        try await expectUnambiguous(new.person, former: nil, in: realm)
        let defaults = try await store.existing(realm.defaultRoles, realmID: realm.id)
        new.roles = defaults + new.roles.filter { !defaults.contains($0) }
        let groupIDs = realm.defaultGroupIDs
        new.groupIDs = groupIDs + new.groupIDs.filter { !groupIDs.contains($0) }
        try Self.expect(rights.mayGive(new.roles) && new.groupIDs.allSatisfy(rights.mayJoin))
        if let password {
            new.password = try await hash(password, for: new.person, in: realm, at: moment)
            new.person.requiredActions = password.actions(new.person.requiredActions)
        }
        let asked = new.person.requiredActions
        new.person.requiredActions += demands.filter { !asked.contains($0) }
        do {
            let event = event(.personCreated, nil, new.person, by: administrator)
            guard try await people.noting(event).create(new) == .created else {
                throw try await taken(new.person)
            }
        } catch is StoreConflict {
            throw AdministrationRefusal.taken(.identity)
        } catch is MissingReference {
            throw AdministrationRefusal.notFound(.givenRole)
        }
        return new.person
    }

    /// - Returns: The person as they are kept.
    @discardableResult
    package func update(
        _ person: Person,
        replacing former: Person,
        password: NewPassword? = nil,
        by administrator: Administrator,
        at moment: Moment
    ) async throws -> Person {
        var rights = try await rights(of: former, for: administrator)
        let person = try checked(person, replacing: former)
        try await expectUnambiguous(person, former: former, in: rights.realm)
        var hash: PasswordHash?
        if let password {
            hash = try await self.hash(password, for: person, in: rights.realm, at: moment)
            // While it was hashed, the person may have got rights: they are judged when they are written.
            rights = try await self.rights(of: administrator, in: former.realmID)
        }
        do {
            let event = event(.personUpdated, former, person, by: administrator)
            let change = try await people.noting(event).update(
                person,
                replacing: former,
                if: rights.mayChange
            )
            guard let change else { throw AdministrationRefusal.forbidden }
            guard change == .changed else { throw AdministrationRefusal.notFound(.person) }
        } catch is StoreConflict {
            throw try await taken(person)
        }
        guard let password, let hash else { return person }
        try await set(hash, password, of: person, rights, at: moment.seconds)
        return person
    }

    package func delete(_ person: Person, by administrator: Administrator) async throws {
        _ = try await rights(of: person, for: administrator)
        let event = event(.personDeleted, person, nil, by: administrator)
        let change = try await people.noting(event).deletePerson(
            id: person.id,
            realmID: person.realmID
        )
        guard change == .changed else { throw AdministrationRefusal.notFound(.person) }
    }

    /// The rights of an administrator who may change the person as they are now.
    func rights(of person: Person, for administrator: Administrator) async throws -> AdminRights {
        let rights = try await rights(
            of: administrator,
            in: person.realmID,
            needing: .manageUsers
        )
        guard !rights.isUnlimited else { return rights }
        guard let kept = try await people.person(id: person.id, realmID: person.realmID) else {
            throw AdministrationRefusal.notFound(.person)
        }
        try Self.expect(rights.mayChange(kept))
        return rights
    }

    /// Checks that the administrator may change the person, before anything is made of what they send.
    package func expectChangeable(_ person: Person, by administrator: Administrator) async throws {
        _ = try await rights(of: person, for: administrator)
    }

    private func checked(_ person: Person, replacing former: Person? = nil) throws -> Person {
        do {
            return try registration.checked(person, replacing: former)
        } catch {
            throw AdministrationRefusal.person(error, of: person)
        }
    }

    /// Where people sign in by either, no one's user name is another's e-mail address.
    private func expectUnambiguous(_ person: Person, former: Person?, in realm: Realm)
        async throws
    {
        guard realm.signsInWithEmail else { return }
        func isAnothers(_ name: String?, before: String?, byEmail: Bool) async throws -> Bool {
            guard let name, name != before else { return false }
            let found = try await people.credentials(
                realmID: realm.id,
                login: name,
                byEmail: byEmail
            )
            return found.map { $0.person.id != person.id } ?? false
        }
        if try await isAnothers(person.username, before: former?.username, byEmail: true) {
            throw AdministrationRefusal.taken(.username)
        }
        if try await isAnothers(person.email, before: former?.email, byEmail: false) {
            throw AdministrationRefusal.taken(.email)
        }
    }

    private func taken(_ person: Person) async throws -> AdministrationRefusal {
        let named = try await people.credentials(
            realmID: person.realmID,
            login: person.username,
            byEmail: false
        )
        return .taken(named.map { $0.person.id != person.id } ?? false ? .username : .email)
    }

    // MARK: Passwords

    /// Sets a password, which ends every session.
    package func set(
        _ password: NewPassword,
        of person: Person,
        by administrator: Administrator,
        at moment: Moment
    ) async throws {
        let before = try await rights(of: person, for: administrator)
        let hash = try await hash(password, for: person, in: before.realm, at: moment)
        // While it was hashed, the person may have got rights: they are judged when it is written.
        let rights = try await rights(of: administrator, in: person.realmID)
        try await set(hash, password, of: person, rights, at: moment.seconds)
    }

    private func set(
        _ hash: PasswordHash,
        _ password: NewPassword,
        of person: Person,
        _ rights: AdminRights,
        at now: Int64
    ) async throws {
        let event = event(.credentialUpdated, person.target, by: rights.administrator)
        let change = try await people.noting(event).setPassword(
            hash,
            of: person.id,
            realmID: person.realmID,
            at: now,
            if: rights.mayChange
        )
        guard let change else { throw AdministrationRefusal.forbidden }
        guard change == .changed,
            let kept = try await people.person(id: person.id, realmID: person.realmID)?.person
        else { throw AdministrationRefusal.notFound(.person) }
        guard password.isTemporary else { return }
        var demanded = kept
        demanded.requiredActions = password.actions(kept.requiredActions)
        _ = try await people.update(demanded, replacing: kept)
    }

    private func hash(
        _ password: NewPassword,
        for person: Person,
        in realm: Realm,
        at moment: Moment
    ) async throws -> PasswordHash {
        guard person.serviceClientID == nil else {
            throw AdministrationRefusal.invalid(.accountPassword)
        }
        switch password.value {
        case .hash(let hash): return hash
        case .typed(let secret, let asker):
            do {
                return try await registration.hash(
                    secret,
                    for: person,
                    realmName: realm.name,
                    by: asker,
                    random: moment.random
                )
            } catch let refusal as PasswordPolicy.Refusal {
                throw AdministrationRefusal.password(refusal)
            }
        }
    }

    // MARK: Second factors and accounts elsewhere

    package func removeSecondFactor(
        _ id: String,
        of person: Person,
        by administrator: Administrator
    ) async throws {
        try await change(person, .credentialDeleted, or: .credential, administrator) {
            let factors = try await people.secondFactors(of: person.id, realmID: person.realmID)
            guard factors.contains(where: { sameBytes($0.id, id) }) else { return .notFound }
            return try await people.noting($0).removeCredential(id: id, of: person.id)
        }
    }

    /// Removes authenticator apps and recovery codes, if there are any.
    package func removeSecondFactors(of person: Person, by administrator: Administrator)
        async throws
    {
        try await change(person, .credentialDeleted, or: nil, administrator) {
            try await people.noting($0).removeSecondFactors(of: person.id)
        }
    }

    /// Sets the person's name for a second factor.
    package func label(
        _ id: String,
        of person: Person,
        _ label: String,
        by administrator: Administrator
    ) async throws {
        try await change(person, .credentialUpdated, or: .credential, administrator) {
            guard PlainText.isLine(label, length: 200) else {
                throw AdministrationRefusal.invalid(.label)
            }
            return try await people.noting($0).label(credential: id, of: person, label)
        }
    }

    /// Keeps that a person has an account at another provider.
    package func link(
        _ identity: NewPerson.Identity,
        to person: Person,
        by administrator: Administrator
    ) async throws {
        try await change(person, .identityCreated, or: nil, administrator) {
            let time = $0.at / 1000
            guard try await people.noting($0).link(identity, to: person, at: time) == .created
            else {
                throw AdministrationRefusal.taken(.identity)
            }
            return .changed
        }
    }

    package func unlink(_ provider: String, from person: Person, by administrator: Administrator)
        async throws
    {
        try await change(person, .identityDeleted, or: .identity, administrator) {
            try await people.noting($0).unlink(
                provider,
                from: person.id,
                realmID: person.realmID,
                at: $0.at / 1000
            )
        }
    }

    /// Changes something of a person that the administrator may change.
    ///
    /// - Parameters:
    ///   - missing: What is not there where nothing has changed; `nil`: that is no error.
    ///   - body: Writes with the event.
    private func change(
        _ person: Person,
        _ kind: Event.Kind,
        or missing: AdministrationRefusal.Kind?,
        _ administrator: Administrator,
        _ body: (Event) async throws -> Change
    ) async throws {
        _ = try await rights(of: person, for: administrator)
        let change = try await body(event(kind, person.target, by: administrator))
        if change == .notFound, let missing { throw AdministrationRefusal.notFound(missing) }
    }

    // MARK: Sessions

    /// Ends every session and grant of a person, offline ones too. `now` in seconds since 1970.
    package func signOut(_ person: Person, by administrator: Administrator, at now: Int64)
        async throws
    {
        try await change(person, .sessionDeleted, or: .person, administrator) {
            try await people.noting($0).signOutEverywhere(
                person.id,
                realmID: person.realmID,
                at: now
            )
        }
    }

    /// Ends the session of that id. `now` in seconds since 1970.
    package func endSession(
        _ id: String,
        in realmID: String,
        by administrator: Administrator,
        at now: Int64
    ) async throws {
        _ = try await rights(of: administrator, in: realmID, needing: .manageUsers)
        func end(noting event: Event) async throws -> Change {
            try await sessions.noting(event).end(id: id, realmID: realmID, at: now)
        }
        let session = try await sessions.open(id: id, realmID: realmID, at: now)?.session
        if let session,
            let person = try await people.person(id: session.personID, realmID: realmID)?.person
        {
            return try await change(
                person,
                .sessionDeleted,
                or: .session,
                administrator,
                end
            )
        }
        // One of the server before may have that id.
        let target = TrailTarget(id: nil, realmID: realmID)
        let change = try await end(noting: event(.sessionDeleted, target, by: administrator))
        guard change == .changed else { throw AdministrationRefusal.notFound(.session) }
    }

    /// Takes back what a person allowed a client. `now` in seconds since 1970.
    package func revokeConsent(
        of person: Person,
        to client: Client,
        by administrator: Administrator,
        at now: Int64
    ) async throws {
        try await change(person, .consentDeleted, or: .consent, administrator) {
            try await people.noting($0).disconnect(
                client.id,
                from: person.id,
                realmID: person.realmID,
                at: now
            )
        }
    }

    /// Lets the wrong passwords of a person count no more; of everyone in a realm, those with more rights
    /// too, where none is named.
    package func forgetTries(
        of person: Person?,
        in realm: Realm,
        counted tries: FailedPasswords,
        by administrator: Administrator,
        at now: Date
    ) async throws {
        if let person {
            _ = try await rights(of: person, for: administrator)
        } else {
            let rights = try await rights(of: administrator, in: realm.id, needing: .manageUsers)
            try Self.expect(rights.isUnlimited)
        }
        tries.forget(person?.id, realm: realm.id, at: now)
        try await note(.lockoutDeleted, person?.target ?? realm.target, by: administrator)
    }

    // MARK: Mails

    /// Mails a person a link for what they are to do.
    package func mail(
        _ link: ActionLink,
        to person: Person,
        in realm: Realm,
        of server: any AdministeredServer,
        by administrator: Administrator,
        at moment: Moment
    ) async throws -> ActionLink.Outcome {
        _ = try await rights(of: person, for: administrator)
        let outcome = try await server.mail(
            link,
            to: person,
            in: realm,
            by: administrator.token?.person.id ?? "",
            at: moment
        )
        if outcome == .sent {
            try await note(.personAction, person.target, "mailed", by: administrator)
        }
        return outcome
    }
}

/// A password that an administrator gives a person.
package struct NewPassword: Sendable {
    package enum Value: Sendable {
        /// It must meet the policy.
        case typed(SecretText, HashingAsker)
        /// A hash that was made already, here or by another server.
        case hash(PasswordHash)
    }

    package let value: Value
    /// Whether the person has to choose another one at their next sign-in.
    package let isTemporary: Bool

    package init(_ value: Value, isTemporary: Bool) {
        self.value = value
        self.isTemporary = isTemporary
    }

    func actions(_ former: [String]) -> [String] {
        let others = former.filter { $0 != RequiredAction.updatePassword }
        return isTemporary ? others + [RequiredAction.updatePassword] : others
    }
}
