import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/clients`: clients, their secrets and the scopes that they have.
struct AdminClients: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .get("clients", .queryClients, list),
            .post("clients", .createClients, create),
            .get("clients/{client}", .viewClients, read),
            .put("clients/{client}", .manageClients, update),
            .delete("clients/{client}", .manageClients, delete),
            .get("clients/{client}/client-secret", .manageClients, secret),
            .post("clients/{client}/client-secret", .manageClients, newSecret),
            .get("clients/{client}/client-secret/rotated", .manageClients, rotatedSecret),
        ]
            + [true, false].flatMap { isDefault in
                let name = isDefault ? "default" : "optional"
                return [
                    AdminRow.get("clients/{client}/\(name)-client-scopes", .viewClients) {
                        try await scopes($0, isDefault)
                    },
                    .put("clients/{client}/\(name)-client-scopes/{scope}", .manageClients) {
                        try await set($0, isDefault, true)
                    },
                    .delete("clients/{client}/\(name)-client-scopes/{scope}", .manageClients) {
                        try await set($0, isDefault, false)
                    },
                ]
            }
    }

    // MARK: Reading

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        // A caller who may only look for clients is shown none of them.
        guard call.rights.allows(.viewClients) else { return .json([]) }
        let query = try call.query()
        let page = try call.page(query)
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
            let client = try await administration.store.client(
                .clientID(wanted),
                realmID: call.realmID
            )
            listed = [client].compactMap(\.self).filter(isWanted)
        } else {
            listed = try await administration.store.clients(
                realmID: call.realmID,
                first: page.first,
                most: query["max"] == nil ? .max : page.max,
                where: isWanted
            )
        }
        let assigned = try await administration.assignedScopes(of: call.realm)
        var objects: [JSONObject] = []
        for client in listed {
            objects.append(try await administration.json(of: client, assigned, call))
        }
        return .list(objects)
    }

    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        let assigned = try await administration.assignedScopes(of: call.realm)
        return .object(try await administration.json(of: try await call.client(), assigned, call))
    }

    private func scopes(_ call: AdminCall, _ isDefault: Bool) async throws -> AdminAnswer {
        let client = try await call.client()
        let names = isDefault ? client.defaultScopes : client.optionalScopes
        let scopes = try await administration.store.scopes(realmID: call.realmID)
        return .list(
            scopes.filter { names.contains($0.name) }.map {
                ["id": .string($0.id), "name": .string($0.name)]
            }
        )
    }

    private func secret(_ call: AdminCall) async throws -> AdminAnswer {
        let shown = try await administration.showSecret(
            of: try await call.client(),
            by: call.administrator
        )
        // Of one made by `portico client create`, only its hash is kept.
        guard let shown else { return .object(["type": "secret"]) }
        return .object(["type": "secret", "value": .string(shown.reveal())])
    }

    private func newSecret(_ call: AdminCall) async throws -> AdminAnswer {
        let secret = try await administration.renewSecret(
            of: try await call.client(),
            by: call.administrator,
            at: call.moment
        )
        return .object(["type": "secret", "value": .string(secret.reveal())])
    }

    private func rotatedSecret(_ call: AdminCall) async throws -> AdminAnswer {
        _ = try await call.client()
        throw AdminRefusal.notFound("Client does not have a rotated secret")
    }

    // MARK: Writing

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let fields = try await ClientFields(call, administration)
        let client = try fields.new(try call.representation(.client))
        try await administration.create(
            client,
            giving: client.saidDefaultRoles(in: call.realm.realm) ?? [],
            by: call.administrator,
            at: call.moment
        )
        return .created(path: call.path(client.id))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await call.client()
        try await administration.expectChangeable(former, by: call.administrator)
        let fields = try await ClientFields(call, administration)
        let client = try await fields.changed(former, try call.representation(.client))
        try await administration.update(
            client,
            replacing: former,
            giving: client.saidDefaultRoles(in: call.realm.realm),
            by: call.administrator,
            at: call.moment
        )
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.delete(try await call.client(), by: call.administrator)
        return .done
    }

    /// Gives a client a scope, or takes it.
    private func set(_ call: AdminCall, _ isDefault: Bool, _ isGiven: Bool) async throws
        -> AdminAnswer
    {
        let former = try await call.client()
        let scope = try await call.scope(in: administration.store)
        var client = former
        client.defaultScopes.removeAll { sameBytes($0, scope.name) && (isGiven || isDefault) }
        client.optionalScopes.removeAll { sameBytes($0, scope.name) && (isGiven || !isDefault) }
        if isGiven {
            // What needs consent must be asked for (OpenID Connect Core §11).
            if isDefault, scope.name != "offline_access" {
                client.defaultScopes.append(scope.name)
            } else {
                client.optionalScopes.append(scope.name)
            }
        }
        try await administration.update(
            client,
            replacing: former,
            as: isGiven ? .clientScopeUpdated : .clientScopeDeleted,
            by: call.administrator,
            at: call.moment
        )
        return .done
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
