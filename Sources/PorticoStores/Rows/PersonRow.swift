import PorticoBytes
import PorticoProtocol

/// The columns of a person.
enum PersonColumn: Int, SQLColumns {
    case id, realmID, username, email, isEmailVerified, givenName, familyName, isEnabled
    case notBefore, attributes, createdAt, updatedAt, emailKey
}

extension Person {
    /// - Parameter first: The place of the first column of ``PersonColumn``.
    init(_ row: any SQLRow, from first: Int = 0) throws {
        func at(_ column: PersonColumn) -> Int { first + column.rawValue }
        self.init(
            id: try row.text(at(.id)),
            realmID: try row.text(at(.realmID)),
            username: try row.text(at(.username)),
            createdAt: try row.int64(at(.createdAt))
        )
        email = try row.optionalText(at(.email))
        isEmailVerified = try row.bool(at(.isEmailVerified))
        givenName = try row.optionalText(at(.givenName))
        familyName = try row.optionalText(at(.familyName))
        isEnabled = try row.bool(at(.isEnabled))
        notBefore = try row.int64(at(.notBefore))
        if try row.text(at(.attributes)) != "{}" {
            attributes = try PersonAttributes.read(row.document(at(.attributes)))
        }
        updatedAt = try row.int64(at(.updatedAt))
    }

    /// In the order of ``PersonColumn``.
    var values: [SQLValue] {
        [
            .text(id), .text(realmID), .text(LoginName.folded(username)), SQLValue(email),
            .bool(isEmailVerified), SQLValue(givenName), SQLValue(familyName), .bool(isEnabled),
            .int64(notBefore), SQLValue(PersonAttributes.document(attributes)),
            .int64(createdAt), .int64(updatedAt), SQLValue(email.map(LoginName.folded)),
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
