import PorticoBytes

/// The columns of what a session by handle has beside its account's.
enum HandleSessionColumn: Int, SQLColumns {
    case sessionID, did, handle, host, issuer, clientID, clientKeyID, askedScope, scope, sealed
    case accessExpiresAt, createdAt, refreshedAt, revision, sentAt, takesForeign
    case foreignUntil
}

extension HandleSession {
    /// - Parameter first: The place of the first column of ``HandleSessionColumn``.
    init(_ row: any SQLRow, from first: Int = 0) throws {
        func at(_ column: HandleSessionColumn) -> Int { first + column.rawValue }
        sessionID = try row.text(at(.sessionID))
        did = try row.text(at(.did))
        handle = try row.text(at(.handle))
        host = try row.text(at(.host))
        issuer = try row.text(at(.issuer))
        clientID = try row.text(at(.clientID))
        clientKeyID = try row.optionalText(at(.clientKeyID))
        askedScope = try row.text(at(.askedScope))
        scope = try row.text(at(.scope))
        sealed = try row.optionalText(at(.sealed))
        accessExpiresAt = try row.optionalInt64(at(.accessExpiresAt))
        createdAt = try row.int64(at(.createdAt))
        refreshedAt = try row.int64(at(.refreshedAt))
        revision = try row.int64(at(.revision))
        sentAt = try row.optionalInt64(at(.sentAt))
        foreignSealsUntil =
            try row.bool(at(.takesForeign)) ? row.optionalInt64(at(.foreignUntil)) : nil
    }

    /// In the order of ``HandleSessionColumn``.
    var values: [SQLValue] {
        [
            .text(sessionID), .text(did), .text(handle), .text(host), .text(issuer),
            .text(clientID), SQLValue(clientKeyID), .text(askedScope), .text(scope),
            SQLValue(sealed), SQLValue(accessExpiresAt), .int64(createdAt), .int64(refreshedAt),
            .int64(revision), SQLValue(sentAt), .bool(foreignSealsUntil != nil),
            SQLValue(foreignSealsUntil),
        ]
    }
}

extension LiveHandleSession {
    /// With no providers yet.
    ///
    /// - Parameter row: The columns of a session, of its person, and of ``HandleSessionColumn``.
    init(_ row: any SQLRow) throws {
        live = try LiveSession(row)
        handle = try HandleSession(row, from: SessionColumn.count + PersonColumn.count)
    }
}

extension DueRevocation {
    /// - Parameter row: The columns of ``HandleSessionColumn``, and `tries`.
    init(_ row: any SQLRow) throws {
        session = try HandleSession(row)
        tries = try row.int64(HandleSessionColumn.count)
    }
}
