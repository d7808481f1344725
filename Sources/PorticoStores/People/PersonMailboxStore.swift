package import PorticoBytes

/// Keeps what people prove by their mailbox: that an address is theirs, and so, where they do not
/// know their password, that the account is.
package struct PersonMailboxStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps a wish for a new password and queues its mail, to the address as the person has it, who
    /// may sign in. Older unused wishes of that person are gone.
    ///
    /// Where no one has the address the request is kept all the same, without a mail: it costs one
    /// transaction in either case, and nothing that can be asked later differs (WEB-ENUM-1).
    package func ask(_ reset: PasswordReset, mail: MailDraft) async throws {
        try await database.change { transaction in
            let person = try transaction.first(
                """
                SELECT id, email FROM people
                WHERE realm_id = $1 AND email_key = $2 AND is_enabled
                    AND service_client_id IS NULL
                """,
                [.text(reset.realmID), .text(LoginName.folded(reset.email))]
            ) { (id: try $0.text(0), address: try $0.text(1)) }
            if let person {
                try transaction.forgetResets(of: person.id)
                try transaction.queue(mail, to: person.address)
            }
            try transaction.insert(reset, of: person?.id)
        }
    }

    /// Keeps that a person must choose a new password now, having just proven the old one. Older
    /// unused wishes of theirs are gone.
    ///
    /// - Parameters:
    ///   - credentials: What the old password was checked against: `.notFound` where it is not
    ///     theirs any more.
    ///   - use: The code of their second factor, spent in the same step: `.codeSpent` where it was
    ///     spent before, and nothing has changed.
    package func demand(
        _ reset: PasswordReset,
        of credentials: PersonCredentials,
        spending use: CredentialUse? = nil
    ) async throws -> PasswordDemand {
        try await database.change { transaction in
            let personID = credentials.person.id
            let isTheirs = try transaction.hasRow(
                "SELECT 1 FROM people WHERE id = $1 AND epoch = $2 AND is_enabled",
                [.text(personID), .int64(credentials.epoch)]
            )
            guard isTheirs else { return .notFound }
            if let use, try !transaction.spendCode(use, of: personID) { return .codeSpent }
            try transaction.forgetResets(of: personID)
            try transaction.insert(reset, of: personID)
            return .changed
        }
    }

    /// The wish of that id, or `nil` where it was replaced or cleared away.
    package func reset(id: UniqueID, realmID: String) async throws -> PasswordResetReading? {
        try await database.read { reader in
            try reader.first(
                Self.byID,
                [.bytes(id.bytes), .text(realmID)],
                decode: PasswordResetReading.init
            )
        }
    }

    /// The wish of the link with that hash.
    package func reset(link: Hash256, realmID: String) async throws -> PasswordResetReading? {
        try await database.read { reader in
            try reader.first(
                Self.byLink,
                [.bytes(link.bytes), .text(realmID)],
                decode: PasswordResetReading.init
            )
        }
    }

    /// Removes wishes that ended before `time` (seconds since 1970).
    package func purgeResets(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT id FROM password_resets
                WHERE id > $1 AND expires_at < $2 ORDER BY id LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        } removing: { transaction, id in
            try transaction.run("DELETE FROM password_resets WHERE id = $1", [id])
        }
    }
}

private enum PasswordResetColumn: Int, SQLColumns {
    case id, realmID, email, linkHash, browserHash, wayBack, expiresAt, usedAt
}

extension PersonMailboxStore {
    private static let byID: SQLText = """
        SELECT \(PasswordResetColumn.self, of: "r"), \(PersonColumn.self, of: "p")
        FROM password_resets AS r
        LEFT JOIN people AS p ON p.id = r.person_id AND p.realm_id = r.realm_id AND p.is_enabled
        WHERE r.id = $1 AND r.realm_id = $2
        """

    private static let byLink: SQLText = """
        SELECT \(PasswordResetColumn.self, of: "r"), \(PersonColumn.self, of: "p")
        FROM password_resets AS r
        LEFT JOIN people AS p ON p.id = r.person_id AND p.realm_id = r.realm_id AND p.is_enabled
        WHERE r.link_hash = $1 AND r.realm_id = $2
        """
}

extension PasswordResetReading {
    /// - Parameter row: The columns of the reset, then those of its person, where there is one.
    fileprivate init(_ row: any SQLRow) throws {
        func at(_ column: PasswordResetColumn) -> Int { column.rawValue }
        let hasPerson = try row.optionalText(PasswordResetColumn.count) != nil
        self.init(
            reset: PasswordReset(
                id: try row.uniqueID(at(.id)),
                realmID: try row.text(at(.realmID)),
                email: try row.text(at(.email)),
                linkHash: try row.hash(at(.linkHash)),
                browser: try row.hash(at(.browserHash)),
                back: try row.optionalText(at(.wayBack)),
                expiresAt: try row.int64(at(.expiresAt))
            ),
            person: hasPerson ? try Person(row, from: PasswordResetColumn.count) : nil,
            isUsed: try row.optionalInt64(at(.usedAt)) != nil
        )
    }
}

extension SQLTransaction {
    fileprivate func insert(_ reset: PasswordReset, of personID: String?) throws {
        try run(
            """
            INSERT INTO password_resets (id, realm_id, person_id, email, link_hash,
                browser_hash, way_back, expires_at, tries)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
            """,
            [
                .bytes(reset.id.bytes), .text(reset.realmID), SQLValue(personID),
                .text(reset.email), .bytes(reset.linkHash.bytes), .bytes(reset.browser.bytes),
                SQLValue(reset.back), .int64(reset.expiresAt),
            ]
        )
    }

    /// A newer wish takes the place of those that were not used.
    func forgetResets(of personID: String) throws {
        try run(
            "DELETE FROM password_resets WHERE person_id = $1 AND used_at IS NULL",
            [.text(personID)]
        )
    }
}
