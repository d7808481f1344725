import PorticoProtocol

/// People with everything that is kept of them: what ``create(_:)`` takes.
extension PersonStore {
    /// People and the accounts of clients, in the order of user names, after `cursor` (a user
    /// name), at most `limit`. Each page is of one moment.
    package func whole(realmID: String, after cursor: String?, limit: Int) async throws
        -> [NewPerson]
    {
        try await database.scan { reader in
            try reader.whole(
                Self.page,
                [.text(realmID), .text(cursor ?? ""), .int64(Int64(max(0, limit)))]
            )
        }
    }

    /// The one of that id.
    package func whole(realmID: String, id: String) async throws -> NewPerson? {
        try await database.scan { try $0.whole(Self.byID, [.text(realmID), .text(id)]).first }
    }

    private static let byID: SQLText = """
        SELECT \(PersonColumn.self), password_hash FROM people
        WHERE realm_id = $1 AND id = $2
        """

    private static let page: SQLText = """
        SELECT \(PersonColumn.self), password_hash FROM people
        WHERE realm_id = $1 AND username > $2 ORDER BY username LIMIT $3
        """
}

extension SQLReader {
    /// - Parameter people: Selects the columns of ``PersonColumn`` and the password's hash of people
    ///   who stand next to each other in the order of user names.
    fileprivate func whole(_ people: SQLText, _ arguments: [SQLValue]) throws -> [NewPerson] {
        var whole = try rows(people, arguments) { row in
            NewPerson(
                person: try Person(row),
                password: try row.optionalText(PersonColumn.count).map(PasswordHash.init)
            )
        }
        guard let first = whole.first?.person, let last = whole.last?.person else { return [] }
        let range: [SQLValue] = [
            .text(first.realmID), .text(first.username), .text(last.username),
        ]
        let roles = try roles(in: range)
        let groups = try groups(in: range)
        let credentials = Dictionary(grouping: try credentials(in: range), by: \.personID)
        let identities = try identities(in: range)
        let consents = try consents(in: range)
        for index in whole.indices {
            let id = whole[index].person.id
            whole[index].roles = roles[id] ?? []
            whole[index].groupIDs = groups[id] ?? []
            whole[index].credentials = credentials[id] ?? []
            whole[index].identities = identities[id] ?? []
            whole[index].consents = consents[id] ?? []
        }
        return whole
    }

    private func roles(in range: [SQLValue]) throws -> [String: [RoleName]] {
        try grouped(
            """
            SELECT p.id, c.client_id, r.name FROM people AS p
            JOIN person_roles AS h ON h.person_id = p.id
            JOIN roles AS r ON r.id = h.role_id LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY c.client_id IS NOT NULL, c.client_id, r.name
            """,
            range
        ) { try RoleName($0, from: 1) }
    }

    private func groups(in range: [SQLValue]) throws -> [String: [String]] {
        try grouped(
            """
            SELECT p.id, g.group_id FROM people AS p
            JOIN person_groups AS g ON g.person_id = p.id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY g.group_id
            """,
            range
        ) { try $0.text(1) }
    }

    private func credentials(in range: [SQLValue]) throws -> [Credential] {
        try rows(
            """
            SELECT c.id, c.person_id, c.kind, c.label, c.created_at, c.priority, c.parameters,
                c.sealed_secret, c.used
            FROM people AS p JOIN credentials AS c ON c.person_id = p.id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY c.priority, c.created_at, c.id
            """,
            range
        ) { try Credential(row: $0) }
    }

    private func identities(in range: [SQLValue]) throws -> [String: [FederatedIdentity]] {
        try grouped(
            """
            SELECT p.id, f.provider, f.subject, f.username FROM people AS p
            JOIN federated_identities AS f ON f.person_id = p.id
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY f.provider
            """,
            range
        ) { row in
            FederatedIdentity(
                provider: try row.text(1),
                subject: try row.text(2),
                username: try row.optionalText(3)
            )
        }
    }

    private typealias Consent = (clientID: String, scope: Scope, at: Int64)

    private func consents(in range: [SQLValue]) throws -> [String: [Consent]] {
        try grouped(
            """
            SELECT p.id, o.client_id, o.scope, o.updated_at FROM people AS p
            JOIN consents AS o ON o.person_id = p.id AND o.fingerprint IS NULL
            WHERE p.realm_id = $1 AND p.username >= $2 AND p.username <= $3
            ORDER BY o.client_id
            """,
            range
        ) { row in
            (
                clientID: try row.text(1), scope: Scope(tokens: try row.words(2)),
                at: try row.int64(3)
            )
        }
    }
}
