import PorticoBytes
import PorticoProtocol

/// Which people of a realm are looked for. What is `nil` does not matter.
package struct PersonQuery: Hashable, Sendable {
    /// Each is, or begins, the user name, the e-mail address or one of the names; ``mostWords`` at most,
    /// the others do not count.
    package var anything: [Word] = []
    package var username: String?
    package var email: String?
    package var givenName: String?
    package var familyName: String?
    /// Whether a text is the whole, and not only a part.
    package var isExact = false
    package var isEnabled: Bool?
    package var isEmailVerified: Bool?
    /// A value of one of the attributes; those found besides are for the caller to leave out.
    package var attributeValue: String?
    /// Where they have an account besides (``Identity/provider``).
    package var provider: String?
    /// Who they are there, at that provider or at any.
    package var subject: String?

    package init() {}

    /// How many words are looked for at once.
    package static let mostWords = 6

    package enum Word: Hashable, Sendable {
        /// `*` stands for any text.
        case beginning(String)
        /// Also of both names with a blank between them.
        case whole(String)
    }
}

/// Finding people.
extension PersonStore {
    /// People, without the accounts of clients, in the order of user names.
    ///
    /// - Parameters:
    ///   - first: How many are passed over.
    ///   - limit: The most that are wanted.
    package func people(_ query: PersonQuery, realmID: String, first: Int, limit: Int) async throws
        -> [Person]
    {
        try await database.scan { reader in
            try reader.rows(
                Self.found,
                query.arguments(realmID) + Self.page(first, limit)
            ) { try Person($0) }
        }
    }

    /// The same, after `cursor` (a user name).
    package func people(
        _ query: PersonQuery,
        realmID: String,
        after cursor: String?,
        limit: Int
    ) async throws -> [Person] {
        try await database.scan { reader in
            try reader.rows(
                Self.foundAfter,
                query.arguments(realmID) + [.text(cursor ?? ""), .int64(Int64(max(0, limit)))]
            ) { try Person($0) }
        }
    }

    package func count(_ query: PersonQuery, realmID: String) async throws -> Int {
        try await database.scan { reader in
            try reader.first(Self.counted, query.arguments(realmID)) { Int(try $0.int64(0)) } ?? 0
        }
    }

    /// The members of a group, in the order of user names; not those of the groups in it.
    package func members(of groupID: String, realmID: String, first: Int, limit: Int) async throws
        -> [Person]
    {
        try await database.scan { reader in
            try reader.rows(
                Self.membersOfGroup,
                [.text(groupID), .text(realmID)] + Self.page(first, limit)
            ) { try Person($0) }
        }
    }

    /// The people who were given a role themselves, in the order of user names.
    package func holders(of roleID: String, realmID: String, first: Int, limit: Int) async throws
        -> [Person]
    {
        try await database.scan { reader in
            try reader.rows(
                Self.holdersOfRole,
                [.text(roleID), .text(realmID)] + Self.page(first, limit)
            ) { try Person($0) }
        }
    }

    /// `LIMIT` and `OFFSET`.
    private static func page(_ first: Int, _ limit: Int) -> [SQLValue] {
        [.int64(Int64(max(0, limit))), .int64(Int64(max(0, first)))]
    }

    private static let found: SQLText =
        "SELECT \(PersonColumn.self) FROM people \(wanted) ORDER BY username LIMIT $17 OFFSET $18"

    private static let foundAfter: SQLText = """
        SELECT \(PersonColumn.self) FROM people \(wanted) AND username > $17
        ORDER BY username LIMIT $18
        """

    private static let counted: SQLText = "SELECT COUNT(*) FROM people \(wanted)"

