import PorticoKeycloak
import PorticoProtocol
import PorticoStores

extension Administration {
    /// What `portico client show` shows; of a client of Keycloak's kind its mappers, and what it sees,
    /// too.
    func description(of client: Client, in realm: Realm) async throws -> Description {
        let description = client.description
        guard let kept = client.keycloak else { return description }
        let mappers = MapperOwner.client(client).mappers.compactMap { $0.string("name") }
        let isFull = kept.bool("fullScopeAllowed") ?? !client.requiresConsent
        let seen = (snapshot.roleLimits[.client(client.id)] ?? []).inOrder
        let account = try await people.serviceAccount(of: client.id, realmID: realm.id)
        let roles = (account?.roles ?? []).inOrder
        var json = description.json
        json["keycloak"] = [
            "full_scope": .bool(isFull),
            "mappers": .array(mappers.map(JSONValue.string)),
            "sees_roles": seen.json,
            "account": account.map { .string($0.person.username) } ?? .null,
            "account_roles": roles.json,
        ]
        return Description(
            json: json,
            fields: description.fields + [
                ("Full scope", yesNo(isFull)),
                ("Sees roles", joined(seen.map(\.text))),
                ("Mappers", mappers.isEmpty ? nil : mappers.joined(separator: ", ")),
                ("Own account", account?.person.username),
                ("Its roles", joined(roles.map(\.text))),
            ]
        )
    }
}
