import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The members of a person (Keycloak `UserRepresentation`).
enum PersonMembers {
    typealias Line = CodedMember<Person>

    static let table = MemberTable<Person>(
        "UserRepresentation",
        [
            Line("id", .text),
            Line("username", .text, by: .username.always),
            Line("firstName", .text, by: .text(\.givenName)),
            Line("lastName", .text, by: .text(\.familyName)),
            Line("email", .text, by: .text(\.email)),
            Line("emailVerified", .bool, by: .flag(\.isEmailVerified).always),
            Line("attributes", .map, by: .attributes),
            // In Keycloak, a person without the member is disabled.
            Line("enabled", .bool, by: .flag(\.isEnabled).always),
            Line("createdTimestamp", .integer, difference: .countsWhereSaid),
            Line("totp", .bool, difference: .none),
            Line("serviceAccountClientId", .text),
            Line("credentials", .parts),
            Line("disableableCredentialTypes", .texts, difference: .none),
            Line("requiredActions", .parts, by: .requiredActions.always),
            Line("federatedIdentities", .parts),
            Line("realmRoles", .texts),
            Line("clientRoles", .map),
            Line("clientConsents", .parts),
            Line("notBefore", .integer, by: .number(\.notBefore).always),
            Line("groups", .parts),
            Line("self", difference: .none),
            Line("origin", nil, .elsewhere),
            Line("userProfileMetadata", difference: .none),
            Line("federationLink", .text, .elsewhere),
            Line("access", difference: .none),
            Line("organizations", nil, .skipped("organizations are not imported")),
            Line("applicationRoles", nil, .old),
            Line("socialLinks", nil, .old),
            Line("verifiableCredentials", nil, .notKnown),
            Line("issuedVerifiableCredentials", nil, .notKnown),
        ],
        unknown: .notKnown
    )

    /// A person who is stored, by what acts of them.
    static func json(_ person: Person, where isMeant: (String) -> Bool = { _ in true })
        -> JSONObject
    {
        var json: JSONObject = ["id": .string(person.id)]
        table.write(person, over: Representation(stored: JSONObject()), to: &json) { name, _ in
            isMeant(name)
        }
        return json
    }
}

extension Member.Fate {
    fileprivate static let elsewhere = skipped(
        "their account lies in another directory, which nothing here asks"
    )
    fileprivate static let old = skipped("a field of old versions that is not read")
    fileprivate static let notKnown = ignored("nothing here knows the field")
}

extension MemberCodec where Owner == Person {
    fileprivate static var username: MemberCodec {
        value(
            \.username,
            read: { (said, _) throws(RealmImportError) in try said.text() ?? "" },
            written: { .string($0) }
        )
    }

    fileprivate static var attributes: MemberCodec {
        value(
            \.attributes,
            read: { (said, _) throws(RealmImportError) in
                let lists = try said.representation.lists(said.name)
                return Dictionary(lists.map { ($0.name, $0.values) }) { first, _ in first }
            },
            written: { .lists($0) }
        )
    }

    fileprivate static var requiredActions: MemberCodec {
        value(
            \.requiredActions,
            read: { (said, _) throws(RealmImportError) in
                try said.representation.strings(said.name) ?? []
            },
            written: { .texts($0) }
        )
    }
}
