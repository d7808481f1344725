import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The roles, groups and clients that addresses and bodies name.
extension AdminCall {
    /// The client that a part of the path names by its id.
    func client(_ segment: String = "client") async throws -> Client {
        guard let client = try await realm.client(uuid: try self.segment(segment)) else {
            throw AdminRefusal.notFound("Could not find client")
        }
        return client
    }

    func group(_ segment: String = "group", or text: String = "Could not find group by id") throws
        -> Group
    {
        guard let group = realm.graph.group(try self.segment(segment)) else {
            throw AdminRefusal.notFound(text)
        }
        return group.group
    }

    /// Whose roles the address is about; `nil`: the realm's.
    func roleOwner() async throws -> Client? {
        has("client") ? try await client() : nil
    }

    /// The role that the path names, by its id or by its name.
    func role(in store: RealmStore) async throws -> Role {
        let roles = try await store.roles(realmID: realmID)
        let role: Role?
        if has("id") {
            let id = try segment("id")
            role = roles.first { sameBytes($0.id, id) }
        } else {
            let owner = try await roleOwner()
            let name = try segment("role")
            role = roles.first { $0.belongs(to: owner) && sameBytes($0.name, name) }
        }
        guard let role else { throw AdminRefusal.notFound("Could not find role") }
        return role
    }

    /// The roles in the body, by id, or by name where the address says whose.
    func namedRoles(in store: RealmStore, of owner: Client?? = nil) async throws -> [RoleName] {
        let roles = try await store.roles(realmID: realmID)
        return try representations().map { named in
            let id = try named.text("id")
            let name = try named.text("name")
            let role = roles.first { role in
                guard owner.map({ role.belongs(to: $0) }) ?? true else { return false }
                if let id { return sameBytes(id, role.id) }
                return role.belongs(to: owner ?? nil)
                    && (name.map { sameBytes($0, role.name) } ?? false)
            }
            guard let role else { throw AdminRefusal.notFound("Role not found") }
            return role.roleName
        }
    }

    /// - Parameter isBrief: Without attributes, which are for those who may view the realm, or the
    ///   clients, where it is a role of one.
    func json(of role: Role, isBrief: Bool = true) async throws -> JSONObject {
        let owner = try await owner(of: role)?.id
        var json = RoleRepresentation(
            role,
            parts: realm.graph.parts(of: role.roleName),
            containerID: owner ?? containerID
        ).json
        // Answers name what a role contains under an address of its own.
        json["composites"] = nil
        let mayView =
            rights.allows(.viewRealm) || role.clientID != nil && rights.allows(.viewClients)
        if isBrief || !mayView { json["attributes"] = nil }
        return json
    }

    func json(of roles: [Role], isBrief: Bool = true) async throws -> [JSONObject] {
        var objects: [JSONObject] = []
        for role in roles { objects.append(try await json(of: role, isBrief: isBrief)) }
        return objects
    }

    private func owner(of role: Role) async throws -> Client? {
        guard let clientID = role.clientID else { return nil }
        return try await realm.client(named: clientID)
    }
}

extension LiveRealm {
    /// The client of that `client_id`, enabled or not.
    func client(named clientID: String) async throws -> Client? {
        if let enabled = try await client(clientID: clientID) { return enabled }
        return try await disabledClient(clientID: clientID)
    }
}

extension Representation {
    /// The roles that a person of a file has.
    func roles() throws -> [RoleName] {
        try roles("realmRoles", "clientRoles")
    }
}
