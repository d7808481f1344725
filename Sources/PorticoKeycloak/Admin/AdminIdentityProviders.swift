import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/identity-provider/instances`: other providers, kept as an import keeps them. Nothing here signs
/// people in by one; an export gives them back.
enum AdminIdentityProviders {
    static var rows: [AdminRow] {
        let base = "identity-provider/instances"
        let one = "\(base)/{provider}"
        let mapper = "\(one)/mappers/{mapper}"
        return [
            .get(base, .viewIdentityProviders) { call in
                .list(try await call.parts(kind).map { try json($0, call) })
            },
            .post(base, .manageIdentityProviders, create),
            .get(one, .viewIdentityProviders) { .object(try json(try await part($0), $0)) },
            .put(one, .manageIdentityProviders, update),
            .delete(one, .manageIdentityProviders, delete),
            .get("\(one)/mappers", .viewIdentityProviders) { call in
                .list(try await mappers(of: try await part(call), call).map(call.shown))
            },
            .post("\(one)/mappers", .manageIdentityProviders, createMapper),
            .get(mapper, .viewIdentityProviders) {
                .object(try $0.shown(try await self.mapper($0)))
            },
            .put(mapper, .manageIdentityProviders, updateMapper),
            .delete(mapper, .manageIdentityProviders) {
                try await $0.delete(try await self.mapper($0))
            },
            .get("\(one)/mapper-types", .viewIdentityProviders) { _ in .json([:]) },
            .refusing(
                .post,
                "identity-provider/import-config",
                .manageIdentityProviders,
                .invalid("Settings of a provider are written out here.")
            ),
        ]
    }

    private static let kind = IdentityProviderRepresentation.kind
    /// As many as a realm may have.
    private static let most = 100

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.identityProvider)
        guard let alias = try representation.text("alias"), alias.utf8.count <= 255 else {
            throw AdminRefusal.invalid("An alias has 1 to 255 bytes.")
        }
        let parts = try await call.parts(kind)
        guard !parts.contains(where: { sameBytes($0.id, alias) }) else {
            throw AdminRefusal.conflict("Identity Provider \(alias) already exists")
        }
        guard parts.count < most else {
            throw AdminRefusal.invalid("A realm has at most \(most) identity providers.")
        }
        var object = representation.object
        object["internalId"] = .string(call.newID())
        if object["enabled"] == nil { object["enabled"] = true }
        try await put(object, alias: alias, call)
        return .created(path: call.path(alias))
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try await part(call)
        let representation = try call.representation(.identityProvider)
        if let alias = try representation.text("alias"), !sameBytes(alias, former.id) {
            throw AdminRefusal.invalid("An identity provider keeps its alias.")
        }
        var object = representation.object
        object["alias"] = .string(former.id)
        object["internalId"] = former.document["internalId"]
        try await put(object, alias: former.id, call)
    }

    private static func delete(_ call: AdminCall) async throws {
        let part = try await part(call)
        for mapper in try await mappers(of: part, call) {
            try await call.delete(mapper)
        }
        try await call.delete(part)
    }

    private static func part(_ call: AdminCall) async throws -> RealmPart {
        try await call.part(kind, id: try call.segment("provider"), or: .noSuchAddress)
    }

    /// Secrets are masked, also for callers who may change it: nothing here needs them.
    private static func json(_ part: RealmPart, _ call: AdminCall) throws -> JSONObject {
        let secrets = RealmSecrets(ring: call.operations.ring, areShown: false)
        var json = try IdentityProviderRepresentation(part, secrets: secrets).json
        json["config"] = .object(json.object("config")?.withoutEmptyTexts ?? [:])
        if json["types"] == nil { json["types"] = [] }
        return json
    }

    // MARK: Mappers

    private static let mapperKind = IdentityProviderRepresentation.mapperKind

    private static func mappers(of provider: RealmPart, _ call: AdminCall) async throws
        -> [RealmPart]
    {
        try await call.parts(mapperKind).filter { mapper in
            mapper.document.string("identityProviderAlias").map { sameBytes($0, provider.id) }
                ?? false
        }
    }

    private static func mapper(_ call: AdminCall) async throws -> RealmPart {
        let id = try call.segment("mapper")
        let mappers = try await mappers(of: try await part(call), call)
        guard let mapper = mappers.first(where: { sameBytes($0.id, id) }) else {
            throw AdminRefusal.notFound("Model not found")
        }
        return mapper
    }

    private static func createMapper(_ call: AdminCall) async throws -> AdminAnswer {
        let provider = try await part(call)
        let mappers = try await mappers(of: provider, call)
        let id = call.newID()
        let new = try mapper(call, of: provider, id: id)
        guard !mappers.contains(where: { $0.document.string("name") == new.string("name") }) else {
            throw AdminRefusal.invalid(
                "Identity Provider Mapper with the same name already exists."
            )
        }
        guard mappers.count < most else {
            throw AdminRefusal.invalid("A provider has at most \(most) mappers.")
        }
        try await call.put(new, of: mapperKind, id: id)
        return .created(path: call.path(id))
    }

    private static func updateMapper(_ call: AdminCall) async throws {
        let former = try await mapper(call)
        let changed = try mapper(call, of: try await part(call), id: former.id)
        try await call.put(changed, of: mapperKind, id: former.id)
    }

    /// The one in the body.
    private static func mapper(_ call: AdminCall, of provider: RealmPart, id: String) throws
        -> JSONObject
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

    private static func put(_ representation: JSONObject, alias: String, _ call: AdminCall)
        async throws
    {
        var object = representation
        if let config = object.object("config") {
            object["config"] = .object(config.withoutEmptyTexts)
        }
        try await call.put(object, of: kind, id: alias)
    }
}

extension AdminRight {
    static let viewIdentityProviders = AdminRight(
        "view-identity-providers",
        "manage-identity-providers"
    )
}
