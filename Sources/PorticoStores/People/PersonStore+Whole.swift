package import PorticoBytes
import PorticoProtocol

/// A person as they are to be, in place of what is kept of them.
package struct PersonChange: Sendable {
    package var person: NewPerson
    /// What the change was made from; `nil`: there is no one of that id yet.
    package var former: NewPerson?

    package init(_ person: NewPerson, from former: NewPerson?) {
        self.person = person
        self.former = former
    }
}

/// People with everything that is kept of them: what ``create(_:)`` takes.
extension PersonStore {
    /// People and the accounts of clients, in the order of user names, after `cursor` (a user
    /// name), at most `limit`. Each page is of one moment.
    package func whole(realmID: String, after cursor: String?, limit: Int) async throws
        -> [NewPerson]
    {
        try await database.scan { reader in
            try reader.whole(
                Self.page,
                [.text(realmID), .text(cursor ?? ""), .int64(Int64(max(0, limit)))]
            )
        }
    }

    /// The one of that id.
    package func whole(realmID: String, id: String) async throws -> NewPerson? {
        try await database.scan { try $0.whole(id, realmID: realmID) }
    }

    private static let page: SQLText = """
        SELECT \(PersonColumn.self), password_hash FROM people
        WHERE realm_id = $1 AND username > $2 ORDER BY username LIMIT $3
        """
}

extension SQLReader {
    /// - Parameter people: Selects the columns of ``PersonColumn`` and the password's hash of people
    ///   who stand next to each other in the order of user names.
    fileprivate func whole(_ people: SQLText, _ arguments: [SQLValue]) throws -> [NewPerson] {
        var whole = try rows(people, arguments) { row in
            NewPerson(
                person: try Person(row),
                password: try row.optionalText(PersonColumn.count).map(PasswordHash.init)
            )
        }
        guard let first = whole.first?.person, let last = whole.last?.person else { return [] }
        let range: [SQLValue] = [
            .text(first.realmID), .text(first.username), .text(last.username),
        ]
        let roles = try roles(in: range)
        let groups = try groups(in: range)
        let credentials = Dictionary(grouping: try credentials(in: range), by: \.personID)
        let identities = try identities(in: range)
        let consents = try consents(in: range)
        for index in whole.indices {
            let id = whole[index].person.id
            whole[index].person.lastSignInAt = nil
            whole[index].roles = roles[id] ?? []
            whole[index].groupIDs = groups[id] ?? []
            whole[index].credentials = credentials[id] ?? []
            whole[index].identities = identities[id] ?? []
            whole[index].consents = consents[id] ?? []
        }
        return whole
    }

    private func roles(in range: [SQLValue]) throws -> [String: [RoleName]] {
        try grouped(
            """
            SELECT p.id, c.client_id, r.name FROM people AS p
            JOIN person_roles AS h ON h.person_id = p.id
            JOIN roles AS r ON r.id = h.role_id LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY c.client_id IS NOT NULL, c.client_id, r.name
            """,
            range
        ) { try RoleName($0, from: 1) }
    }

    private func groups(in range: [SQLValue]) throws -> [String: [String]] {
        try grouped(
            """
            SELECT p.id, g.group_id FROM people AS p
            JOIN person_groups AS g ON g.person_id = p.id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY g.group_id
            """,
            range
        ) { try $0.text(1) }
    }

    private func credentials(in range: [SQLValue]) throws -> [Credential] {
        try rows(
            """
            SELECT c.id, c.person_id, c.kind, c.label, c.created_at, c.priority, c.parameters,
                c.sealed_secret, c.used
            FROM people AS p JOIN credentials AS c ON c.person_id = p.id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY c.priority, c.created_at, c.id
            """,
            range
        ) { try Credential(row: $0) }
    }

    private func identities(in range: [SQLValue]) throws -> [String: [NewPerson.Identity]] {
        try grouped(
            """
            SELECT p.id, i.provider, i.subject, i.username FROM people AS p
            JOIN identities AS i ON i.person_id = p.id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY i.provider
            """,
            range
        ) { row in
            NewPerson.Identity(
                provider: try row.text(1),
                subject: try row.text(2),
                username: try row.optionalText(3)
            )
        }
    }

