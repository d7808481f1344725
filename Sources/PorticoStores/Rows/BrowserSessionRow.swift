import PorticoBytes

/// The columns of a browser session.
enum BrowserSessionColumn: Int, SQLColumns {
    case id, realmID, personID, cookieHash, authenticatedAt, acr, amr, device, createdAt
    case lastSeenAt, expiresAt, epoch
}

extension BrowserSession {
    /// - Parameter row: Begins with the columns of ``BrowserSessionColumn``.
    init(_ row: any SQLRow) throws {
        func at(_ column: BrowserSessionColumn) -> Int { column.rawValue }
        self.init(
            id: try row.text(at(.id)),
            realmID: try row.text(at(.realmID)),
            personID: try row.text(at(.personID)),
            cookieHash: try row.hash(at(.cookieHash)),
            authenticatedAt: try row.int64(at(.authenticatedAt)),
            acr: try row.text(at(.acr)),
            amr: try row.words(at(.amr)),
            device: try row.text(at(.device)),
            createdAt: try row.int64(at(.createdAt)),
            lastSeenAt: try row.int64(at(.lastSeenAt)),
            expiresAt: try row.int64(at(.expiresAt)),
            epoch: try row.int64(at(.epoch))
        )
    }

    /// In the order of ``BrowserSessionColumn``.
    var values: [SQLValue] {
        [
            .text(id), .text(realmID), .text(personID), .bytes(cookieHash.bytes),
            .int64(authenticatedAt), .text(acr), SQLValue(words: amr), .text(device),
            .int64(createdAt), .int64(lastSeenAt), .int64(expiresAt), .int64(epoch),
        ]
    }
}

extension LiveBrowserSession {
    /// - Parameter row: The columns of a session, then those of its person.
    init(_ row: any SQLRow) throws {
        self.init(
            session: try BrowserSession(row),
            person: try Person(row, from: BrowserSessionColumn.count)
        )
    }
}
