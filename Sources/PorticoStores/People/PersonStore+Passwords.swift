import PorticoProtocol

extension PersonStore {
    /// Sets the password and ends every session and grant that there is, whatever its times say.
    /// `now` in seconds since 1970.
    package func setPassword(
        _ password: PasswordHash,
        of personID: String,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            try transaction.set(password, of: personID, at: now) > 0 ? .changed : .notFound
        }
    }

    /// The same, by someone who may do it to some people only.
    ///
    /// - Parameter isAllowed: Looks at the person as they are when it is set.
    /// - Returns: `nil`, and nothing has changed, where it is not allowed.
    package func setPassword(
        _ password: PasswordHash,
        of personID: String,
        realmID: String,
        at now: Int64,
        if isAllowed: @escaping @Sendable (PersonWithRoles) -> Bool
    ) async throws -> Change? {
        try await database.change { transaction in
            guard let person = try transaction.person(id: personID, realmID: realmID) else {
                return .notFound
            }
            guard isAllowed(try transaction.withRoles(person)) else { return nil }
            return try transaction.set(password, of: personID, at: now) > 0 ? .changed : .notFound
        }
    }

    /// Sets the password of a person who is signed in: every session and grant that there is ends, and
    /// this browser gets a new session in place of its own.
    ///
    /// - Parameters:
    ///   - session: The one that they are signed in by.
    ///   - next: As it is kept, but for its epoch. It was authenticated when `session` was.
    ///   - notice: Where a mail is to tell of it.
    /// - Returns: The new session; `nil`, and nothing has changed, where `session` is over, or does not
    ///   prove the person now (``BrowserSessionStore/Proof``).
    package func changePassword(
        _ password: PasswordHash,
        in session: BrowserSession,
        continuing next: BrowserSession,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> BrowserSession? {
        try await database.change { transaction in
            guard try transaction.proves(session, .now, at: now) else { return nil }
            try transaction.set(
                password,
                of: session.personID,
                at: now,
                notBefore: session.authenticatedAt
            )
            var next = next
            next.epoch = session.epoch + 1
            _ = try transaction.begin(next, replacing: nil)
            if let notice, let address = notice.to { try transaction.queue(notice, to: address) }
            return next
        }
    }
}

extension SQLTransaction {
    /// A new password, and the end of every session and grant, and of every unused wish for another.
    /// One is not demanded any more.
    ///
    /// - Parameter notBefore: What comes from before is dead by its time too; `nil`: from before now.
    /// - Returns: How many people have that id.
    @discardableResult
    func set(
        _ password: PasswordHash,
        of personID: String,
        at now: Int64,
        notBefore: Int64? = nil
    ) throws -> Int {
        try tellClients(ofPerson: personID)
        try forgetResets(of: personID)
        try forgetStrangers(of: personID)
        return try run(
            """
            UPDATE people SET password_hash = $1, updated_at = $2, epoch = epoch + 1,
                not_before = CASE WHEN not_before < $3 THEN $3 ELSE not_before END,
                required_actions = TRIM(
                    REPLACE(' ' || required_actions || ' ', ' UPDATE_PASSWORD ', ' '))
            WHERE id = $4
            """,
            [
                .text(password.encoded), .int64(now), .int64(notBefore ?? now),
                .text(personID),
            ]
        )
    }

    /// Does nothing where the password has changed meanwhile.
    func upgrade(_ upgrade: PasswordUpgrade, of personID: String) throws {
        try run(
            "UPDATE people SET password_hash = $1 WHERE id = $2 AND password_hash = $3",
            [
                .text(upgrade.stronger.encoded), .text(personID), .text(upgrade.former.encoded),
            ]
        )
    }
}
