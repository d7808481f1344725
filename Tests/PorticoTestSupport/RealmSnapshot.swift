package import PorticoStores

/// Everything in all realms but people, for tests.
package struct RealmSnapshot: Sendable {
    /// Of the last change.
    package var version: Int64
    package var realms: [Realm]
    package var clients: [Client] = []
    package var keys: [SigningKeyRecord] = []
    package var keptKeys: [KeptKey] = []
    package var scopes: [ClientScope] = []
    package var roleLimits: [RoleLimit.Owner: Set<RoleName>] = [:]
    /// By the realm's id.
    package var graphs: [String: RoleGraph] = [:]
}

extension RealmStore {
    package func snapshot() async throws -> RealmSnapshot {
        var snapshot = RealmSnapshot(version: try await lastChange(), realms: try await realms())
        for realm in snapshot.realms {
            guard let whole = try await whole(id: realm.id) else { continue }
            snapshot.clients += whole.clients
            snapshot.keys += whole.keys
            snapshot.keptKeys += whole.keptKeys
            snapshot.scopes += whole.scopes
            for limit in whole.roleLimits {
                snapshot.roleLimits[limit.owner, default: []].insert(limit.role)
            }
            snapshot.graphs[realm.id] = RoleGraph(parts: whole.roleParts, groups: whole.groups)
        }
        return snapshot
    }

    package func version() async throws -> Int64 { try await lastChange() }
}
