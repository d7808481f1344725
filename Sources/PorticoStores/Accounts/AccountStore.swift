package import PorticoBytes

/// Keeps how people sign in at identity providers. All times are seconds since 1970.
///
/// Every event that changes something writes its ``Event`` and its mail in the same
/// transaction.
package struct AccountStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// The person of that id, of whichever realm.
    package func person(_ id: String) async throws -> Person? {
        try await database.read { try $0.credentials(id: id)?.person }
    }

    /// Whether something that counts once was used, and is remembered.
    package func wasSpent(_ hash: Hash256) async throws -> Bool {
        try await database.read { try $0.wasSpent(hash) }
    }

    /// How a person came by an identity provider.
    package func registration(of personID: String) async throws -> Registration? {
        try await database.read { reader in
            try reader.first(
                """
                SELECT registered_by, created_at, registered_address, registered_user_agent
                FROM people WHERE id = $1 AND registered_by IS NOT NULL
                """,
                [.text(personID)]
            ) { row in
                Registration(
                    provider: try row.text(0),
                    at: try row.int64(1),
                    address: try row.optionalText(2),
                    userAgent: try row.optionalText(3)
                )
            }
        }
    }

    /// In the order of linking.
    package func identities(of personID: String) async throws -> [Identity] {
        try await database.read { try $0.identities(of: personID) }
    }
}

extension SQLReader {
    /// In the order of linking.
    func providers(of personID: String) throws -> [String] {
        try rows(
            "SELECT provider FROM identities WHERE person_id = $1 ORDER BY place",
            [.text(personID)]
        ) { try $0.text(0) }
    }
}

/// Changing and deleting people.
extension AccountStore {
    /// Sets what a person says of themselves: the name becomes their own. `nil` leaves it. There is
    /// no event of it.
    package func update(
        _ personID: String,
        name: PersonName?,
        language: String?,
        isWelcomed: Bool?
    ) async throws -> Change {
        let profile = ProfileChange(
            personID: personID,
            name: name,
            language: language,
            isWelcomed: isWelcomed
        )
        return try await database.change { try $0.update(profile) }
    }

    /// Deletes an account: identities, sessions and hand-off codes go with it. The id is not used
    /// again.
    ///
    /// - Parameter noticeID: Of the mail that tells its verified address, in its language.
    /// - Returns: The identities it had, whose sealed tokens are to be revoked; `nil`: not there.
    package func delete(_ personID: String, noticeID: UniqueID, at now: Int64) async throws
        -> [Identity]?
    {
        try await database.change { try $0.delete(personID, noticeID: noticeID, at: now) }
    }

    /// Removes codes that have been dead since before `time`, and what is left of sessions by handle.
    package func purge(before time: Int64) async throws {
        try await database.purge(
            before: time,
            """
            SELECT owner FROM email_codes WHERE owner > $1 AND expires_at < $2
            ORDER BY owner LIMIT 200
            """,
            // Its owner may have asked for another one since it was found.
            "DELETE FROM email_codes WHERE owner = $1 AND expires_at < $2",
            isRenewed: true
        )
        try await HandleSessionStore(database).purge(before: time)
    }
}

extension SQLTransaction {
    /// Sets what a person says of themselves.
    @discardableResult
    func update(_ profile: ProfileChange) throws -> Change {
        guard var person = try credentials(id: profile.personID)?.person else { return .notFound }
        if let name = profile.name { person.setName(name) }
        if let language = profile.language { person.language = language }
        person.isWelcomed = profile.isWelcomed ?? person.isWelcomed
        try run(
            """
            UPDATE people SET name = $1, is_name_own = $2, given_name = $3, family_name = $4,
                attributes = $5, is_welcomed = $6
            WHERE id = $7
            """,
            [
                SQLValue(person.name), .bool(person.isNameOwn), SQLValue(person.givenName),
                SQLValue(person.familyName),
                SQLValue(PersonAttributes.document(person.attributes)),
                .bool(person.isWelcomed), .text(profile.personID),
            ]
        )
        return .changed
    }
}

extension SQLTransaction {
    /// - Returns: The identities that the account had; `nil`: not there.
    func delete(_ personID: String, noticeID: UniqueID, at now: Int64) throws -> [Identity]? {
        guard let person = try credentials(id: personID)?.person else { return nil }
        // While their row says where to.
        try queue(MailDraft(.accountDeleted, id: noticeID, to: person, at: now), about: personID)
        let identities = try identities(of: personID)
        try note(Event(.deleted, of: personID, at: now))
        _ = try deletePerson(id: personID, realmID: person.realmID)
        return identities
    }
}

/// More than one way to sign in (WEB-ACC-1, WEB-ACC-4).
extension AccountStore {
    /// Links an identity to the account of a live session. Whatever comes of it, the attempt is
    /// spent.
    package func link(_ event: LinkEvent, at now: Int64) async throws -> LinkOutcome {
        try await database.change { transaction in
            guard try transaction.spendAll(event.spending) else { return .spent }
            guard var person = try transaction.person(ofLiveSession: event.sessionID, at: now)
            else { return .sessionEnded }
            if let owner = try transaction.owner(of: event.identity, realmID: person.realmID) {
                return owner.person.id == person.id ? .alreadyLinked : .taken
            }
            guard try transaction.insert(event.identity, of: person, at: now) else {
                return .secondOfProvider
            }
            try transaction.adopt(event.identity.email, for: &person, at: now)
            try transaction.note(
                .wayAdded,
                ofSession: event.sessionID,
                provider: event.identity.provider,
                at: now
            )
            try transaction.queue(event.notice, about: person.id)
            return .linked
        }
    }

