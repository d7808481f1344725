import HTTPTypes
package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoStores

/// `/admin/realms` and the realm itself.
struct AdminRealms: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .server(.get, list),
            .server(.post, create),
            .get("", nil, read),
            .put("", .manageRealm, update),
            .delete("", nil, delete),
            .get("keys", .viewRealm, keys),
        ]
    }

    // MARK: Reading

    /// The realms in which the caller may administer something.
    private func list(_ call: AdminCall) async throws -> AdminAnswer {
        let isBrief = try call.query()["briefRepresentation"] == "true"
        let all = administration.realms?.kept ?? []
        return .list(
            all.sorted { $0.name < $1.name }.compactMap { realm in
                guard
                    let rights = AdminRights(
                        call.bearer,
                        in: realm,
                        hasMaster: administration.hasMaster
                    ),
                    rights.isUnlimited || !rights.held.isEmpty
                else { return nil }
                guard rights.allows(.viewRealm) else { return ["realm": .string(realm.name)] }
                return isBrief ? Self.brief(realm.realm) : RealmRepresentation(realm.realm).json
            }
        )
    }

    private static func brief(_ realm: Realm) -> JSONObject {
        let json = RealmRepresentation(realm).json
        var brief = JSONObject()
        for name in ["id", "realm", "displayName", "displayNameHtml", "enabled"] {
            brief[name] = json[name]
        }
        return brief
    }

    /// With few rights, only what pages need.
    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        let json = RealmRepresentation(call.realm.realm).json
        if call.rights.allows(.viewRealm) { return .object(json) }
        try call.expect(!call.rights.held.isEmpty)
        var short: JSONObject = ["realm": .string(call.realm.name)]
        short["displayName"] = json["displayName"]
        short["registrationEmailAsUsername"] = json["registrationEmailAsUsername"] ?? false
        short["bruteForceProtected"] = json["bruteForceProtected"] ?? false
        short["supportedLocales"] = json["supportedLocales"] ?? []
        short["organizationsEnabled"] = json["organizationsEnabled"] ?? false
        return .object(short)
    }

    private func keys(_ call: AdminCall) async throws -> AdminAnswer {
        let now = call.moment.seconds
        let published = call.realm.keys.published(at: now)
        var active = JSONObject()
        for algorithm in published.algorithms {
            active[algorithm.rawValue] = call.realm.keys.active(algorithm, at: now).map {
                .string($0.keyID)
            }
        }
        let set = try JSONObject(parsing: published.keySet)
        let keys = (set.array("keys") ?? []).compactMap(\.object).map { jwk -> JSONObject in
            let algorithm = jwk.string("alg") ?? ""
            var key = JSONObject()
            key["kid"] = jwk["kid"]
            key["status"] = active[algorithm] == jwk["kid"] ? "ACTIVE" : "PASSIVE"
            key["type"] = jwk["kty"]
            key["algorithm"] = jwk["alg"]
            key["certificate"] = jwk.array("x5c")?.first
            key["use"] = jwk.string("use").map { .string($0.uppercased()) }
            return key
        }
        return .object(
            ["active": .object(active), "keys": .array(keys.map(JSONValue.object))]
        )
    }

    // MARK: Writing

    private func create(_ call: AdminCall) async throws -> AdminAnswer {
        try call.expect(call.isServerAdministrator)
        let representation = try call.representation(.realm)
        guard let name = try representation.text("realm") else {
            throw AdminRefusal.invalid("Realm name cannot be empty")
        }
        guard !name.utf8.contains(UInt8(ascii: "/")) else {
            throw AdminRefusal.error(.badRequest, "Character '/' not allowed.")
        }
        let new = try await administration.newRealm(
            representation.object,
            named: name,
            at: call.moment
        )
        try await administration.create(new)
        return .created(path: call.path(name))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.realm)
        let former = call.realm.realm
        guard former.keycloak != nil else {
            throw AdminRefusal.invalid(
                "This realm was not made by an import or by this API: see portico realm update."
            )
        }
        if let name = try representation.text("realm"), !sameBytes(name, former.name) {
            throw AdminRefusal.invalid("A realm keeps its name: the issuer has it.")
        }
        var json = RealmRepresentation(former).json
        for (name, value) in representation.object where value != .null {
            // These have addresses of their own.
            if Self.placed.contains(name) { continue }
            if name == "attributes", let changes = value.object {
                var attributes = json.object(name) ?? JSONObject()
                for (key, value) in changes { attributes[key] = value == .null ? nil : value }
                json[name] = .object(attributes)
            } else {
                json[name] = value
            }
        }
        json["id"] = former.keycloak?["id"]
        let merged = try Representation(.object(json), path: "")
        var report = ImportReport(realm: former.name)
        let settings = try RealmSettings(merged, report: &report)
        var realm = former
        settings.apply(to: &realm)
        realm.signsOutByHintAlone = former.signsOutByHintAlone
        // What was revoked stays revoked, and no one is locked out by a time to come.
        realm.notBefore = max(former.notBefore, min(realm.notBefore, call.moment.seconds))
        // Either ends the sessions of those with more rights too.
        let signsOut = realm.notBefore > former.notBefore || former.isEnabled && !realm.isEnabled
        try call.expect(call.rights.isUnlimited || !signsOut)
        realm.displayName = settings.displayName ?? former.name
        guard PlainText.isLine(realm.displayName, length: 200) else {
            throw AdminRefusal.invalid("A display name is one line of at most 200 bytes.")
        }
        try call.expect(
            realm.registration == nil || former.registration != nil || call.rights.mayGiveDefaults
        )
        realm.keycloak = RealmSettings.kept(merged)
        guard realm.keycloak?.serialized().count ?? 0 <= RealmImport.longestDocument else {
            throw AdminRefusal.invalid("The realm's settings have more than 4 MiB.")
        }
        try await administration.update(realm, replacing: former)
        return .done
    }

    /// What new people and clients get.
    private static let placed: Set = [
        "defaultRole", "defaultRoles", "defaultGroups", "defaultDefaultClientScopes",
        "defaultOptionalClientScopes",
    ]

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try call.expect(call.isServerAdministrator && call.realm.name != AdminRights.master)
        try await administration.delete(call.realm.realm)
        return .done
    }
}

