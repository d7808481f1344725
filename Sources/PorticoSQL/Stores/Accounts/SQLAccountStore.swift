package import PorticoBytes
package import PorticoStores

/// Accounts, their identities and sessions in SQL.
package struct SQLAccountStore: AccountStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func account(_ id: UniqueID) async throws -> Account? {
        try await database.read { try $0.account(id)?.account }
    }

    package func registration(of accountID: UniqueID) async throws -> Registration? {
        try await database.read { reader in
            try reader.first(
                """
                SELECT registered_provider, created_at, registered_address, registered_user_agent
                FROM accounts WHERE id = $1
                """,
                [.bytes(accountID.bytes)]
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

    package func identities(of accountID: UniqueID) async throws -> [Identity] {
        try await database.read { try $0.identities(of: accountID) }
    }

    package func accounts(after cursor: UniqueID?, email: String?, limit: Int) async throws
        -> [Account]
    {
        try await database.scan { reader in
            guard let place = try reader.place(of: cursor) else { return [] }
            if let email {
                return try reader.rows(
                    """
                    SELECT id, email, is_email_verified, email_proof, is_email_relay, name,
                        is_name_own, picture, language, is_blocked, is_welcomed, created_at,
                        last_sign_in_at
                    FROM accounts
                    WHERE (created_at > $1 OR (created_at = $1 AND id > $2)) AND email_key = $3
                    ORDER BY created_at, id LIMIT $4
                    """,
                    place + [.text(LoginName.folded(email)), .int64(Int64(max(0, limit)))]
                ) { try AccountRow.account($0) }
            }
            return try reader.rows(
                """
                SELECT id, email, is_email_verified, email_proof, is_email_relay, name,
                    is_name_own, picture, language, is_blocked, is_welcomed, created_at,
                    last_sign_in_at
                FROM accounts
                WHERE created_at >= $1 AND (created_at > $1 OR id > $2)
                ORDER BY created_at, id LIMIT $3
                """,
                place + [.int64(Int64(max(0, limit)))]
            ) { try AccountRow.account($0) }
        }
    }
}

extension SQLReader {
    func account(_ id: UniqueID) throws -> CountedAccount? {
        try first(
            """
            SELECT id, email, is_email_verified, email_proof, is_email_relay, name, is_name_own,
                picture, language, is_blocked, is_welcomed, created_at, last_sign_in_at, epoch
            FROM accounts WHERE id = $1
            """,
            [.bytes(id.bytes)]
        ) { try CountedAccount($0) }
    }

    /// In the order of linking.
    func identities(of accountID: UniqueID) throws -> [Identity] {
        try rows(
            """
            SELECT issuer, subject, provider, email, is_email_verified, email_proof,
                is_email_relay, linked_at, last_used_at, sealed_token
            FROM identities WHERE account_id = $1 ORDER BY place
            """,
            [.bytes(accountID.bytes)],
            decode: IdentityRow.identity
        )
    }

    /// In the order of linking.
    func providers(of accountID: UniqueID) throws -> [String] {
        try rows(
            "SELECT provider FROM identities WHERE account_id = $1 ORDER BY place",
            [.bytes(accountID.bytes)]
        ) { try $0.text(0) }
    }

    /// Where a list goes on behind an account, also one that was deleted meanwhile: the time of its
    /// creation and its id. `nil`: there never was one.
    fileprivate func place(of cursor: UniqueID?) throws -> [SQLValue]? {
        guard let cursor else { return [.int64(.min), .bytes([])] }
        return try first(
            """
            SELECT created_at FROM accounts WHERE id = $1
            UNION ALL SELECT created_at FROM deleted_accounts WHERE id = $1
            """,
            [.bytes(cursor.bytes)]
        ) { [.int64(try $0.int64(0)), .bytes(cursor.bytes)] }
    }
}
