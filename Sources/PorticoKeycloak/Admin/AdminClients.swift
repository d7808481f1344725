import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/clients`: clients, their secrets and the scopes that they have.
enum AdminClients {
    static var rows: [AdminRow] {
        [
            .get("clients", .queryClients, list),
            .post("clients", .createClients, create),
            .get("clients/{client}", .viewClients) { call in
                let scopes = try await call.assignedScopes()
                return .object(try await call.json(of: try await call.client(), scopes))
            },
            .put("clients/{client}", .manageClients, update),
            .delete("clients/{client}", .manageClients) { call in
                let client = try await call.client()
                try await call.operations.delete(client, by: call.administrator)
            },
            .get("clients/{client}/client-secret", .manageClients, secret),
            .post("clients/{client}/client-secret", .manageClients, newSecret),
            .get("clients/{client}/client-secret/rotated", .manageClients) { call in
                _ = try await call.client()
                throw AdminRefusal.notFound("Client does not have a rotated secret")
            },
            .get("clients/{client}/installation/providers/{provider}", .viewClients, adapter),
            .get("clients/{client}/evaluate-scopes/protocol-mappers", .viewClients, mappers),
        ]
            + ScopeList.rows(
                "clients/{client}/default-client-scopes",
                "clients/{client}/optional-client-scopes",
                .viewClients,
                scopes,
                setScope
            )
    }

    // MARK: Reading

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        // A caller who may only look for clients is shown none of them.
        guard call.rights.allows(.viewClients) else { return .json([]) }
        let query = try call.query()
        let page = try call.page()
        let attributes = try call.attributes(query)
        let wanted = query["clientId"]
        let isSearch = query["search"] == "true"
        let folded = wanted.map { $0.utf8.count <= 1024 ? $0.lowercased() : "" }
        let isWanted = { (client: Client) in
            guard attributes?.isMet(by: client.keptAttributes) ?? true else { return false }
            guard let wanted, let folded else { return true }
            return isSearch
                ? client.clientID.lowercased().utf8.firstRange(of: folded.utf8) != nil
                : sameBytes(client.clientID, wanted)
        }
        let listed: [Client]
        if let wanted, !isSearch {
            let client = try await call.store.client(
                .clientID(wanted),
                realmID: call.realmID
            )
            listed = [client].compactMap(\.self).filter(isWanted)
        } else {
            listed = try await call.store.clients(
                realmID: call.realmID,
                first: page.first,
                most: query["max"] == nil ? .max : page.max,
                where: isWanted
            )
        }
        let assigned = try await call.assignedScopes()
        var objects: [JSONObject] = []
        for client in listed { objects.append(try await call.json(of: client, assigned)) }
        return .list(objects)
    }

    private static func scopes(_ call: AdminCall) async throws -> ScopeList {
        ScopeList(try await call.client())
    }

    private static func secret(_ call: AdminCall) async throws -> AdminAnswer {
        let shown = try await call.operations.showSecret(
            of: try await call.client(),
            by: call.administrator
        )
        // Of one made by `portico client create`, only its hash is kept.
        guard let shown else { return .object(["type": "secret"]) }
        return .object(["type": "secret", "value": .string(shown.reveal())])
    }

    private static func newSecret(_ call: AdminCall) async throws -> AdminAnswer {
        let secret = try await call.operations.renewSecret(
            of: try await call.client(),
            by: call.administrator,
            at: call.moment
        )
        return .object(["type": "secret", "value": .string(secret.reveal())])
    }

    // MARK: Writing

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.client)
        return .created(path: call.path(try await ClientFields(call).create(representation).id))
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try await call.client()
        let representation = try call.representation(.client)
        try await ClientFields(call).change(former, representation)
    }

    private static func setScope(_ call: AdminCall, _ list: ScopeList, _ isGiven: Bool)
        async throws
    {
        let former = try await call.client()
        var client = former
        (client.defaultScopes, client.optionalScopes) = (list.defaults, list.optionals)
        try await call.operations.update(
            client,
            replacing: former,
            as: isGiven ? .clientScopeUpdated : .clientScopeDeleted,
            by: call.administrator,
            at: call.moment
        )
    }

    // MARK: What follows from a client

    /// Keycloak's own adapters read it. Its secret is there for those who are shown the client's.
    private static func adapter(_ call: AdminCall) async throws -> AdminAnswer {
        let client = try await call.client()
        guard try call.segment("provider") == "keycloak-oidc-keycloak-json" else {
            throw AdminRefusal.notFound("Unknown Provider")
        }
        let realm = call.realm
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
            if let secret = try await call.operations.shownSecret(
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
    private static func mappers(_ call: AdminCall) async throws -> AdminAnswer {
        let client = try await call.client()
        let asked = try call.query()["scope"]?.split(separator: " ").map(String.init) ?? []
        let names = client.defaultScopes + client.optionalScopes.filter(asked.contains)
        let scopes = try await call.store.scopes(realmID: call.realmID)
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

extension Client {
    /// Those of its representation, as texts.
    fileprivate var keptAttributes: [String: [String]] {
        var attributes: [String: [String]] = [:]
        for (name, value) in kept.object.object("attributes") ?? JSONObject() {
            if let text = value.string { attributes[name] = [text] }
        }
        return attributes
    }
}

extension AdminCall {
    func assignedScopes() async throws -> AssignedScopes {
        AssignedScopes(realm, scopes: try await store.scopes(realmID: realmID))
    }

    /// A client as the administration shows it (Keycloak `ClientRepresentation`).
    func json(of client: Client, _ scopes: AssignedScopes) async throws -> JSONObject {
        let mayManage = rights.allows(.manageClients)
        var json = ClientRepresentation(
            client,
            in: realm,
            scopes: scopes,
            secret: try await operations.shownSecret(of: client, by: administrator)
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
