import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/identity-provider/instances`: other providers, kept as an import keeps them. Nothing here signs
/// people in by one; an export gives them back.
struct AdminIdentityProviders: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        let base = "identity-provider/instances"
        return [
            .get(base, .viewIdentityProviders, list),
            .post(base, .manageIdentityProviders, create),
            .get("\(base)/{provider}", .viewIdentityProviders) { call in
                .object(try json(try await part(call)))
            },
            .put("\(base)/{provider}", .manageIdentityProviders, update),
            .delete("\(base)/{provider}", .manageIdentityProviders, delete),
            .get("\(base)/{provider}/mappers", .viewIdentityProviders) { call in
                .list(try await mappers(call).map(administration.shown))
            },
            .post("\(base)/{provider}/mappers", .manageIdentityProviders, createMapper),
            .get("\(base)/{provider}/mappers/{mapper}", .viewIdentityProviders) { call in
                .object(try administration.shown(try await mapper(call)))
            },
            .put("\(base)/{provider}/mappers/{mapper}", .manageIdentityProviders, updateMapper),
            .delete("\(base)/{provider}/mappers/{mapper}", .manageIdentityProviders) { call in
                try await administration.delete(try await mapper(call), call)
                return .done
            },
            .get("\(base)/{provider}/mapper-types", .viewIdentityProviders) { _ in .json([:]) },
            .post("identity-provider/import-config", .manageIdentityProviders) { _ in
                throw AdminRefusal.invalid("Settings of a provider are written out here.")
            },
        ]
    }

    private static let kind = IdentityProviderRepresentation.kind
    /// As many as a realm may have.
    private static let most = 100

    private var store: RealmStore { administration.store }

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        return .list(try parts.map(json))
    }

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.identityProvider)
        guard let alias = try representation.text("alias"), alias.utf8.count <= 255 else {
            throw AdminRefusal.invalid("An alias has 1 to 255 bytes.")
        }
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        guard !parts.contains(where: { sameBytes($0.id, alias) }) else {
            throw AdminRefusal.conflict("Identity Provider \(alias) already exists")
        }
        guard parts.count < Self.most else {
            throw AdminRefusal.invalid("A realm has at most \(Self.most) identity providers.")
        }
        var object = representation.object
        object["internalId"] = .string(UniqueID(random: call.moment.random).text)
        if object["enabled"] == nil { object["enabled"] = true }
        try await put(object, alias: alias, call)
        return .created(path: call.path(alias))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await part(call)
        let representation = try call.representation(.identityProvider)
        if let alias = try representation.text("alias"), !sameBytes(alias, former.id) {
            throw AdminRefusal.invalid("An identity provider keeps its alias.")
        }
        var object = representation.object
        object["alias"] = .string(former.id)
        object["internalId"] = former.document["internalId"]
        try await put(object, alias: former.id, call)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        let part = try await part(call)
        for mapper in try await mappers(of: part, call) {
            try await administration.delete(mapper, call)
        }
        try await administration.delete(part, call)
        return .done
    }

    private func part(_ call: AdminCall) async throws -> RealmPart {
        let alias = try call.segment("provider")
        let parts = try await store.parts(Self.kind, realmID: call.realmID)
        guard let part = parts.first(where: { sameBytes($0.id, alias) }) else {
            throw AdminRefusal.noSuchAddress
        }
        return part
    }

    /// Secrets are masked, also for callers who may change it: nothing here needs them.
    private func json(_ part: RealmPart) throws -> JSONObject {
        let secrets = RealmSecrets(ring: administration.ring, areShown: false)
        var json = try IdentityProviderRepresentation(part, secrets: secrets).json
        json["config"] = .object(json.object("config")?.withoutEmptyTexts ?? [:])
        if json["types"] == nil { json["types"] = [] }
        return json
    }

    // MARK: Mappers

    private static let mapperKind = IdentityProviderRepresentation.mapperKind

    private func mappers(_ call: AdminCall) async throws -> [RealmPart] {
        try await mappers(of: try await part(call), call)
    }

    private func mappers(of provider: RealmPart, _ call: AdminCall) async throws -> [RealmPart] {
        try await store.parts(Self.mapperKind, realmID: call.realmID).filter { mapper in
            mapper.document.string("identityProviderAlias").map { sameBytes($0, provider.id) }
                ?? false
        }
    }

    private func mapper(_ call: AdminCall) async throws -> RealmPart {
        let id = try call.segment("mapper")
        guard let mapper = try await mappers(call).first(where: { sameBytes($0.id, id) }) else {
            throw AdminRefusal.notFound("Model not found")
        }
        return mapper
    }

    private func createMapper(_ call: AdminCall) async throws -> AdminAnswer {
        let provider = try await part(call)
        let mappers = try await mappers(of: provider, call)
        let id = UniqueID(random: call.moment.random).text
        let new = try mapper(call, of: provider, id: id)
        guard !mappers.contains(where: { $0.document.string("name") == new.string("name") }) else {
            throw AdminRefusal.invalid(
                "Identity Provider Mapper with the same name already exists."
            )
        }
        guard mappers.count < Self.most else {
            throw AdminRefusal.invalid("A provider has at most \(Self.most) mappers.")
        }
        try await administration.put(new, of: Self.mapperKind, id: id, call)
        return .created(path: call.path(id))
    }

    private func updateMapper(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await mapper(call)
        let changed = try mapper(call, of: try await part(call), id: former.id)
        try await administration.put(changed, of: Self.mapperKind, id: former.id, call)
        return .done
    }

    /// The one in the body.
    private func mapper(_ call: AdminCall, of provider: RealmPart, id: String) throws -> JSONObject
    {
        let body = try call.representation(.identityProviderMapper)
        guard let name = try body.text("name"), PlainText.isLine(name, length: 255),
            let kind = try body.text("identityProviderMapper"), kind.utf8.count <= 255
        else { throw AdminRefusal.invalid("A mapper has a name of one line, and says what it is.") }
        return [
            "id": .string(id), "name": .string(name), "identityProviderAlias": .string(provider.id),
            "identityProviderMapper": .string(kind),
            "config": .object(try body.child("config")?.object.withoutEmptyTexts ?? [:]),
        ]
    }

    private func put(_ representation: JSONObject, alias: String, _ call: AdminCall) async throws {
        var object = representation
        if let config = object.object("config") {
            object["config"] = .object(config.withoutEmptyTexts)
        }
        try await administration.put(object, of: Self.kind, id: alias, call)
    }
}

extension AdminRight {
    static let viewIdentityProviders = AdminRight(
        "view-identity-providers",
        "manage-identity-providers"
    )
}
