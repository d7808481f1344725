import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/client-scopes`, and which of them new clients get.
struct AdminScopes: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .get("client-scopes", .viewScopes, list),
            .post("client-scopes", .manageClients, create),
            .get("client-scopes/{scope}", .viewScopes, read),
            .put("client-scopes/{scope}", .manageClients, update),
            .delete("client-scopes/{scope}", .manageClients, delete),
        ]
            + [true, false].flatMap { isDefault in
                let base = isDefault ? "default-default" : "default-optional"
                return [
                    AdminRow.get("\(base)-client-scopes", .viewScopes) {
                        try await defaults($0, isDefault)
                    },
                    .put("\(base)-client-scopes/{scope}", .manageClients) {
                        try await setDefault($0, isDefault, true)
                    },
                    .delete("\(base)-client-scopes/{scope}", .manageClients) {
                        try await setDefault($0, isDefault, false)
                    },
                ]
            }
    }

    private var store: RealmStore { administration.store }

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        .list(
            try await store.scopes(realmID: call.realmID).map { ClientScopeRepresentation($0).json }
        )
    }

    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        .object(ClientScopeRepresentation(try await call.scope(in: store)).json)
    }

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.scope)
        guard let name = try representation.text("name") else {
            throw AdminRefusal.invalid("Client Scope name cannot be empty")
        }
        var scope = ClientScope(
            id: UniqueID(random: call.moment.random).text,
            realmID: call.realmID,
            name: name
        )
        try Self.read(representation, over: ["protocol": "openid-connect"], to: &scope, call)
        try await administration.create(scope, by: call.administrator)
        return .created(path: call.path(scope.id))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await call.scope(in: store)
        let representation = try call.representation(.scope)
        // Grants and consents name scopes by it: a later one of that name would be theirs.
        if let name = try representation.text("name"), !sameBytes(name, former.name) {
            throw AdminRefusal.invalid("A client scope keeps its name: make another one.")
        }
        var scope = former
        let json = ClientScopeRepresentation(former).json
        try Self.read(representation, over: json, to: &scope, call)
        try await administration.update(scope, replacing: former, by: call.administrator)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.delete(
            try await call.scope(in: store),
            by: call.administrator
        )
        return .done
    }

    /// Changes what is said besides id and name.
    ///
    /// - Parameter before: What it says already.
    private static func read(
        _ representation: Representation,
        over before: JSONObject,
        to scope: inout ClientScope,
        _ call: AdminCall
    ) throws {
        var json = before
        for (name, value) in representation.object {
            json[name] =
                name == "attributes" ? value.object.map { .object($0.withoutEmptyTexts) } : value
        }
        if let mappers = representation.object.array(MapperList.member) {
            let known = MapperOwner.scope(scope).representations
            json[MapperList.member] = .array(
                try mappers.map { value in
                    if let object = value.object, known.contains(object) { return value }
                    return .object(try MapperFields.registrable(value, at: call.moment).json)
                }
            )
        }
        try scope.read(Representation(.object(json), path: ""))
    }

    // MARK: What new clients get

    private func names(_ call: AdminCall, _ isDefault: Bool) -> [String] {
        let realm = call.realm.realm
        return isDefault ? realm.defaultClientScopes : realm.optionalClientScopes
    }

    private func defaults(_ call: AdminCall, _ isDefault: Bool) async throws -> AdminAnswer {
        let names = names(call, isDefault)
        return .list(
            try await store.scopes(realmID: call.realmID).filter { names.contains($0.name) }.map {
                [
                    "id": .string($0.id), "name": .string($0.name),
                    "protocol": $0.kept["protocol"] ?? "openid-connect",
                ]
            }
        )
    }

    private func setDefault(_ call: AdminCall, _ isDefault: Bool, _ isGiven: Bool) async throws
        -> AdminAnswer
    {
        let scope = try await call.scope(in: store)
        var realm = call.realm.realm
        realm.defaultClientScopes.removeAll { sameBytes($0, scope.name) && (isGiven || isDefault) }
        realm.optionalClientScopes.removeAll {
            sameBytes($0, scope.name) && (isGiven || !isDefault)
        }
        if isGiven {
            if isDefault {
                realm.defaultClientScopes.append(scope.name)
            } else {
                realm.optionalClientScopes.append(scope.name)
            }
        }
        try await administration.update(
            realm,
            replacing: call.realm.realm,
            givingNewClients: isGiven ? scope : nil,
            by: call.administrator
        )
        return .done
    }
}

extension AdminCall {
    /// The client scope that the path names by its id.
    func scope(in store: RealmStore) async throws -> ClientScope {
        let id = try segment("scope")
        guard
            let scope = try await store.scopes(realmID: realmID).first(where: {
                sameBytes($0.id, id)
            })
        else { throw AdminRefusal.notFound("Could not find client scope") }
        return scope
    }
}
