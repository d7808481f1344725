extension RealmStore {
    /// A realm with everything in it but its people, of one moment: what ``create(_:)`` takes.
    /// `nil` where there is none of that id.
    package func whole(id: String) async throws -> NewRealm? {
        try await database.scan { reader in
            guard let realm = try reader.allRealms().first(where: { $0.id == id }) else {
                return nil
            }
            var whole = NewRealm(
                realm: realm,
                keys: try reader.allKeys().filter { $0.realmID == id },
                clients: try reader.allClients().filter { $0.realmID == id },
                roles: try reader.roles(realmID: id)
            )
            whole.keptKeys = try reader.allKeptKeys().filter { $0.realmID == id }
            whole.scopes = try reader.allScopes().filter { $0.realmID == id }
            whole.roleParts = try reader.roleParts(realmID: id)
            let owners = Set(
                whole.clients.map { RoleLimit.Owner.client($0.id) }
                    + whole.scopes.map { RoleLimit.Owner.scope($0.id) }
            )
            for (owner, roles) in try reader.allRoleLimits() where owners.contains(owner) {
                whole.roleLimits += roles.map { RoleLimit(owner: owner, role: $0) }
            }
            whole.groups = try reader.allGroups().filter { $0.group.realmID == id }
            whole.parts = try reader.parts(nil, realmID: id)
            return whole
        }
    }
}
