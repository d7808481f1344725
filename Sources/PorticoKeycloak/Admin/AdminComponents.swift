import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `…/components`: the realm's keys, which act, and what else there is of that kind, kept as data
/// (Keycloak `ComponentRepresentation`).
struct AdminComponents: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
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

    private var store: RealmStore { administration.store }

    // MARK: Reading

    private func list(_ call: AdminCall) async throws -> AdminAnswer {
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

    private func all(_ call: AdminCall) async throws -> [JSONObject] {
        guard let whole = try await store.whole(id: call.realmID) else {
            throw AdminRefusal.notFound("Realm not found.")
        }
        let byType = try RealmDocument.components(
            whole,
            RealmSecrets(ring: administration.ring, areShown: false),
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

    private func one(_ call: AdminCall) async throws -> JSONObject {
        let id = try call.segment("component")
        let component = try await all(call).first {
            $0.string("id").map { sameBytes($0, id) } ?? false
        }
        guard let component else { throw AdminRefusal.notFound("Could not find component") }
        return component
    }

    // MARK: Writing

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        let body = try call.representation(.component)
        let id = UniqueID(random: call.moment.random).text
        if try body.text("providerType") == PartImport.keyComponents {
            try await makeKey(body, id: id, call)
            return .created(path: call.path(id))
        }
        let new = try document(body, id: id)
        let kept = try await store.parts(PartImport.components, realmID: call.realmID)
        guard kept.count < Self.most else {
            throw AdminRefusal.invalid("A realm has at most \(Self.most) components.")
        }
        try await administration.put(new, of: PartImport.components, id: id, call)
        return .created(path: call.path(id))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let former = try await part(call)
        let body = try call.representation(.component)
        var object = try RealmSecrets(ring: administration.ring, areShown: true).whole(former)
        for (name, value) in body.object where name != "id" { object[name] = value }
        let changed = try document(Representation(.object(object), path: ""), id: former.id)
        try await administration.put(changed, of: PartImport.components, id: former.id, call)
        return .done
    }

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.delete(try await part(call), call)
        return .done
    }

    /// One that is kept as data.
    private func part(_ call: AdminCall) async throws -> RealmPart {
        let component = try await one(call)
        guard component.string("providerType") != PartImport.keyComponents else {
            throw Self.keysAreMade
        }
        let parts = try await store.parts(PartImport.components, realmID: call.realmID)
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
    private func makeKey(_ body: Representation, id: String, _ call: AdminCall) async throws {
        let component = try KeyComponent(body)
        guard let algorithm = component.signatureAlgorithm,
            try body.text("providerId")?.hasSuffix("-generated") ?? false,
            component.isActive,
            !call.realm.keys.published(at: call.moment.seconds).algorithms.contains(algorithm)
        else { throw Self.keysAreMade }
        let rotation = KeyRotation(
            maker: SigningKeyMaker(ring: administration.ring),
            realm: call.realm.realm,
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
        try await administration.rotate(
            keysOf: call.realm.realm,
            adding: made,
            by: call.administrator
        )
    }

    private func document(_ body: Representation, id: String) throws -> JSONObject {
        guard let type = try body.text("providerType"), let kind = try body.text("providerId"),
            [type, kind].allSatisfy({ PlainText.isLine($0, length: 255) })
        else { throw AdminRefusal.invalid("A component names its providerType and providerId.") }
        guard type != PartImport.keyComponents else { throw Self.keysAreMade }
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
