/// A person's roles, from the provider's claims.
///
/// Use them only to show and hide things in an app. The server must decide what is allowed.
public struct Roles: Hashable, Sendable {
    /// The roles that do not belong to a client.
    public let names: Set<String>
    /// The roles of individual clients, by `client_id`.
    public let clients: [String: Set<String>]

    /// No roles.
    public static let none = Roles(names: [], clients: [:])

    /// Roles for an app's own previews and tests.
    ///
    /// - Parameters:
    ///   - names: The roles that do not belong to a client.
    ///   - clients: The roles of individual clients, by `client_id`.
    public init(names: Set<String>, clients: [String: Set<String>] = [:]) {
        self.names = names
        self.clients = clients
    }

    /// Whether the person has the role; the name must match exactly.
    public func contains(_ role: String) -> Bool {
        names.contains(role)
    }

    /// Whether the person has the role of the realm or of one client; the names must match exactly.
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

/// The owner of a role.
public struct RoleOwner: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case realm
        case client(String)
    }

    let kind: Kind

    /// The realm, or whatever the provider calls it, rather than a client.
    public static let realm = RoleOwner(kind: .realm)

    /// A client, by its `client_id`.
    public static func client(_ clientID: String) -> RoleOwner {
        RoleOwner(kind: .client(clientID))
    }
}

/// Where to find roles among the claims: no standard defines it.
public struct RoleMapping: Hashable, Sendable {
    /// Claims with a list of names, each as a path.
    private let lists: [[String]]
    /// A claim with an object that holds `roles` for each client.
    private let clientObject: String?

    private init(lists: [[String]], clientObject: String?) {
        self.lists = lists
        self.clientObject = clientObject
    }

    /// `realm_access.roles`, `resource_access.{client}.roles` and a flat `roles`, as Keycloak and
    /// Portico's provider write them.
    public static let keycloak = RoleMapping(
        lists: [["realm_access", "roles"], ["roles"]],
        clientObject: "resource_access"
    )

    /// One claim with a list of names, possibly inside objects: `.claim("groups")`,
    /// `.claim("urn:example", "roles")`.
    public static func claim(_ path: String...) -> RoleMapping {
        RoleMapping(lists: [path], clientObject: nil)
    }

    /// The roles in `claims`. Values of another form are ignored.
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
