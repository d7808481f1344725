import PorticoProtocol

extension PersonStore {
    /// Those of the ids that are people of the realm, with everything that a file may say of them.
    package func kept(_ ids: [String], realmID: String) async throws -> [String: KeptPerson] {
        try await database.read { reader in
            var people: [String: KeptPerson] = [:]
            for id in ids {
                people[id] = try reader.kept(id, realmID: realmID)
            }
            return people
        }
    }

    /// Of the ids of credentials, those that someone in any realm has, with that person's id.
    package func owners(ofCredentials ids: [String]) async throws -> [String: String] {
        try await database.read { reader in
            var owners: [String: String] = [:]
            for id in ids {
                owners[id] = try reader.first(
                    "SELECT person_id FROM credentials WHERE id = $1",
                    [.text(id)]
                ) { try $0.text(0) }
            }
            return owners
        }
    }

    /// Of the user names and addresses, those that someone in the realm has, with their ids.
    package func owners(usernames: [String], emails: [String], realmID: String) async throws
        -> (usernames: [String: String], emails: [String: String])
    {
        try await database.read { reader in
            func owners(_ sql: SQLText, _ names: [String]) throws -> [String: String] {
                var owners: [String: String] = [:]
                for name in names {
                    let key = SQLValue.text(LoginName.folded(name))
                    owners[name] = try reader.first(sql, [.text(realmID), key]) { try $0.text(0) }
                }
                return owners
            }
            return (
                try owners(
                    "SELECT id FROM people WHERE realm_id = $1 AND username = $2",
                    usernames
                ),
                try owners("SELECT id FROM people WHERE realm_id = $1 AND email_key = $2", emails)
            )
        }
    }

    /// Writes people over what is kept of them, all or none; about a hundred at once. They may
    /// exchange user names and addresses.
    ///
    /// Roles and groups are the given ones alone afterwards. Second factors are added or replaced, and
    /// none is taken away; consents are added to. A password ends no session.
    ///
    /// - Throws: ``ChangedMeanwhile`` where something else is kept of one of them by now;
    ///   ``StoreConflict`` where someone else has a name by now.
    package func overwrite(_ people: [PersonChange]) async throws {
        try await database.changeAndPause { transaction in
            for change in people {
                let person = change.person.person
                let kept = try transaction.kept(person.id, realmID: person.realmID)
                guard kept == change.former else { throw ChangedMeanwhile() }
            }
            for change in people where change.differs { try transaction.giveUpNames(change) }
            for change in people {
                guard let former = change.former else {
                    guard try transaction.insert(change.person) == .created else {
                        throw StoreConflict()
                    }
                    continue
                }
                if change.differs { try transaction.overwrite(change.person, from: former) }
                try transaction.note(change.person)
            }
        }
    }
}

extension SQLReader {
    fileprivate func kept(_ id: String, realmID: String) throws -> KeptPerson? {
        let found = try first(
            Statement.withPassword,
            [.text(id), .text(realmID)],
            decode: PersonCredentials.init
        )
        guard let found else { return nil }
        let person = try withRoles(found.person)
        return KeptPerson(
            person: person.person,
            password: found.password,
            epoch: found.epoch,
            roles: person.roles,
            groupIDs: person.groupIDs,
            credentials: try secondFactors(of: id, realmID: realmID),
            identities: try identities(of: id, realmID: realmID),
            consents: Dictionary(
                try rows(
                    "SELECT client_id, scope FROM consents WHERE person_id = $1",
                    [.text(id)]
                ) { (try $0.text(0), try $0.words(1)) }
            ) { first, _ in first },
            imported: try first(
                "SELECT document FROM realm_parts WHERE realm_id = $1 AND kind = $2 AND id = $3",
                [.text(realmID), .text(RealmPart.importedPerson), .text(id)]
            ) { try $0.document(0) }
        )
    }
}

extension SQLTransaction {
    /// Keeps what an import notes of a person.
    func note(_ new: NewPerson) throws {
        guard let imported = new.imported else { return }
        try put(
            RealmPart(
                realmID: new.person.realmID,
                kind: RealmPart.importedPerson,
                id: new.person.id,
                document: imported
            )
        )
    }

    /// Others of the same transaction may take the names that a person has until now. No name has a
    /// space.
    fileprivate func giveUpNames(_ change: PersonChange) throws {
        let (person, former) = (change.person.person, change.former?.person)
        guard let former, former.username != person.username || former.email != person.email
        else { return }
        try run(
            """
            UPDATE people SET username = $1, email = NULL, email_key = NULL
            WHERE id = $2 AND realm_id = $3
            """,
            [.text(" " + person.id), .text(person.id), .text(person.realmID)]
        )
    }

    fileprivate func overwrite(_ new: NewPerson, from former: KeptPerson) throws {
        let person = new.person
        guard try replace(person, keptAs: nil) == .changed else { throw MissingReference() }
        if new.password != former.password {
            try run(
                "UPDATE people SET password_hash = $1 WHERE id = $2",
                [SQLValue(new.password?.encoded), .text(person.id)]
            )
        }
        try run("DELETE FROM person_roles WHERE person_id = $1", [.text(person.id)])
        for role in new.roles {
            guard let roleID = try roleID(of: role, realmID: person.realmID) else {
                throw MissingReference()
            }
            try give(roleID, to: person.id)
        }
        try run("DELETE FROM person_groups WHERE person_id = $1", [.text(person.id)])
        for groupID in new.groupIDs {
            guard try join(groupID, person.id, realmID: person.realmID) else {
                throw MissingReference()
            }
        }
        for credential in new.credentials {
            let changed = try run(
                """
                UPDATE credentials SET label = $1, priority = $2, parameters = $3,
                    sealed_secret = $4
                WHERE id = $5 AND person_id = $6
                """,
                [
                    .text(credential.label), .int64(credential.priority),
                    SQLValue(credential.parameters), .text(credential.sealedSecret),
                    .text(credential.id), .text(person.id),
                ]
            )
            if changed == 0 { try insert(credential) }
        }
        try run("DELETE FROM federated_identities WHERE person_id = $1", [.text(person.id)])
        for identity in new.identities {
            // It may have been another person's before.
            try run(
                """
                DELETE FROM federated_identities
                WHERE realm_id = $1 AND provider = $2 AND subject = $3
                """,
                [.text(person.realmID), .text(identity.provider), .text(identity.subject)]
            )
            guard try link(identity, to: person) else { throw StoreConflict() }
        }
        for consent in new.consents {
            try allow(consent.scope, to: consent.clientID, by: person.id, at: consent.at)
        }
    }
}

private enum Statement {
    static let withPassword: SQLText = """
        SELECT \(PersonColumn.self), password_hash, epoch FROM people
        WHERE id = $1 AND realm_id = $2
        """
}
