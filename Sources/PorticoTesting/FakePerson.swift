import PorticoBytes
public import PorticoProtocol

/// A person with an account at a ``FakeProvider`` or a ``FakeBackend``.
public struct FakePerson: Hashable, Sendable {
    /// `sub`; at a backend, the id of the account.
    public var subject: String
    /// The full name.
    public var name: String?
    /// The email address.
    public var email: String?
    /// Whether the address is verified.
    public var isEmailVerified = true
    /// Roles that do not belong to a client.
    public var roles: Set<String>
    /// Roles of individual clients, by `client_id`.
    public var clientRoles: [String: Set<String>]
    /// Further claims, which replace those made from the other properties.
    public var claims: JSONObject

    /// - Parameters:
    ///   - subject: Different for each person.
    ///   - name: The full name.
    ///   - email: A verified address.
    ///   - roles: Roles that do not belong to a client.
    ///   - clientRoles: Roles by `client_id`.
    ///   - claims: Further claims.
    public init(
        _ subject: String,
        name: String? = nil,
        email: String? = nil,
        roles: Set<String> = [],
        clientRoles: [String: Set<String>] = [:],
        claims: JSONObject = [:]
    ) {
        self.subject = subject
        self.name = name
        self.email = email
        self.roles = roles
        self.clientRoles = clientRoles
        self.claims = claims
    }

    /// Ann Arnold, ann@example.com.
    public static func ann(roles: Set<String> = []) -> FakePerson {
        FakePerson("person-1", name: "Ann Arnold", email: "ann@example.com", roles: roles)
    }

    /// Bob Brown, bob@example.com.
    public static func bob(roles: Set<String> = []) -> FakePerson {
        FakePerson("person-2", name: "Bob Brown", email: "bob@example.com", roles: roles)
    }
}

extension FakePerson {
    /// The claims that a client with this scope gets (OpenID Connect Core §5.4). Roles are where
    /// ``RoleMapping/keycloak`` looks for them.
    func claims(for scope: [Substring]) -> JSONObject {
        var all: JSONObject = ["sub": .string(subject)]
        if scope.contains("profile"), let name { all["name"] = .string(name) }
        if scope.contains("email"), let email {
            all["email"] = .string(email)
            all["email_verified"] = .bool(isEmailVerified)
        }
        if !roles.isEmpty { all["realm_access"] = Self.list(roles) }
        if !clientRoles.isEmpty {
            var clients = JSONObject()
            for (client, roles) in clientRoles { clients[client] = Self.list(roles) }
            all["resource_access"] = .object(clients)
        }
        for (name, value) in claims { all[name] = value }
        return all
    }

    private static func list(_ roles: Set<String>) -> JSONValue {
        ["roles": .array(roles.sorted().map(JSONValue.string))]
    }

    /// Of a sign-in by internet handle: the claim `did`, or one that is made up.
    var did: String { claims.string("did") ?? "did:example:\(subject)" }

    /// The claim `handle`, or one that is made up.
    var handle: String { claims.string("handle") ?? "\(subject).example.com" }

    /// Whether a `login_hint` means this person.
    func isMeant(by hint: String) -> Bool {
        [subject, email, claims.string("preferred_username")]
            .contains { $0.map { sameBytes($0, hint) } ?? false }
    }

    /// The person as a backend shows them to an app.
    var backendUser: JSONObject {
        var user: JSONObject = [
            "id": .string(subject), "email_verified": .bool(isEmailVerified && email != nil),
            "providers": [],
        ]
        if let name { user["name"] = .string(name) }
        if let email { user["email"] = .string(email) }
        for (name, value) in claims { user[name] = value }
        return user
    }
}