/// Realms.
extension RealmAdministration {
    /// A new realm as Keycloak makes one.
    ///
    /// - Parameter json: What it is to be (Keycloak `RealmRepresentation`).
    package func newRealm(_ json: JSONObject, named name: String, at moment: Moment) async throws
        -> NewRealm
    {
        let importing = RealmImport(
            creation: RealmCreation(ring: ring),
            clients: ClientRegistration(ring: ring),
            people: registration,
            ring: ring,
            baseURL: baseURL
        )
        guard realms?.kept(named: name) == nil else { throw Self.taken(name) }
        let file = try Representation(.object(BuiltInRealm(name).completing(json)), path: "")
        var report = ImportReport(realm: name)
        var imported = try importing(file, at: moment, report: &report)
        var new = imported.realm
        for user in try file.children("users") {
            if let person = try await imported.people(user, report: &report) {
                new.people.append(person)
            }
        }
        return new
    }

    package func create(_ new: NewRealm) async throws {
        let creation = try await change(or: .conflict("An id of it is taken.")) {
            try await store.create(new)
        }
        guard creation == .created else { throw Self.taken(new.realm.name) }
    }

    private static func taken(_ name: String) -> AdminRefusal {
        .conflict("Realm \(PlainText.shown(name)) already exists")
    }

    package func delete(_ realm: Realm) async throws {
        let change = try await change(or: .failed) { try await store.deleteRealm(id: realm.id) }
        guard change == .changed else { throw AdminRefusal.notFound("Realm not found.") }
    }
}
