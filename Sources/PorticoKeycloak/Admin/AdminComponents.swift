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