    private static let wanted: SQLText = """
        WHERE realm_id = $1 AND service_client_id IS NULL AND \(says("$2"))
            AND ($3 IS NULL OR username LIKE $3 ESCAPE '!')
            AND ($4 IS NULL OR email_key LIKE $4 ESCAPE '!')
            AND ($5 IS NULL OR LOWER(given_name) LIKE $5 ESCAPE '!')
            AND ($6 IS NULL OR LOWER(family_name) LIKE $6 ESCAPE '!')
            AND ($7 IS NULL OR is_enabled = $7) AND ($8 IS NULL OR is_email_verified = $8)
            AND ($9 IS NULL OR attributes LIKE $9 ESCAPE '!')
            AND ($10 IS NULL AND $11 IS NULL OR id IN (
                SELECT person_id FROM identities
                WHERE realm_id = $1 AND ($10 IS NULL OR provider = $10)
                    AND ($11 IS NULL OR subject = $11)))
            AND \(says("$12")) AND \(says("$13")) AND \(says("$14")) AND \(says("$15"))
            AND \(says("$16"))
        """

    /// Whether a word is in a person's names or address.
    private static func says(_ word: StaticString) -> SQLText {
        """
        (\(word) IS NULL OR username LIKE \(word) ESCAPE '!' OR email_key LIKE \(word) ESCAPE '!'
            OR LOWER(given_name) LIKE \(word) ESCAPE '!' OR LOWER(family_name) LIKE \(word) ESCAPE '!'
            OR LOWER(name) LIKE \(word) ESCAPE '!'
            OR LOWER(given_name) || ' ' || LOWER(family_name) LIKE \(word) ESCAPE '!')
        """
    }

    private static let membersOfGroup: SQLText = """
        SELECT \(PersonColumn.self) FROM people
        WHERE id IN (SELECT person_id FROM person_groups WHERE group_id = $1) AND realm_id = $2
        ORDER BY username LIMIT $3 OFFSET $4
        """

    private static let holdersOfRole: SQLText = """
        SELECT \(PersonColumn.self) FROM people
        WHERE id IN (SELECT person_id FROM person_roles WHERE role_id = $1) AND realm_id = $2
            AND service_client_id IS NULL
        ORDER BY username LIMIT $3 OFFSET $4
        """
}

extension PersonQuery {
    fileprivate func arguments(_ realmID: String) -> [SQLValue] {
        func pattern(_ text: String?, isWhole: Bool) -> SQLValue {
            guard let text else { return .null }
            let folded = LoginName.folded(text)
            return .text(isWhole ? Self.escaped(folded) : "%\(Self.escaped(folded))%")
        }
        let words = (0..<Self.mostWords).map { index -> SQLValue in
            guard index < anything.count else { return .null }
            switch anything[index] {
            case .beginning(let text): return .text(Self.beginning(text))
            case .whole(let text): return .text(Self.escaped(LoginName.folded(text)))
            }
        }
        return [
            .text(realmID), words[0],
            pattern(username, isWhole: isExact), pattern(email, isWhole: isExact),
            pattern(givenName, isWhole: isExact), pattern(familyName, isWhole: isExact),
            isEnabled.map(SQLValue.bool) ?? .null, isEmailVerified.map(SQLValue.bool) ?? .null,
            attributeValue.map { .text("%\(Self.escaped(Self.written($0)))%") } ?? .null,
            SQLValue(provider), SQLValue(subject),
        ] + words.dropFirst()
    }

    /// `*` stands for any text; without one the text is the beginning.
    private static func beginning(_ text: String) -> String {
        let parts = LoginName.folded(text).utf8.split(
            separator: UInt8(ascii: "*"),
            omittingEmptySubsequences: false
        ).map { escaped(String(Substring($0))) }
        return parts.count == 1 ? parts[0] + "%" : parts.joined(separator: "%")
    }

    /// As the document of the attributes has it.
    private static func written(_ text: String) -> String {
        String(decoding: JSONValue.string(text).serialized().dropFirst().dropLast(), as: UTF8.self)
    }

    /// For `LIKE … ESCAPE '!'`.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if "!%_".unicodeScalars.contains(scalar) { escaped += "!" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}
