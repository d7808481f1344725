import PorticoProtocol
import PorticoStores

/// The members of a person (Keycloak `UserRepresentation`).
enum PersonMembers {
    typealias Line = MemberLine<Person>

    static let table = MemberTable<Person>(
        "UserRepresentation",
        [
            Line("id:text"),
            Line("username:text", by: .username.always),
            Line("firstName:text", by: .text(\.givenName)),
            Line("lastName:text", by: .text(\.familyName)),
            Line("email:text", by: .text(\.email)),
            Line("emailVerified:bool", by: .flag(\.isEmailVerified).always),
            Line("attributes:map", by: .attributes),
            Line("enabled:bool", by: .flag(\.isEnabled).always),
            Line(
                """
                createdTimestamp:integer? totp:bool- serviceAccountClientId:text
                credentials:parts disableableCredentialTypes:texts-
                """
            ),
            Line("requiredActions:texts", by: .requiredActions.always),
            Line("federatedIdentities:parts realmRoles:texts clientRoles:map clientConsents:parts"),
            Line("notBefore:integer", by: .number(\.notBefore).always),
            Line("groups:parts self-"),
            Line("origin", .elsewhere),
            Line("userProfileMetadata-"),
            Line("federationLink:text", .elsewhere),
            Line("access-"),
            Line("organizations", .skipped("organizations are not imported")),
            Line(
                "applicationRoles socialLinks",
                .skipped("a field of old versions that is not read")
            ),
            Line("verifiableCredentials issuedVerifiableCredentials", .notKnown),
        ],
        unknown: .notKnown
    )

    /// A person who is stored, by what acts of them.
    static func json(_ person: Person, where isMeant: (String) -> Bool = { _ in true })
        -> JSONObject
    {
        var json: JSONObject = ["id": .string(person.id)]
        table.write(person, over: JSONObject(), to: &json) { name, _ in
            isMeant(name)
        }
        return json
    }
}

extension Member.Fate {
    fileprivate static let elsewhere = skipped(
        "their account lies in another directory, which nothing here asks"
    )
    fileprivate static let notKnown = ignored("nothing here knows the field")
}

extension MemberCodec where Owner == Person {
    fileprivate static var username: MemberCodec {
        value(\.username, read: { said, _, _ in said.text ?? "" }, written: { .string($0) })
    }

    fileprivate static var attributes: MemberCodec {
        value(\.attributes, read: { said, _, _ in said.lists }, written: { .lists($0) })
    }

    fileprivate static var requiredActions: MemberCodec {
        value(\.requiredActions, read: { said, _, _ in said.texts ?? [] }, written: { .texts($0) })
    }
}

extension SaidMember {
    /// Lists, of which a single text is one, too.
    fileprivate var lists: [String: [String]] {
        var lists: [String: [String]] = [:]
        for (name, value) in value?.object ?? JSONObject() where value != .null {
            let texts = MemberType.texts.converted(value)?.strings
            lists[name] = texts ?? [MemberType.text.converted(value)?.string].compactMap(\.self)
        }
        return lists
    }
}
