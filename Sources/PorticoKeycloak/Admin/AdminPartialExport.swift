import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/partial-export`: the realm as a file, without people and with its secrets masked.
struct AdminPartialExport: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] { [.post("partial-export", .manageRealm, export)] }

    private func export(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let (withClients, withRoles) = (
            query["exportClients"] == "true", query["exportGroupsAndRoles"] == "true"
        )
        // What has rights of its own is shown to those who have them.
        try call.expect(!withClients || call.rights.allows(.viewClients))
        try call.expect(!withRoles || call.rights.allows(.viewUsers))
        guard let whole = try await administration.store.whole(id: call.realmID) else {
            throw AdminRefusal.notFound("Realm not found.")
        }
        var json = try RealmDocument(
            whole,
            secrets: RealmSecrets(ring: administration.ring, areShown: false),
            at: call.moment.seconds
        ).json
        if !withClients { json["clients"] = nil }
        if !withRoles {
            for name in ["roles", "groups", "defaultGroups"] { json[name] = nil }
        }
        if !withClients || !withRoles {
            for name in ["scopeMappings", "clientScopeMappings"] { json[name] = nil }
        }
        if !call.rights.allows(.viewIdentityProviders) {
            for name in ["identityProviders", "identityProviderMappers"] { json[name] = nil }
        }
        try await administration.noteAction(
            in: call.realm.realm,
            "exported",
            by: call.administrator
        )
        return .object(json)
    }
}
