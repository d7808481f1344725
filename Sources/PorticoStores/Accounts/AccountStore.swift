package import PorticoBytes

/// Keeps accounts, their identities and sessions.
///
/// A session is **live** while it has not ended, `expiresAt` lies ahead, it was seen after
/// `now - idleSeconds`, it does not wait for its app, its account is there and not blocked, and the
/// account was not signed out everywhere since it began. All times are seconds since 1970.
///
/// Every event that changes something writes its ``Event`` and its mail in the same
/// transaction.
package struct AccountStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func account(_ id: UniqueID) async throws -> Account? {
        try await database.read { try $0.account(id)?.account }
    }

    /// Whether something that counts once was used, and is remembered.
    package func wasSpent(_ hash: Hash256) async throws -> Bool {
        try await database.read {
            try $0.hasRow("SELECT 1 FROM spent_once WHERE hash = $1", [.bytes(hash.bytes)])
        }
    }

    /// How an account came to be.
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

    /// In the order of linking.
    package func identities(of accountID: UniqueID) async throws -> [Identity] {
        try await database.read { try $0.identities(of: accountID) }
    }

    /// Accounts in the order of creation, after `cursor`, at most `limit`; where `email` is given,
    /// those with that address.
    package func accounts(after cursor: UniqueID?, email: String?, limit: Int) async throws
        -> [Account]
    {
        try await database.scan { reader in
            guard let place = try reader.place(of: cursor) else { return [] }
            if let email {
                return try reader.rows(
                    Statement.pageByEmail,
                    place + [.text(LoginName.folded(email)), .int64(Int64(max(0, limit)))]
                ) { try Account($0) }
            }
            return try reader.rows(
                Statement.page,
                place + [.int64(Int64(max(0, limit)))]
            ) { try Account($0) }
        }
    }
}

extension SQLReader {
    func account(_ id: UniqueID) throws -> CountedAccount? {
        try first(Statement.byID, [.bytes(id.bytes)]) { try CountedAccount($0) }
    }

    /// In the order of linking.
    func identities(of accountID: UniqueID) throws -> [Identity] {
        try rows(
            Statement.identities,
            [.bytes(accountID.bytes)],
            decode: Identity.init
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

extension AccountStore {
    /// Keeps the code that confirms an address, and queues the mail that brings it.
    package func startConfirmation(
        _ confirmation: EmailConfirmation,
        mail: MailDraft,
        at now: Int64
    ) async throws {
        try await startConfirmation(confirmation, mail: mail, saying: nil, at: now)
    }
}

private enum Statement {
    static let byID: SQLText = "SELECT \(AccountColumn.self), epoch FROM accounts WHERE id = $1"

    static let page: SQLText = """
        SELECT \(AccountColumn.self) FROM accounts
        WHERE created_at >= $1 AND (created_at > $1 OR id > $2)
        ORDER BY created_at, id LIMIT $3
        """

    static let pageByEmail: SQLText = """
        SELECT \(AccountColumn.self) FROM accounts
        WHERE (created_at > $1 OR (created_at = $1 AND id > $2)) AND email_key = $3
        ORDER BY created_at, id LIMIT $4
        """

    static let identities: SQLText = """
        SELECT \(IdentityColumn.self) FROM identities WHERE account_id = $1 ORDER BY place
        """
}
