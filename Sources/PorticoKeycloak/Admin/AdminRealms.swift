import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoWeb

/// `/admin/realms` and the realm itself.
struct AdminRealms: Sendable {
    let administration: RealmAdministration

    var rows: [AdminRow] {
        [
            .server(.get, "realms", list),
            .server(.post, "realms", create),
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
        return .list(
            call.access.realms.kept.sorted { $0.name < $1.name }.compactMap { realm in
                guard let rights = call.rights(in: realm) else { return nil }
                guard rights.allows(.viewRealm) else { return ["realm": .string(realm.name)] }
                let json = RealmRepresentation(realm.realm, graph: realm.graph).json
                return isBrief ? Self.brief(json) : json
            }
        )
    }

    private static func brief(_ json: JSONObject) -> JSONObject {
        var brief = JSONObject()
        for name in ["id", "realm", "displayName", "displayNameHtml", "enabled"] {
            brief[name] = json[name]
        }
        return brief
    }

    /// With few rights, only what pages need.
    private func read(_ call: AdminCall) async throws -> AdminAnswer {
        let json = RealmRepresentation(call.realm.realm, graph: call.realm.graph).json
        if call.rights.allows(.viewRealm) { return .object(try await whole(json, call)) }
        try call.expect(call.administrator.hasRights)
        var short: JSONObject = ["realm": .string(call.realm.name)]
        short["displayName"] = json["displayName"]
        short["registrationEmailAsUsername"] = json["registrationEmailAsUsername"] ?? false
        short["bruteForceProtected"] = json["bruteForceProtected"] ?? false
        short["supportedLocales"] = json["supportedLocales"] ?? []
        short["organizationsEnabled"] = json["organizationsEnabled"] ?? false
        return .object(short)
    }

    /// With what has a place of its own.
    private func whole(_ realm: JSONObject, _ call: AdminCall) async throws -> JSONObject {
        var json = realm
        if let name = json.object("defaultRole")?.string("name"),
            let role = try await administration.store.roles(realmID: call.realmID)
                .first(where: { $0.clientID == nil && sameBytes($0.name, name) })
        {
            json["defaultRole"] = .object(try await call.json(of: role))
        }
        let mail = try await administration.store.parts(Self.mailKind, realmID: call.realmID).first
        json["smtpServer"] = .object(try mail.map(administration.shown) ?? [:])
        return json
    }

    /// How the realm would send mail, which is kept as data: the server's settings say how it does.
    private static let mailKind = "smtpServer"

    private func setMail(_ settings: JSONObject, _ call: AdminCall) async throws {
        let settings = settings.withoutEmptyTexts
        guard settings.serialized().count <= 64 << 10 else {
            throw AdminRefusal.invalid("smtpServer has more than 64 KiB.")
        }
        try await administration.put(settings, of: Self.mailKind, id: "", call)
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
        try call.expect(call.administrator.isServerAdministrator)
        let representation = try call.representation(.realm)
        guard let name = try representation.text("realm") else {
            throw AdminRefusal.invalid("Realm name cannot be empty")
        }
        guard !name.utf8.contains(UInt8(ascii: "/")) else {
            throw AdminRefusal.error(.badRequest, "Character '/' not allowed.")
        }
        guard call.access.realms.kept(named: name) == nil else {
            throw AdministrationRefusal.taken(.realm(name))
        }
        let newRealm = NewKeycloakRealm(
            ring: administration.ring,
            people: administration.registration,
            baseURL: call.access.publicURL.origin
        )
        let new = try await newRealm(representation.object, named: name, at: call.moment)
        try await administration.create(new, by: call.administrator)
        return .created(path: call.path(name))
    }

    private func update(_ call: AdminCall) async throws -> AdminAnswer {
        let representation = try call.representation(.realm)
        let former = call.realm.realm
        if let name = try representation.text("realm"), !sameBytes(name, former.name) {
            throw AdminRefusal.invalid("A realm keeps its name: the issuer has it.")
        }
        var json = RealmRepresentation(former).json
        for name in Self.bindings {
            // Flows are data: binding one would promise what no server here runs.
            guard let flow = try representation.text(name), flow != json.string(name) else {
                continue
            }
            guard BuiltInFlows.names.contains(flow) else {
                throw AdminRefusal.invalid("\(name): sign-in does not follow flows here.")
            }
        }
        for (name, value) in representation.object where value != .null {
            // These have addresses of their own.
            if Self.placed.contains(name) { continue }
            if name == "attributes", let changes = value.object {
                var attributes = json.object(name) ?? JSONObject()
                for (key, value) in changes { attributes.set(key, to: value) }
                json[name] = .object(attributes)
            } else {
                json[name] = value
            }
        }
        json["id"] = former.kept["id"]
        let merged = try Representation(.object(json), path: "")
        let demands = try FlowDemands(try await administration.flows(ofRealm: former.id))
        let (settings, report) = try Self.settings(json, demands)
        let before = RealmRepresentation(former).json.staying(in: json)
        if let refusal = report.news(since: try Self.settings(before, demands).report)?.refusal() {
            throw refusal
        }
        var realm = former
        settings.apply(to: &realm)
        realm.signsOutByHintAlone = former.signsOutByHintAlone
        realm.errorStyle = former.errorStyle
        // What was revoked stays revoked, and no one is locked out by a time to come.
        realm.notBefore = max(former.notBefore, min(realm.notBefore, call.moment.seconds))
        realm.displayName = settings.displayName ?? former.name
        let kept = KeptRepresentation(RealmSettings.kept(merged))
        realm.kept = kept
        guard kept.json.utf8.count <= RealmImport.longestDocument else {
            throw AdminRefusal.invalid("The realm's settings have more than 4 MiB.")
        }
        // What has an address of its own first: it may be refused there.
        for (name, kind) in RealmAdministration.policyLists {
            guard let body = try representation.child(kind) else { continue }
            try await administration.put(policies: body, name, kind, call)
        }
        if let mail = try representation.child(Self.mailKind) {
            try await setMail(mail.object, call)
        }
        try await administration.update(realm, replacing: former, by: call.administrator)
        return .done
    }

    private static func settings(_ json: JSONObject, _ demands: FlowDemands) throws -> (
        settings: RealmSettings, report: ImportReport
    ) {
        var report = try demands.report(browserFlow: json.string("browserFlow"), clients: [])
        let realm = try Representation(.object(json), path: "")
        let settings = try RealmSettings(realm, report: &report)
        return (settings, report)
    }

    /// Which flow is run when.
    private static let bindings = [
        "browserFlow", "registrationFlow", "directGrantFlow", "resetCredentialsFlow",
        "clientAuthenticationFlow", "firstBrokerLoginFlow",
    ]

    /// What new people and clients get.
    private static let placed: Set = [
        "smtpServer", "defaultRole", "defaultRoles", "defaultGroups", "defaultDefaultClientScopes",
        "defaultOptionalClientScopes",
    ]

    private func delete(_ call: AdminCall) async throws -> AdminAnswer {
        try await administration.delete(call.realm.realm, by: call.administrator)
        return .done
    }
}
