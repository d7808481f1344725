import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/protocol-mappers` of clients and client scopes.
struct AdminMappers: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        ["clients/{client}", "client-scopes/{scope}"].flatMap { owner in
            let base = "\(owner)/protocol-mappers"
            return [
                AdminRow.get("\(base)/models", .viewScopes, list),
                .get("\(base)/protocol/{protocol}", .viewScopes, list),
                .post("\(base)/models", .manageClients, create),
                .post("\(base)/add-models", .manageClients, createAll),
                .get("\(base)/models/{mapper}", .viewScopes, read),
                .put("\(base)/models/{mapper}", .manageClients, update),
                .delete("\(base)/models/{mapper}", .manageClients, delete),
            ]
        }
    }

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        .list(try await mappers(call).1)
    }

    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        let mappers = try await mappers(call).1
        return .object(mappers[try Self.index(in: mappers, call)])
    }

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let mapper = try MapperFields.checked(try call.json(), call)
        try await add([mapper], call)
        return .created(path: call.path(mapper.string("id") ?? ""))
    }

    private func createAll(_ call: AdminCall) async throws -> AdminAnswer {
        guard let values = try call.json().array, values.count <= 100 else {
            throw AdminRefusal.unreadable
        }
        try await add(try values.map { try MapperFields.checked($0, call) }, call)
        return .done
    }

    private func add(_ new: [JSONObject], _ call: AdminCall) async throws {
        let (owner, mappers) = try await mappers(call)
        var all = mappers
        for mapper in new {
            guard !all.contains(where: { $0.string("name") == mapper.string("name") }) else {
                throw AdminRefusal.conflict("Protocol mapper exists with same name")
            }
            all.append(mapper)
        }
        try await keep(all, owner, call)
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let mapper = try MapperFields.checked(try call.json(), call)
        let (owner, mappers) = try await mappers(call)
        let index = try Self.index(in: mappers, call)
        var all = mappers
        all[index] = mapper
        all[index]["id"] = mappers[index]["id"]
        try await keep(all, owner, call)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        let (owner, mappers) = try await mappers(call)
        var all = mappers
        all.remove(at: try Self.index(in: mappers, call))
        try await keep(all, owner, call)
        return .done
    }

    // MARK: Owners

    private enum Owner: Sendable {
        case client(Client)
        case scope(ClientScope)
    }

    private func mappers(_ call: AdminCall) async throws -> (Owner, [JSONObject]) {
        if call.has("client") {
            try call.expect(call.rights.allows(.viewClients))
            let client = try call.client()
            return (.client(client), Self.mappers(of: client.keycloak))
        }
        let scope = try await call.scope(in: administration.store)
        return (.scope(scope), Self.mappers(of: scope.representation))
    }

    private static func mappers(of representation: JSONObject?) -> [JSONObject] {
        (representation?.array("protocolMappers") ?? []).compactMap(\.object)
    }

    private static func index(in mappers: [JSONObject], _ call: AdminCall) throws -> Int {
        let id = try call.segment("mapper")
        let index = mappers.firstIndex { $0.string("id").map { sameBytes($0, id) } ?? false }
        guard let index else { throw AdminRefusal.notFound("Model not found") }
        return index
    }

    private func keep(_ mappers: [JSONObject], _ owner: Owner, _ call: AdminCall) async throws {
        guard mappers.count <= 100 else { throw AdminRefusal.invalid("Too many mappers.") }
        let value = JSONValue.array(mappers.map(JSONValue.object))
        switch owner {
        case .client(let former):
            try await administration.expectChangeable(former, call)
            guard var kept = former.keycloak else {
                throw AdminRefusal.invalid(
                    "This client is one of Portico's: see portico client update."
                )
            }
            kept["protocolMappers"] = value
            var client = former
            client.keycloak = call.rights.bounded(kept, former: former.keycloak)
            try await administration.update(client, replacing: former)
        case .scope(var scope):
            scope.representation["protocolMappers"] = value
            try await administration.update(scope)
        }
    }
}
