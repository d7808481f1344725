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
}

extension SQLTransaction {
    /// A new password, and the end of every session and grant, and of every unused wish for another.
    /// One is not demanded any more.
    ///
    /// - Returns: How many people have that id.
    @discardableResult
    func set(_ password: PasswordHash, of personID: String, at now: Int64) throws -> Int {
        try tellClients(ofPerson: personID)
        try forgetResets(of: personID)
        return try run(
            """
            UPDATE people SET password_hash = $1, updated_at = $2, epoch = epoch + 1,
                not_before = CASE WHEN not_before < $2 THEN $2 ELSE not_before END,
                required_actions = TRIM(
                    REPLACE(' ' || required_actions || ' ', ' UPDATE_PASSWORD ', ' '))
            WHERE id = $3
            """,
            [.text(password.encoded), .int64(now), .text(personID)]
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
