/// What a person may do, as the provider's claims say it.
///
/// For showing and hiding things in an app. Whether something is allowed is for the server to
/// decide that does it.
public struct Roles: Hashable, Sendable {
    /// The roles that belong to no client.
    public let names: Set<String>
    /// The roles of single clients, by `client_id`.
    public let clients: [String: Set<String>]

    /// No role at all.
    public static let none = Roles(names: [], clients: [:])

    package init(names: Set<String>, clients: [String: Set<String>]) {
        self.names = names
        self.clients = clients
    }

    /// Whether the person has the role, compared to the letter.
    public func contains(_ role: String) -> Bool {
        names.contains(role)
    }

    /// Whether the person has the role of the realm, or of one client, compared to the letter.
    ///
    /// - Parameters:
    ///   - role: The name alone, without its owner.
    ///   - owner: The realm, or a client by its `client_id`.
    public func contains(_ role: String, in owner: RoleOwner) -> Bool {
        switch owner.kind {
        case .realm: names.contains(role)
        case .client(let clientID): clients[clientID]?.contains(role) ?? false
        }
    }
}

extension Roles {
    package func union(_ other: Roles) -> Roles {
        Roles(
            names: names.union(other.names),
            clients: clients.merging(other.clients) { $0.union($1) }
        )
    }
}

/// To whom a role belongs.
public struct RoleOwner: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case realm
        case client(String)
    }

    let kind: Kind

    /// No client: the realm, or whatever the provider calls it.
    public static let realm = RoleOwner(kind: .realm)

    /// A client, by its `client_id`.
    public static func client(_ clientID: String) -> RoleOwner {
        RoleOwner(kind: .client(clientID))
    }
}

/// Where in the claims the roles are: there is no standard for it.
public struct RoleMapping: Hashable, Sendable {
    /// Claims with a list of names, each as the way down to it.
    private let lists: [[String]]
    /// A claim with an object that has `roles` for each client.
    private let clientObject: String?

    private init(lists: [[String]], clientObject: String?) {
        self.lists = lists
        self.clientObject = clientObject
    }

    /// `realm_access.roles`, `resource_access.{client}.roles` and a flat `roles`, as Keycloak and
    /// our own provider have them.
    public static let keycloak = RoleMapping(
        lists: [["realm_access", "roles"], ["roles"]],
        clientObject: "resource_access"
    )

    /// One claim with a list of names, or within objects: `.claim("groups")`,
    /// `.claim("urn:example", "roles")`.
    public static func claim(_ path: String...) -> RoleMapping {
        RoleMapping(lists: [path], clientObject: nil)
    }

    /// The roles in `claims`. What has another shape counts as none.
    package func roles(in claims: JSONObject) -> Roles {
        var names: Set<String> = []
        for path in lists {
            names.formUnion(Self.list(at: path, in: claims))
        }
        var clients: [String: Set<String>] = [:]
        if let clientObject, let object = claims.object(clientObject) {
            for member in object {
                let roles = member.value.object.map { Self.list(at: ["roles"], in: $0) } ?? []
                if !roles.isEmpty { clients[member.name] = Set(roles) }
            }
        }
        return Roles(names: names, clients: clients)
    }

    private static func list(at path: [String], in claims: JSONObject) -> [String] {
        guard let last = path.last else { return [] }
        var object = claims
        for name in path.dropLast() {
            guard let inner = object.object(name) else { return [] }
            object = inner
        }
        return object.array(last)?.compactMap(\.string) ?? []
    }
}
