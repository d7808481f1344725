import PorticoAdministration
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
        let mapper = try MapperFields.registrable(try call.json(), at: call.moment).json
        try await add([mapper], call)
        return .created(path: call.path(mapper.string("id") ?? ""))
    }

    private func createAll(_ call: AdminCall) async throws -> AdminAnswer {
        guard let values = try call.json().array, values.count <= 100 else {
            throw AdminRefusal.unreadable
        }
        try await add(
            try values.map { try MapperFields.registrable($0, at: call.moment).json },
            call
        )
        return .done
    }

    private func add(_ new: [JSONObject], _ call: AdminCall) async throws {
        func add(_ call: AdminCall) async throws {
            let (owner, mappers) = try await mappers(call)
            try await keep(
                try MapperOwner.adding(new, to: mappers),
                owner,
                .mapperCreated,
                call
            )
        }
        do {
            try await add(call)
        } catch is ChangedMeanwhile {
            // Two that are added at once both stay.
            try await call.access.realms.refresh()
            try await add(call.again)
        }
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let mapper = try MapperFields.registrable(try call.json(), at: call.moment).json
        let (owner, mappers) = try await mappers(call)
        let index = try Self.index(in: mappers, call)
        var all = mappers
        all[index] = mapper
        all[index]["id"] = mappers[index]["id"]
        try await keep(all, owner, .mapperUpdated, call)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        let (owner, mappers) = try await mappers(call)
        var all = mappers
        all.remove(at: try Self.index(in: mappers, call))
        try await keep(all, owner, .mapperDeleted, call)
        return .done
    }

    // MARK: Owners

    private func mappers(_ call: AdminCall) async throws -> (MapperOwner, [JSONObject]) {
        let owner: MapperOwner
        if call.has("client") {
            try call.expect(call.rights.allows(.viewClients))
            owner = .client(try await call.client())
        } else {
            owner = .scope(try await call.scope(in: administration.store))
        }
        return (owner, owner.representations)
    }

    private static func index(in mappers: [JSONObject], _ call: AdminCall) throws -> Int {
        let id = try call.segment("mapper")
        let index = mappers.firstIndex { $0.string("id").map { sameBytes($0, id) } ?? false }
        guard let index else { throw AdminRefusal.notFound("Model not found") }
        return index
    }

    private func keep(
        _ mappers: [JSONObject],
        _ owner: MapperOwner,
        _ kind: Event.Kind,
        _ call: AdminCall
    ) async throws {
        try await administration.update(
            try owner.with(mappers),
            replacing: owner,
            as: kind,
            by: call.administrator,
            at: call.moment
        )
    }
}
