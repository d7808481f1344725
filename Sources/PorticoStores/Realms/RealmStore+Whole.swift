extension RealmStore {
    /// A realm with everything in it but its people, of one moment: what ``create(_:)`` takes.
    /// `nil` where there is none of that id.
    package func whole(id: String) async throws -> NewRealm? {
        try await database.scan { reader in
            guard let realm = try reader.realm(id: id) else { return nil }
            var whole = NewRealm(
                realm: realm,
                keys: try reader.keys(realmID: id),
                clients: try reader.clients(realmID: id, after: nil, limit: .max),
                roles: try reader.roles(realmID: id)
            )
            whole.keptKeys = try reader.keptKeys(realmID: id)
            whole.scopes = try reader.scopes(realmID: id)
            whole.roleParts = try reader.roleParts(realmID: id)
            whole.roleLimits =
                try reader.limitsOfClients(realmID: id) + reader.limitsOfScopes(realmID: id)
            whole.groups = try reader.groups(realmID: id)
            whole.parts = try reader.parts(nil, realmID: id)
            return whole
        }
    }
}
