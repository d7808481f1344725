package import PorticoBytes
package import PorticoStores

/// What people prove by their mailbox, in SQL.
package struct SQLPersonMailboxStore: PersonMailboxStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func ask(_ reset: PasswordReset, mail: MailDraft) async throws {
        try await database.change { transaction in
            let person = try transaction.first(
                """
                SELECT id, email FROM people
                WHERE realm_id = $1 AND email_key = $2 AND is_enabled
                """,
                [.text(reset.realmID), .text(LoginName.folded(reset.email))]
            ) { (id: try $0.text(0), address: try $0.text(1)) }
            if let person {
                try transaction.forgetResets(of: person.id)
                try transaction.queue(mail, to: person.address)
            }
            try transaction.run(
                """
                INSERT INTO password_resets (id, realm_id, person_id, email, link_hash,
                    browser_hash, way_back, expires_at, tries)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0)
                """,
                [
                    .bytes(reset.id.bytes), .text(reset.realmID), SQLValue(person?.id),
                    .text(reset.email), .bytes(reset.linkHash.bytes),
                    .bytes(reset.browser.bytes), SQLValue(reset.wayBack),
                    .int64(reset.expiresAt),
                ]
            )
        }
    }

    package func reset(id: UniqueID, realmID: String) async throws -> PasswordResetReading? {
        try await database.read { reader in
            try reader.first(
                """
                SELECT r.id, r.realm_id, r.email, r.link_hash, r.browser_hash, r.way_back,
                    r.expires_at, r.used_at,
                    p.id, p.realm_id, p.username, p.email, p.is_email_verified, p.given_name,
                    p.family_name, p.is_enabled, p.not_before, p.attributes, p.created_at,
                    p.updated_at
                FROM password_resets AS r
                LEFT JOIN people AS p ON p.id = r.person_id AND p.realm_id = r.realm_id
                    AND p.is_enabled
                WHERE r.id = $1 AND r.realm_id = $2
                """,
                [.bytes(id.bytes), .text(realmID)],
                decode: PasswordResetReading.init(row:)
            )
        }
    }

    package func reset(link: Hash256, realmID: String) async throws -> PasswordResetReading? {
        try await database.read { reader in
            try reader.first(
                """
                SELECT r.id, r.realm_id, r.email, r.link_hash, r.browser_hash, r.way_back,
                    r.expires_at, r.used_at,
                    p.id, p.realm_id, p.username, p.email, p.is_email_verified, p.given_name,
                    p.family_name, p.is_enabled, p.not_before, p.attributes, p.created_at,
                    p.updated_at
                FROM password_resets AS r
                LEFT JOIN people AS p ON p.id = r.person_id AND p.realm_id = r.realm_id
                    AND p.is_enabled
                WHERE r.link_hash = $1 AND r.realm_id = $2
                """,
                [.bytes(link.bytes), .text(realmID)],
                decode: PasswordResetReading.init(row:)
            )
        }
    }

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

extension PasswordResetReading {
    /// Of the wish: `id, realm_id, email, link_hash, browser_hash, way_back, expires_at, used_at`;
    /// then a person's columns.
    fileprivate init(row: any SQLRow) throws {
        let hasPerson = try row.optionalText(8) != nil
        self.init(
            reset: PasswordReset(
                id: try row.uniqueID(0),
                realmID: try row.text(1),
                email: try row.text(2),
                linkHash: try row.hash(3),
                browser: try row.hash(4),
                wayBack: try row.optionalText(5),
                expiresAt: try row.int64(6)
            ),
            person: hasPerson ? try PersonRow.person(row, from: 8) : nil,
            isUsed: try row.optionalInt64(7) != nil
        )
    }
}

extension SQLTransaction {
    /// A newer wish takes the place of those that were not used.
    func forgetResets(of personID: String) throws {
        try run(
            "DELETE FROM password_resets WHERE person_id = $1 AND used_at IS NULL",
            [.text(personID)]
        )
    }
}
