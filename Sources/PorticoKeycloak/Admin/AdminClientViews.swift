import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// What follows from a client: the file that its adapter reads, and the mappers that its tokens meet.
struct AdminClientViews: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .get("clients/{client}/installation/providers/{provider}", .viewClients, adapter),
            .get("clients/{client}/evaluate-scopes/protocol-mappers", .viewClients, mappers),
        ]
    }

    /// Keycloak's own adapters read it. Its secret is there for those who are shown the client's.
    private func adapter(_ call: AdminCall) async throws -> AdminAnswer {
        let client = try await call.client()
        guard try call.segment("provider") == "keycloak-oidc-keycloak-json" else {
            throw AdminRefusal.notFound("Unknown Provider")
        }
        let realm = call.realm.realm
        let path = "/realms/\(realm.name)"
        let base = realm.issuer.hasSuffix(path) ? realm.issuer.dropLast(path.utf8.count) : ""
        var json: JSONObject = [
            "realm": .string(realm.name), "auth-server-url": .string(base + "/"),
            "ssl-required": realm.kept["sslRequired"] ?? "external",
            "resource": .string(client.clientID),
        ]
        if client.kept.object.bool("bearerOnly") == true { json["bearer-only"] = true }
        if client.type == .public {
            json["public-client"] = true
        } else {
            json["verify-token-audience"] = true
            if let secret = try await administration.shownSecret(
                of: client,
                by: call.administrator
            ) {
                json["credentials"] = ["secret": .string(secret.reveal())]
            }
        }
        json["use-resource-role-mappings"] = true
        json["confidential-port"] = 0
        return .object(json)
    }

    /// Of the client and of the scopes that it gets, or asks for.
    private func mappers(_ call: AdminCall) async throws -> AdminAnswer {
        let client = try await call.client()
        let asked = try call.query()["scope"]?.split(separator: " ").map(String.init) ?? []
        let names = client.defaultScopes + client.optionalScopes.filter(asked.contains)
        let scopes = try await administration.store.scopes(realmID: call.realmID)
            .filter { names.contains($0.name) }
        let ofScopes = scopes.flatMap { scope in
            Self.shown(.scope(scope), id: scope.id, name: scope.name, "client-scope")
        }
        return .list(
            Self.shown(.client(client), id: client.id, name: client.clientID, "client") + ofScopes
        )
    }

    private static func shown(_ owner: MapperOwner, id: String, name: String, _ kind: String)
        -> [JSONObject]
    {
        owner.representations.map { mapper in
            [
                "mapperId": mapper["id"] ?? "", "mapperName": mapper["name"] ?? "",
                "containerId": .string(id), "containerName": .string(name),
                "containerType": .string(kind), "protocolMapper": mapper["protocolMapper"] ?? "",
            ]
        }
    }
}
