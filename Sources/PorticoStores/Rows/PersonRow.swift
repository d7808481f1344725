import PorticoBytes
import PorticoProtocol

/// The columns of a person.
enum PersonColumn: Int, SQLColumns {
    case id, realmID, username, email, isEmailVerified, givenName, familyName, isEnabled
    case notBefore, attributes, createdAt, updatedAt, emailKey
    case requiredActions, serviceClientID
    case emailProof, isEmailRelay, holdsEmail, name, isNameOwn, isWelcomed, lastSignInAt
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
        mailbox = try row.optionalText(at(.email)).map { address in
            try row.mailbox(
                address,
                isVerified: at(.isEmailVerified),
                proof: at(.emailProof),
                isRelay: at(.isEmailRelay)
            )
        }
        isEmailVerified = try row.bool(at(.isEmailVerified))
        holdsEmail = try row.bool(at(.holdsEmail))
        givenName = try row.optionalText(at(.givenName))
        familyName = try row.optionalText(at(.familyName))
        setName(try row.optionalText(at(.name)), isOwn: try row.bool(at(.isNameOwn)))
        isWelcomed = try row.bool(at(.isWelcomed))
        lastSignInAt = try row.optionalInt64(at(.lastSignInAt))
        isEnabled = try row.bool(at(.isEnabled))
        notBefore = try row.int64(at(.notBefore))
        if try row.text(at(.attributes)) != "{}" {
            attributes = try PersonAttributes.read(row.document(at(.attributes)))
        }
        updatedAt = try row.int64(at(.updatedAt))
        requiredActions = try row.words(at(.requiredActions))
        serviceClientID = try row.optionalText(at(.serviceClientID))
    }

    /// In the order of ``PersonColumn``.
    var values: [SQLValue] {
        [
            .text(id), .text(realmID), .text(LoginName.folded(username)), SQLValue(email),
            .bool(isEmailVerified), SQLValue(givenName), SQLValue(familyName), .bool(isEnabled),
            .int64(notBefore), SQLValue(PersonAttributes.document(attributes)),
            .int64(createdAt), .int64(updatedAt), SQLValue(email.map(LoginName.folded)),
            SQLValue(words: requiredActions), SQLValue(serviceClientID),
            SQLValue(mailbox?.verification.proof), .bool(mailbox?.isRelay == true),
            .bool(holdsEmail), SQLValue(name), .bool(isNameOwn), .bool(isWelcomed),
            SQLValue(lastSignInAt),
        ]
    }
}

extension SQLRow {
    /// - Parameters: The places of what is known of the address.
    func mailbox(_ address: String, isVerified: Int, proof: Int, isRelay: Int) throws -> Mailbox {
        Mailbox(
            address: address,
            verification: EmailVerification(
                isVerified: try bool(isVerified),
                proof: try optionalText(proof)
            ),
            isRelay: try bool(isRelay)
        )
    }
}

extension SQLReader {
    /// The person with their own roles and groups.
    func withRoles(_ person: Person) throws -> PersonWithRoles {
        PersonWithRoles(
            person: person,
            roles: try roles(ofPerson: person.id),
            groupIDs: try rows(
                "SELECT group_id FROM person_groups WHERE person_id = $1 ORDER BY group_id",
                [.text(person.id)]
            ) { try $0.text(0) }
        )
    }

    /// The roles of a person, the realm's first.
    private func roles(ofPerson id: String) throws -> [RoleName] {
        try rows(
            """
            SELECT c.client_id, r.name FROM person_roles AS h
            JOIN roles AS r ON r.id = h.role_id LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE h.person_id = $1
            ORDER BY c.client_id IS NOT NULL, c.client_id, r.name
            """,
            [.text(id)]
        ) { try RoleName($0, from: 0) }
    }
}
