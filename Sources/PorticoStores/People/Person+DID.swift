extension Person {
    /// The attribute that holds a person's DID.
    package static let didAttribute = "did"

    /// Who the person is to the AT Protocol; `nil` where the attribute `did` is not one DID, which is
    /// ASCII (DID Core §3.1). It is no other's of the realm: the store refuses that (`people_by_did`).
    package var did: String? {
        guard let values = attributes[Self.didAttribute], values.count == 1,
            values[0].utf8.starts(with: "did:".utf8), values[0].utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        return values[0]
    }

    /// Whether they had a DID that is theirs no more. What began with it ends: it is the `sub` of some
    /// sessions, which never become another account's (AT Protocol, OAuth).
    package func losesDID(of former: Person) -> Bool {
        former.did != nil && former.did != did
    }
}

extension SQLTransaction {
    /// Keeps the DID apart, beside the attributes, so that no one else can have it.
    func noteDID(of person: Person) throws {
        try run(
            """
            UPDATE people SET did = $1
            WHERE id = $2 AND realm_id = $3 AND COALESCE(did, '') <> COALESCE($1, '')
            """,
            [SQLValue(person.did), .text(person.id), .text(person.realmID)]
        )
    }
}