    private func consents(in range: [SQLValue]) throws -> [String: [NewPerson.Consent]] {
        try grouped(
            """
            SELECT p.id, o.client_id, o.scope, o.updated_at FROM people AS p
            JOIN consents AS o ON o.person_id = p.id AND o.fingerprint IS NULL
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY o.client_id
            """,
            range
        ) { row in
            NewPerson.Consent(
                clientID: try row.text(1),
                scope: Scope(tokens: try row.words(2)),
                at: try row.int64(3)
            )
        }
    }
}

extension PersonStore {
    /// Those of the ids that are people of the realm, with everything that a file may say of them.
    package func kept(_ ids: [String], realmID: String) async throws -> [String: NewPerson] {
        try await database.read { reader in
            var people: [String: NewPerson] = [:]
            for id in ids {
                people[id] = try reader.whole(id, realmID: realmID)
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
            (
                try reader.owners(
                    "SELECT id FROM people WHERE realm_id = $1 AND username = $2",
                    usernames,
                    realmID,
                    as: LoginName.folded
                ),
                try reader.owners(
                    """
                    SELECT id FROM people WHERE realm_id = $1 AND email_key = $2 AND holds_email
                    """,
                    emails,
                    realmID,
                    as: LoginName.folded
                )
            )
        }
    }

    /// Of the DIDs, and of the ids of clients, those that someone in the realm has, or whose account
    /// someone is, with their ids.
    package func owners(dids: [String], serviceClients: [String], realmID: String) async throws
        -> (dids: [String: String], serviceClients: [String: String])
    {
        try await database.read { reader in
            (
                try reader.owners(
                    "SELECT id FROM people WHERE realm_id = $1 AND did = $2",
                    dids,
                    realmID
                ),
                try reader.owners(
                    "SELECT id FROM people WHERE realm_id = $1 AND service_client_id = $2",
                    serviceClients,
                    realmID
                )
            )
        }
    }

    /// Who in the realm has each of the accounts at other providers; `nil`: no one.
    package func owners(ofIdentities identities: [NewPerson.Identity], realmID: String) async throws
        -> [String?]
    {
        try await database.read { reader in
            try identities.map { try reader.owner(of: $0, realmID: realmID) }
        }
    }

    /// Writes people over what is kept of them, all or none; about a hundred at once.
    ///
    /// Roles, groups, second factors, accounts at other providers and consents are the given ones alone
    /// afterwards. A password ends no session.
    ///
    /// - Parameters:
    ///   - roleIDs: Of the roles that they get.
    ///   - role: Someone who can use it is left, if there is one now.
    /// - Throws: ``ChangedMeanwhile`` where something else is kept of one of them by now;
    ///   ``StoreConflict`` where someone else has a name or an account by now; ``MissingReference``
    ///   where a role has another id by now: it is another one; ``LastHolder``.
    package func overwrite(
        _ people: [PersonChange],
        ofRealm realmID: String,
        roleIDs: [RoleName: String],
        keeping role: LastingRole? = nil
    ) async throws {
        try await database.changeAndPause { transaction in
            try transaction.keeping(role, ofRealm: realmID) {
                for change in people { try transaction.overwrite(change, realmID, roleIDs) }
            }
        }
    }

    /// What is kept of people now, by their ids, in a form that is another one after any change.
    package func states(of ids: [String], realmID: String) async throws -> [String: Hash256] {
        try await database.read { reader in
            var states: [String: Hash256] = [:]
            for id in ids where try reader.person(id: id, realmID: realmID) != nil {
                states[id] = try reader.digest(ofPerson: id)
            }
            return states
        }
    }

    /// Deletes a person, as ``deletePerson(id:realmID:)``.
    ///
    /// - Parameters:
    ///   - state: As ``states(of:realmID:)`` said.
    ///   - role: Someone who can use it is left, if there is one now.
    /// - Returns: Whether they were as they were then. Otherwise they stay.
    package func deletePerson(
        id: String,
        realmID: String,
        in state: Hash256,
        keeping role: LastingRole? = nil
    ) async throws -> Bool {
        try await database.change { transaction in
            guard try transaction.digest(ofPerson: id) == state else { return false }
            try transaction.keeping(role, ofRealm: realmID) {
                _ = try transaction.deletePerson(id: id, realmID: realmID)
            }
            return true
        }
    }
}

extension SQLReader {
    /// Who in the realm has each of the values, by the value.
    ///
    /// - Parameter kept: A value as it is kept.
    fileprivate func owners(
        _ sql: SQLText,
        _ values: [String],
        _ realmID: String,
        as kept: (String) -> String = { $0 }
    ) throws -> [String: String] {
        var owners: [String: String] = [:]
        for value in values {
            owners[value] = try first(sql, [.text(realmID), .text(kept(value))]) {
                try $0.text(0)
            }
        }
        return owners
    }

