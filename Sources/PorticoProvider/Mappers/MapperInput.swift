import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What mappers make claims of.
struct MapperInput: Sendable {
    /// The person who is signed in, or a service account; `nil` for neither.
    var person: Person?
    /// The person's roles with all that they contain, as far as the client sees them.
    var roles: Set<RoleName>
    /// The groups that the person is a member of.
    var groups: [MemberGroup]
    var clientID: String
    /// Of pairwise subjects; see ``PairwiseSubject/sector(of:)``.
    var sector: String?
    /// The client's web origins, with `+` replaced.
    var allowedOrigins: [String]
    var acr: String?
    var amr: [String]
    var nonce: String?
    /// `sid`
    var sessionID: String?
    /// Seconds since 1970; the note `AUTH_TIME`.
    var authTime: Int64?
    /// What else is known of the session: `client_id`, `clientHost` and `clientAddress` of a
    /// service account, `identity_provider`. Nothing that a request brought.
    var notes: [String: String]
    /// The parameter `claims` (OpenID Connect Core §5.5).
    var requested: ClaimsRequest?

    /// Takes all of it: what is left out compiles nowhere.
    init(
        person: Person?,
        roles: Set<RoleName>,
        groups: [MemberGroup],
        clientID: String,
        sector: String?,
        allowedOrigins: [String],
        acr: String?,
        amr: [String],
        nonce: String?,
        sessionID: String?,
        authTime: Int64?,
        notes: [String: String],
        requested: ClaimsRequest?
    ) {
        self.person = person
        (self.roles, self.groups) = (roles, groups)
        (self.clientID, self.sector, self.allowedOrigins) = (clientID, sector, allowedOrigins)
        (self.acr, self.amr, self.nonce) = (acr, amr, nonce)
        (self.sessionID, self.authTime, self.notes) = (sessionID, authTime, notes)
        self.requested = requested
    }
}

/// A group that a person is a member of, and the groups that it is in.
struct MemberGroup: Hashable, Sendable {
    /// From the outermost to its own.
    var names: [String]
    /// The attributes of each, from its own to the outermost.
    var attributes: [[String: [String]]]

    /// A slash in a name is not marked.
    var path: String { names.map { "/" + $0 }.joined() }

    /// The values of the nearest group that has some.
    fileprivate func attribute(_ name: String) -> [String] {
        attributes.lazy.compactMap { $0[name] }.first { !$0.isEmpty } ?? []
    }
}

extension MapperInput {
    /// The values of an attribute: the person's, else those of the first group that has some; or
    /// all of them, each once.
    func attribute(_ name: String, aggregating: Bool) -> [String] {
        guard let person else { return [] }
        let own = person.values(of: name)
        guard aggregating else {
            return own.isEmpty
                ? groups.lazy.map { $0.attribute(name) }.first { !$0.isEmpty } ?? [] : own
        }
        var seen: Set<ExactText> = []
        return (own + groups.flatMap { $0.attribute(name) })
            .filter { seen.insert(ExactText($0)).inserted }
    }

    /// The first value of the person's own attribute.
    func firstAttribute(_ name: String) -> String? {
        person?.values(of: name).first
    }

    func note(_ name: String) -> String? {
        name == "AUTH_TIME" ? authTime.map(String.init) : notes[name]
    }

    /// `nil` where the person has none.
    var fullName: String? { person?.fullName }
}

extension Person {
    /// A property by its name, as text.
    func property(_ name: String) -> String? {
        switch name {
        case "id": id
        case "username": username
        case "firstName": givenName
        case "lastName": familyName
        case "displayName": displayName
        case "updatedAt": String(updatedAt)
        case "email": email
        case "emailVerified": isEmailVerified ? "true" : "false"
        case "enabled": isEnabled ? "true" : "false"
        // In milliseconds.
        case "createdTimestamp":
            createdAt.multipliedReportingOverflow(by: 1000).overflow
                ? nil : String(createdAt * 1000)
        default: nil
        }
    }

    /// The values of an attribute, some of which are properties.
    fileprivate func values(of name: String) -> [String] {
        switch name {
        case "username", "firstName", "lastName", "email":
            property(name).map { [$0] } ?? []
        case "emailVerified": attributes[name] ?? property(name).map { [$0] } ?? []
        default: attributes[name] ?? []
        }
    }
}
