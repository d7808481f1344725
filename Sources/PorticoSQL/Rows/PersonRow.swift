import PorticoStores

/// The columns of a person in the order in which every query selects them:
/// `id, realm_id, username, email, is_email_verified, given_name, family_name, is_enabled,
/// not_before, attributes, created_at, updated_at`.
enum PersonRow {
    static let width = 12

    /// - Parameter first: The position of `id`.
    static func person(_ row: any SQLRow, from first: Int = 0) throws -> Person {
        var person = Person(
            id: try row.text(first),
            realmID: try row.text(first + 1),
            username: try row.text(first + 2),
            createdAt: try row.int64(first + 10)
        )
        person.email = try row.optionalText(first + 3)
        person.isEmailVerified = try row.bool(first + 4)
        person.givenName = try row.optionalText(first + 5)
        person.familyName = try row.optionalText(first + 6)
        person.isEnabled = try row.bool(first + 7)
        person.notBefore = try row.int64(first + 8)
        if try row.text(first + 9) != "{}" {
            person.attributes = try PersonAttributes.read(row.document(first + 9))
        }
        person.updatedAt = try row.int64(first + 11)
        return person
    }

    /// The same columns' values, `id` first, with the e-mail address's key behind the address.
    static func values(_ person: Person) -> [SQLValue] {
        [
            .text(person.id), .text(person.realmID), .text(LoginName.folded(person.username)),
            SQLValue(person.email), SQLValue(person.email.map(LoginName.folded)),
            .bool(person.isEmailVerified), SQLValue(person.givenName),
            SQLValue(person.familyName), .bool(person.isEnabled), .int64(person.notBefore),
            SQLValue(PersonAttributes.document(person.attributes)), .int64(person.createdAt),
            .int64(person.updatedAt),
        ]
    }
}

extension SQLReader {
    /// The roles of a person, the realm's first.
    func roles(ofPerson id: String) throws -> [RoleName] {
        try rows(
            """
            SELECT r.client_id, r.name
            FROM person_roles AS h JOIN roles AS r ON r.id = h.role_id
            WHERE h.person_id = $1
            ORDER BY r.client_id IS NOT NULL, r.client_id, r.name
            """,
            [.text(id)]
        ) { RoleName(clientID: try $0.optionalText(0), name: try $0.text(1)) }
    }
}
