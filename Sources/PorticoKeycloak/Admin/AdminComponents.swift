import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `…/components`: the realm's keys, which act, and what else there is of that kind, kept as data
/// (Keycloak `ComponentRepresentation`).
enum AdminComponents {
    static var rows: [AdminRow] {
        [
            .get("components", .viewRealm, list),
            .get("components/{component}", .viewRealm) { call in .object(try await one(call)) },
            .post("components", .manageRealm, create),
            .put("components/{component}", .manageRealm, update),
            .delete("components/{component}", .manageRealm, delete),
        ]
    }

    /// As many as a realm may have.
    private static let most = 200

    // MARK: Reading

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        return .list(
            try await all(call).filter { component in
                [("type", "providerType"), ("name", "name"), ("parent", "parentId")].allSatisfy {
                    name,
                    member in
                    guard let wanted = query[name] else { return true }
                    return component.string(member).map { sameBytes($0, wanted) } ?? false
                }
            }
        )
    }

    private static func all(_ call: AdminCall) async throws -> [JSONObject] {
        guard let whole = try await call.store.whole(id: call.realmID) else {
            throw AdminRefusal.notFound("Realm not found.")
        }
        let byType = try RealmDocument.components(
            whole,
            RealmSecrets(ring: call.operations.ring, areShown: false),
            at: call.moment.seconds
        )
        return byType.flatMap { type, components in
            (components.array ?? []).compactMap(\.object).map { component in
                var json = component
                json["subComponents"] = nil
                json["providerType"] = .string(type)
                if json["parentId"] == nil { json["parentId"] = .string(call.containerID) }
                if json["config"] == nil { json["config"] = [:] }
                return json
            }
        }
    }

    private static func one(_ call: AdminCall) async throws -> JSONObject {
        let id = try call.segment("component")
        let component = try await all(call).first {
            $0.string("id").map { sameBytes($0, id) } ?? false
        }
        guard let component else { throw AdminRefusal.notFound("Could not find component") }
        return component
    }

    // MARK: Writing

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        let body = try call.representation(.component)
        let id = call.newID()
        if try body.text("providerType") == PartImport.keyComponents {
            try await makeKey(body, id: id, call)
            return .created(path: call.path(id))
        }
        let new = try document(body, id: id)
        let kept = try await call.parts(PartImport.components)
        guard kept.count < most else {
            throw AdminRefusal.invalid("A realm has at most \(most) components.")
        }
        try await call.put(new, of: PartImport.components, id: id)
        return .created(path: call.path(id))
    }

    private static func update(_ call: AdminCall) async throws {
        let former = try await part(call)
        let body = try call.representation(.component)
        var object = try RealmSecrets(ring: call.operations.ring, areShown: true).whole(former)
        for (name, value) in body.object where name != "id" { object[name] = value }
        let changed = try document(Representation(.object(object), path: ""), id: former.id)
        try await call.put(changed, of: PartImport.components, id: former.id)
    }

    private static func delete(_ call: AdminCall) async throws {
        try await call.delete(try await part(call))
    }

    /// One that is kept as data.
    private static func part(_ call: AdminCall) async throws -> RealmPart {
        let component = try await one(call)
        guard component.string("providerType") != PartImport.keyComponents else {
            throw keysAreMade
        }
        let parts = try await call.parts(PartImport.components)
        let id = component.string("id") ?? ""
        // A file may spell it otherwise than it is kept.
        guard let part = parts.first(where: { sameBytes($0.document.string("id") ?? $0.id, id) })
        else {
            throw AdminRefusal.notFound("Could not find component")
        }
        return part
    }

    private static let keysAreMade = AdminRefusal.invalid(
        "Keys are replaced and retired by commands: see portico keys --help."
    )

    /// The first key of an algorithm: it signs where a client asks for that, once it is known everywhere.
    private static func makeKey(_ body: Representation, id: String, _ call: AdminCall) async throws
    {
        let component = try KeyComponent(body)
        guard let algorithm = component.signatureAlgorithm,
            try body.text("providerId")?.hasSuffix("-generated") ?? false,
            component.isActive,
            !(try call.served.publishedKeys(at: call.moment.seconds))
                .contains(where: { $0.jwk.string("alg") == algorithm.rawValue })
        else { throw keysAreMade }
        let rotation = KeyRotation(
            maker: SigningKeyMaker(ring: call.operations.ring),
            realm: call.realm,
            clients: []
        )
        var made = try rotation(algorithm, of: [], at: call.moment).adding
        for index in made.indices {
            var document = component.withoutSecrets
            document["id"] = .string(id)
            document["providerType"] = nil
            document["parentId"] = nil
            document["subComponents"] = [:]
            made[index].component = document
            made[index].priority = component.priority
        }
        try await call.operations.rotate(
            keysOf: call.realm,
            adding: made,
            by: call.administrator
        )
    }

    private static func document(_ body: Representation, id: String) throws -> JSONObject {
        guard let type = try body.text("providerType"), let kind = try body.text("providerId"),
            [type, kind].allSatisfy({ PlainText.isLine($0, length: 255) })
        else { throw AdminRefusal.invalid("A component names its providerType and providerId.") }
        guard type != PartImport.keyComponents else { throw keysAreMade }
        if let name = try body.text("name"), !PlainText.isLine(name, length: 255) {
            throw AdminRefusal.invalid("A component has a name of one line.")
        }
        var document = body.object
        document["id"] = .string(id)
        document["parentId"] = nil
        var config = JSONObject()
        for (name, values) in try body.lists("config") {
            let values = values.filter { !$0.isEmpty }
            if !values.isEmpty { config[name] = .texts(values) }
        }
        document["config"] = .object(config)
        return document
    }
}

/// `…/identity-provider/instances`: identity providers, kept as an import keeps them. People sign in with those
/// that ``FileProvider`` can read; an export gives all of them back.
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
        guard !Self.movesMaskedSecret(object, from: former.document) else {
            throw AdminRefusal.invalid(
                "With another issuer, address, client or kind its secret has to be sent again."
            )
        }
        object["alias"] = .string(former.id)
        object["internalId"] = former.document["internalId"]
        try await put(object, alias: former.id, call)
    }

    /// Whether a secret that the caller was not shown would go to someone else than before.
    private static func movesMaskedSecret(_ new: JSONObject, from former: JSONObject) -> Bool {
        let (config, before) = (new.object("config") ?? [:], former.object("config") ?? [:])
        guard config.string("clientSecret").map(RealmSecrets.isMask) == true else { return false }
        let names = [
            "issuer", "tokenUrl", "authorizationUrl", "jwksUrl", "userInfoUrl", "clientId",
        ]
        return names.contains { config.string($0) ?? "" != before.string($0) ?? "" }
            || new.string("providerId") != former.string("providerId")
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
