/// A line of the log of changes.
package struct RealmChange: Hashable, Sendable {
    /// Grows by one with each line, whichever process wrote it.
    package let number: Int64
    package let realmID: String
    /// ``Client/id`` of the one client that changed; `nil`: anything of the realm, clients too.
    package let clientID: String?
}

/// What changed since a number.
package struct RealmNews: Sendable {
    /// Of the last change.
    package var number: Int64
    /// Whether all realms were read, because it cannot be told any more what changed.
    package var isAfresh = false
    /// The realms that changed, as they are now.
    package var realms: [RealmContents] = []
    /// The ids of those that are gone, or that no one may see.
    package var gone: Set<String> = []
    /// The clients that changed alone, or are gone.
    package var clients: [RealmChange] = []
}

/// The log of changes to realms. Each change writes its line in its own transaction, so that processes
/// that hold realms in memory read again what changed, and nothing else.
extension RealmStore {
    /// How many lines are kept. A process that knows an older one reads everything again.
    package static let mostChanges: Int64 = 1000

    /// The number of the last change of a realm, client or key.
    package func lastChange() async throws -> Int64 {
        try await database.read { try $0.lastChange() }
    }

    /// What changed after the change of that number, of one moment. One read by the primary key where
    /// nothing did.
    ///
    /// - Parameter number: `nil`: everything is read.
    /// - Returns: `nil` where nothing changed.
    package func news(after number: Int64?) async throws -> RealmNews? {
        if let number {
            let lines = try await database.read { try $0.changes(from: number) }
            guard lines.count != 1 || lines[0].number != number else { return nil }
            if lines.first?.number == number, let last = lines.last,
                !lines.dropFirst().contains(where: { $0.clientID == nil })
            {
                return RealmNews(number: last.number, clients: Array(lines.dropFirst()))
            }
        }
        return try await database.scan { try $0.news(after: number) }
    }
}

extension SQLReader {
    func lastChange() throws -> Int64 {
        let number = try first("SELECT MAX(number) FROM realm_changes", []) {
            try $0.optionalInt64(0)
        }
        guard let number = number ?? nil else { throw SQLError(.corrupt, code: 0) }
        return number
    }

    /// The line of that number, if it is kept, and those after it.
    fileprivate func changes(from number: Int64) throws -> [RealmChange] {
        try rows(
            """
            SELECT number, realm_id, client_id FROM realm_changes WHERE number >= $1
            ORDER BY number
            """,
            [.int64(number)]
        ) { row in
            RealmChange(
                number: try row.int64(0),
                realmID: try row.text(1),
                clientID: try row.optionalText(2)
            )
        }
    }

    fileprivate func news(after number: Int64?) throws -> RealmNews {
        var news = RealmNews(number: try lastChange())
        let lines = try number.map { try changes(from: $0) } ?? []
        guard let number, lines.first?.number == number else {
            news.isAfresh = true
            news.realms = try allRealms().map { try contents(of: $0) }
            return news
        }
        let changed = Set(lines.dropFirst().filter { $0.clientID == nil }.map(\.realmID))
        for id in changed.sorted() {
            if let realm = try realm(id: id) {
                news.realms.append(try contents(of: realm))
            } else {
                news.gone.insert(id)
            }
        }
        news.clients = lines.dropFirst().filter {
            $0.clientID != nil && !changed.contains($0.realmID)
        }
        return news
    }
}

extension SQLTransaction {
    /// Lets every process see that something of a realm has changed.
    func noteChange(ofRealm realmID: String) throws {
        try noteChange(realmID, clientID: nil)
    }

    /// The same of one client alone.
    ///
    /// - Parameter id: ``Client/id``
    func noteChange(ofClient id: String, realmID: String) throws {
        try noteChange(realmID, clientID: id)
    }

    private func noteChange(_ realmID: String, clientID: String?) throws {
        try run(
            """
            INSERT INTO realm_changes (number, realm_id, client_id)
            SELECT MAX(number) + 1, $1, $2 FROM realm_changes
            """,
            [.text(realmID), SQLValue(clientID)]
        )
        try run(
            "DELETE FROM realm_changes WHERE number <= $1",
            [.int64(try lastChange() - RealmStore.mostChanges)]
        )
    }
}
