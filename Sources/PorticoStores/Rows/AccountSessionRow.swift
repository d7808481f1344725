import PorticoBytes

/// The columns of an account's session.
enum AccountSessionColumn: Int, SQLColumns {
    case id, personID, cookieHash, app, generation, refreshSecret, refreshKeyID, rotatedAt
    case idempotencyKey, issuer, subject, providerSessionID, device, address, provenAt, createdAt
    case lastSeenAt, idleSeconds, expiresAt
}

extension AccountSession {
    /// A session that does not wait for its app.
    ///
    /// - Parameter row: Begins with the columns of ``AccountSessionColumn``.
    init(_ row: any SQLRow) throws {
        func at(_ column: AccountSessionColumn) -> Int { column.rawValue }
        let form: Form
        if let cookieHash = try row.optionalHash(at(.cookieHash)) {
            form = .browser(cookieHash: cookieHash)
        } else {
            let refresh = try RefreshState(row, from: at(.generation))
            form = .app(name: try row.text(at(.app)), refresh: refresh)
        }
        self.init(
            id: try row.uniqueID(at(.id)),
            personID: try row.text(at(.personID)),
            form: form,
            identity: IdentityKey(
                issuer: try row.text(at(.issuer)),
                subject: try row.text(at(.subject))
            ),
            providerSessionID: try row.optionalText(at(.providerSessionID)),
            device: try row.text(at(.device)),
            address: try row.optionalText(at(.address)),
            provenAt: try row.optionalInt64(at(.provenAt)),
            createdAt: try row.int64(at(.createdAt)),
            lastSeenAt: try row.int64(at(.lastSeenAt)),
            idleSeconds: try row.int64(at(.idleSeconds)),
            expiresAt: try row.int64(at(.expiresAt))
        )
    }
}

extension LiveAccountSession {
    /// With no providers yet.
    ///
    /// - Parameter row: The columns of a session, then those of its person.
    init(_ row: any SQLRow) throws {
        self.init(
            session: try AccountSession(row),
            person: try Person(row, from: AccountSessionColumn.count),
            providers: []
        )
    }
}