    fileprivate func whole(_ id: String, realmID: String) throws -> NewPerson? {
        try whole(Statement.byID, [.text(realmID), .text(id)]).first
    }
}

extension SQLReader {
    fileprivate func digest(ofPerson id: String) throws -> Hash256 {
        try digest(
            [
                """
                SELECT id, username, email, given_name, family_name, attributes, did,
                    password_hash, required_actions, CAST(is_email_verified AS TEXT),
                    CAST(is_enabled AS TEXT), CAST(not_before AS TEXT), CAST(epoch AS TEXT),
                    CAST(updated_at AS TEXT), email_proof, CAST(is_email_relay AS TEXT),
                    CAST(holds_email AS TEXT), name, CAST(is_name_own AS TEXT),
                    CAST(last_sign_in_at AS TEXT)
                FROM people WHERE id = $1
                """,
                "SELECT role_id FROM person_roles WHERE person_id = $1 ORDER BY role_id",
                "SELECT group_id FROM person_groups WHERE person_id = $1 ORDER BY group_id",
                """
                SELECT id, sealed_secret, CAST(used AS TEXT) FROM credentials
                WHERE person_id = $1 ORDER BY id
                """,
                """
                SELECT provider, subject, issuer, sealed_token FROM identities
                WHERE person_id = $1 ORDER BY provider
                """,
                """
                SELECT client_id, CAST(updated_at AS TEXT) FROM consents
                WHERE person_id = $1 ORDER BY client_id
                """,
            ],
            of: id
        )
    }
}

extension SQLTransaction {
    fileprivate func overwrite(
        _ change: PersonChange,
        _ realmID: String,
        _ roleIDs: [RoleName: String]
    ) throws {
        let person = change.person.person
        guard try whole(person.id, realmID: realmID) == change.former else {
            throw ChangedMeanwhile()
        }
        for role in change.person.roles {
            let id = try roleID(of: role, realmID: realmID)
            guard id == roleIDs[role] else { throw MissingReference() }
        }
        if let former = change.former {
            try overwrite(change.person, from: former)
        } else if try insert(change.person) == .conflict {
            throw StoreConflict()
        }
    }

    fileprivate func overwrite(_ new: NewPerson, from former: NewPerson) throws {
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
            let roleID = try neededRoleID(of: role, realmID: person.realmID)
            try give(roleID, to: person.id)
        }
        try run("DELETE FROM person_groups WHERE person_id = $1", [.text(person.id)])
        for groupID in new.groupIDs {
            guard try join(groupID, person.id, realmID: person.realmID) else {
                throw MissingReference()
            }
        }
        // One that stays the same stays used: another one under its id begins anew.
        for credential in former.credentials where !new.credentials.contains(credential) {
            try run("DELETE FROM credentials WHERE id = $1", [.text(credential.id)])
        }
        for credential in new.credentials where !former.credentials.contains(credential) {
            try insert(credential)
        }
        // One that stays keeps what its provider has said.
        for kept in try identities(of: person.id) where !new.identities.contains(where: kept.isOne)
        {
            try remove(kept, from: person.id, at: person.updatedAt)
        }
        for identity in new.identities {
            let isKept = try run(
                """
                UPDATE identities SET username = $1
                WHERE person_id = $2 AND provider = $3 AND subject = $4
                """,
                [
                    SQLValue(identity.username), .text(person.id), .text(identity.provider),
                    .text(identity.subject),
                ]
            )
            guard try isKept > 0 || link(identity, to: person, at: person.updatedAt) else {
                throw StoreConflict()
            }
        }
        try run(
            "DELETE FROM consents WHERE person_id = $1 AND fingerprint IS NULL",
            [.text(person.id)]
        )
        for consent in new.consents {
            try allow(
                Consent(scope: consent.scope),
                to: consent.clientID,
                by: person.id,
                at: consent.at
            )
        }
    }
}

extension Identity {
    /// Whether it is the one that a file names.
    fileprivate func isOne(_ named: NewPerson.Identity) -> Bool {
        sameBytes(named.provider, provider) && sameBytes(named.subject, subject)
    }
}

private enum Statement {
    static let byID: SQLText = """
        SELECT \(PersonColumn.self), password_hash FROM people
        WHERE realm_id = $1 AND id = $2
        """
}
