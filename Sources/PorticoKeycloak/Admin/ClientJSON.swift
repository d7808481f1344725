import PorticoAdministration
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Clients as the administration shows them (Keycloak `ClientRepresentation`).
extension RealmAdministration {
    func assignedScopes(of realm: LiveRealm) async throws -> AssignedScopes {
        AssignedScopes(realm.realm, scopes: try await store.scopes(realmID: realm.id))
    }

    /// A client as the administration shows it.
    func json(of client: Client, _ scopes: AssignedScopes, _ call: AdminCall) async throws
        -> JSONObject
    {
        let mayManage = call.rights.allows(.manageClients)
        var json = ClientRepresentation(
            client,
            in: call.realm.realm,
            scopes: scopes,
            secret: try await shownSecret(of: client, by: call.administrator)
        ).json
        // Keycloak's own clients say little of themselves.
        for (name, value) in ClientFields.defaults where json[name] == nil { json[name] = value }
        for name in ["redirectUris", "webOrigins", "defaultClientScopes", "optionalClientScopes"]
        where json[name] == nil { json[name] = [] }
        if client.administers { json.setMark(true) }
        json["access"] = [
            "view": true, "configure": .bool(mayManage), "manage": .bool(mayManage),
        ]
        return json
    }
}

extension AdminRights {
    /// The attribute of a client's representation that says whether people administer by way of it
    /// (``Client/administers``). Only the realm's administrator sets it.
    static let mark = "portico.administers"
}