    /// Whether a person has a password; not where there is no such person.
    package func hasPassword(_ personID: String) async throws -> Bool {
        try await database.read { try $0.credentials(id: personID)?.password != nil }
    }

    /// Removes an identity from an account, and ends the sessions that it began. Never the last
    /// one that the person can sign in by, of any number of concurrent calls (WEB-ACC-4).
    ///
    /// - Parameters:
    ///   - usable: The providers, by name, that people can sign in with now.
    ///   - orPassword: Whether they can with a password.
    package func unlink(
        provider: String,
        from personID: String,
        usable: [String],
        orPassword: Bool = false,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> UnlinkOutcome {
        try await database.change { transaction in
            try transaction.unlink(
                provider,
                from: personID,
                usable: usable,
                orPassword: orPassword,
                notice: notice,
                at: now
            )
        }
    }

    /// Takes an identity away that its provider has given up, and with the last one the person, who could
    /// not sign in any more; one with a password can. An identity that was linked after `issuedAt` stays:
    /// the provider's word is older than the person's.
    ///
    /// - Parameter noticeID: Of the mail that tells the account's verified address which of both it
    ///   was, in the account's language.
    /// - Returns: Whether there was such an identity.
    package func forget(
        _ key: IdentityKey,
        realmID: String,
        linkedUntil issuedAt: Int64,
        noticeID: UniqueID,
        at now: Int64
    ) async throws -> Bool {
        try await database.change { transaction in
            guard let person = try transaction.owner(of: key, realmID: realmID),
                let identity = try transaction.identities(of: person.id)
                    .first(where: { $0.key == key && $0.linkedAt <= issuedAt })
            else { return false }
            let outcome = try transaction.unlink(
                identity.provider,
                from: person.id,
                // No one signs in by what the provider has given up, whatever is left.
                usable: nil,
                orPassword: true,
                notice: MailDraft(
                    .wayRemoved(provider: identity.provider),
                    id: noticeID,
                    to: person,
                    at: now
                ),
                at: now
            )
            if outcome == .lastOne {
                _ = try transaction.delete(person.id, noticeID: noticeID, at: now)
            }
            return true
        }
    }
}

extension SQLTransaction {
    /// - Parameter usable: The providers of which one must be left; `nil`: any.
    fileprivate func unlink(
        _ provider: String,
        from personID: String,
        usable: [String]?,
        orPassword: Bool,
        notice: MailDraft?,
        at now: Int64
    ) throws -> UnlinkOutcome {
        let identities = try identities(of: personID)
        guard let identity = identities.first(where: { sameBytes($0.provider, provider) })
        else { return .notFound }
        let isOneLeft = identities.contains { other in
            !sameBytes(other.provider, provider)
                && usable?.contains { sameBytes($0, other.provider) } != false
        }
        let kept = try credentials(id: personID)
        guard isOneLeft || orPassword && kept?.password != nil else { return .lastOne }
        try remove(identity, from: personID, at: now)
        var event = Event(.wayRemoved, of: personID, at: now)
        event.provider = provider
        try note(event)
        try queue(notice, about: personID)
        return .unlinked(identity)
    }

    /// Takes an identity from a person, and ends the sessions that it began.
    func remove(_ identity: Identity, from personID: String, at now: Int64) throws {
        try run(
            "DELETE FROM identities WHERE person_id = $1 AND provider = $2",
            [.text(personID), .text(identity.provider)]
        )
        let begun = try rows(
            """
            SELECT id FROM sessions
            WHERE person_id = $1 AND issuer = $2 AND subject = $3 AND ended_at IS NULL
            """,
            [.text(personID), SQLValue(identity.issuer), .text(identity.subject)]
        ) { try $0.text(0) }
        for id in begun { try endSession(id, at: now) }
    }

    func person(ofLiveSession id: String, at now: Int64) throws -> Person? {
        try first(
            Statement.personOfLiveSession,
            [.text(id), .int64(now)]
        ) { try Person($0) }
    }

    /// The person who signs in by an identity.
    fileprivate func owner(of key: IdentityKey, realmID: String) throws -> Person? {
        try first(
            Statement.owner,
            [.text(realmID), .text(key.subject), .text(key.issuer)]
        ) { try Person($0) }
    }
}

private enum Statement {
    static let personOfLiveSession: SQLText = """
        SELECT \(PersonColumn.self, of: "p")
        FROM live_sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE s.id = $1 AND s.alive_until > $2
        """

    static let owner: SQLText = """
        SELECT \(PersonColumn.self, of: "p")
        FROM identities AS i JOIN people AS p ON p.id = i.person_id
        WHERE i.realm_id = $1 AND i.subject = $2 AND i.issuer = $3
        """
}
