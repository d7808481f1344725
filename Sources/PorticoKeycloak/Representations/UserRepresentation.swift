package import PorticoProtocol
package import PorticoStores

/// A person as Keycloak writes them (Keycloak `UserRepresentation`).
package struct UserRepresentation: Sendable {
    /// What people's members name by other names than the store does.
    package struct Names: Sendable {
        /// The path of each group, by its id.
        let groupPaths: [String: String]
        /// `client_id` by the client's id.
        let clientIDs: [String: String]

        package init(groups: [GroupWithRoles], clients: [Client]) {
            groupPaths = GroupRepresentation.paths(of: groups)
            clientIDs = clients.keyed(by: \.id).mapValues(\.clientID)
        }
    }

    var new: NewPerson
    /// `nil`: it says nothing but what stands in the person's own row.
    let names: Names?
    /// `nil`: it says nothing of them.
    let credentials: [CredentialRepresentation]?

    package init(
        _ new: NewPerson,
        _ names: Names? = nil,
        credentials: [CredentialRepresentation]? = nil
    ) {
        self.new = new
        self.names = names
        self.credentials = credentials
    }

    typealias Line = MemberLine<UserRepresentation>

    static let members = MemberTable<UserRepresentation>(
        "UserRepresentation",
        [
            Line("id:text", by: .made { .string($0.new.person.id) }),
            Line("username:text", by: .string(\.new.person.username).always),
            Line("firstName:text", by: .text(\.firstName)),
            Line("lastName:text", by: .text(\.new.person.familyName)),
            Line("email:text", by: .text(\.new.person.email)),
            Line("emailVerified:bool", by: .flag(\.new.person.isEmailVerified).always),
            Line("attributes:map", by: .lists(\.attributes)),
            Line("enabled:bool", by: .flag(\.new.person.isEnabled).always),
            Line(
                "createdTimestamp:integer?",
                by: .whole { new, _ in .milliseconds(new.person.createdAt) }
            ),
            Line(
                "totp:bool-",
                by: .whole { new, _ in .bool(new.credentials.contains { $0.kind == .totp }) }
            ),
            Line("serviceAccountClientId:text", by: .serviceAccount),
            Line(
                "credentials:parts",
                by: .made { $0.credentials.map { .array($0.map { .object($0.json) }) } }
            ),
            Line("disableableCredentialTypes:texts-", by: .whole { _, _ in [] }),
            Line("requiredActions:texts", by: .texts(\.new.person.requiredActions).always),
            Line("federatedIdentities:parts", by: .identities),
            Line("realmRoles:texts", by: .realmRoles(\.new.roles).always),
            Line("clientRoles:map", by: .clientRoles(\.new.roles)),
            Line("clientConsents:parts", by: .consents),
            Line("notBefore:integer", by: .number(\.new.person.notBefore).always),
            Line(
                "groups:parts",
                by: .whole { new, names in
                    .texts(new.groupIDs.compactMap { names.groupPaths[$0] }.sorted())
                }
            ),
            Line("self-"), Line("origin", .elsewhere), Line("userProfileMetadata-"),
            Line("federationLink:text", .elsewhere), Line("access-"),
            Line("organizations", .skipped("organizations are not imported")),
            Line(
                "applicationRoles socialLinks",
                .skipped("a field of old versions that is not read")
            ),
            Line("verifiableCredentials issuedVerifiableCredentials", .notKnown),
        ],
        unknown: .notKnown
    )

    package var json: JSONObject { Self.members.json(of: self) }

    /// A person who is stored, by what stands in their own row.
    static func json(_ person: Person, where isMeant: (String) -> Bool = { _ in true })
        -> JSONObject
    {
        let new = NewPerson(person: person, password: nil)
        return members.json(of: UserRepresentation(new)) { name, _ in
            name != "realmRoles" && isMeant(name)
        }
    }
}

extension UserRepresentation {
    /// The given name; for who has a name in one piece only, that.
    fileprivate var firstName: String? {
        get {
            let person = new.person
            return person.givenName ?? (person.familyName == nil ? person.name : nil)
        }
        set { if newValue != firstName { new.person.givenName = newValue } }
    }

    /// An attribute of ours, in files only: what Keycloak has no words for of an address. It says no more
    /// than `emailVerified`, only less: `vouched` for one that no one has proven, `relay`, `not-held`.
    private static let emailMark = "portico.email"

    fileprivate var attributes: [String: [String]] {
        get {
            var attributes = new.person.attributes
            guard names != nil, let mailbox = new.person.mailbox else { return attributes }
            var marks: [String] = []
            if mailbox.verification == .vouched { marks.append("vouched") }
            if mailbox.isRelay { marks.append("relay") }
            if !new.person.holdsEmail { marks.append("not-held") }
            if !marks.isEmpty { attributes[Self.emailMark] = marks }
            return attributes
        }
        set {
            var attributes = newValue
            let marks = attributes.removeValue(forKey: Self.emailMark) ?? []
            new.person.attributes = attributes
            guard var mailbox = new.person.mailbox else { return }
            if marks.contains("vouched"), mailbox.isVerified { mailbox.verification = .vouched }
            mailbox.isRelay = mailbox.isRelay || marks.contains("relay")
            new.person.mailbox = mailbox
            if marks.contains("not-held") { new.person.holdsEmail = false }
        }
    }
}

extension RepresentationMember.Fate {
    fileprivate static let elsewhere = skipped(
        "their account lies in another directory, which nothing here asks"
    )
    fileprivate static let notKnown = ignored("nothing here knows the field")
}

extension MemberCodec where Owner == UserRepresentation {
    /// A member that only a representation of all that is kept of a person has.
    fileprivate static func whole(
        _ written: @escaping @Sendable (NewPerson, UserRepresentation.Names) -> JSONValue?
    ) -> MemberCodec {
        made { user in user.names.flatMap { written(user.new, $0) } }
    }

    fileprivate static var serviceAccount: MemberCodec {
        whole { new, names in
            new.person.serviceClientID.flatMap { names.clientIDs[$0] }.map(JSONValue.string)
        }
    }

    fileprivate static var identities: MemberCodec {
        whole { new, _ in
            guard !new.identities.isEmpty else { return nil }
            return .array(new.identities.map { .object(NewPerson.Identity.members.json(of: $0)) })
        }
    }

    fileprivate static var consents: MemberCodec {
        whole { new, names in
            let consents = new.consents.compactMap { consent -> JSONValue? in
                guard let clientID = names.clientIDs[consent.clientID] else { return nil }
                let said = ConsentRepresentation(
                    clientID: clientID,
                    scopes: consent.scope.tokens,
                    updatedAt: consent.at
                )
                return .object(ConsentRepresentation.members.json(of: said))
            }
            return consents.isEmpty ? nil : .array(consents)
        }
    }
}

extension JSONValue {
    /// Seconds as Keycloak writes times; the nearest number that there is.
    static func milliseconds(_ seconds: Int64) -> JSONValue {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return .integer(overflows ? (seconds < 0 ? .min : .max) : product)
    }
}
