import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `/admin/realms` and the realm itself.
enum AdminRealms {
    static var rows: [AdminRow] {
        [
            .server(.get, "realms", list),
            .server(.post, "realms", create),
            .get("", nil, read),
            .put("", .manageRealm, update),
            .delete("", nil, delete),
            .get("keys", .viewRealm, keys),
            .post("partial-export", .manageRealm, export),
        ]
    }

    // MARK: Reading

    /// The realms in which the caller may administer something.
    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let isBrief = try call.query()["briefRepresentation"] == "true"
        let realms = call.access.server.administeredRealms.sorted { $0.realm.name < $1.realm.name }
        return .list(
            realms.compactMap { served in
                guard let rights = call.rights(in: served) else { return nil }
                guard rights.allows(.viewRealm) else {
                    return ["realm": .string(served.realm.name)]
                }
                let json = RealmRepresentation(served.realm, graph: served.graph).json
                return isBrief
                    ? json.only(["id", "realm", "displayName", "displayNameHtml", "enabled"]) : json
            }
        )
    }

    /// With few rights, only what pages need.
    private static func read(_ call: AdminCall) async throws -> AdminAnswer {
        let json = RealmRepresentation(call.realm, graph: call.graph).json
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
    private static func whole(_ realm: JSONObject, _ call: AdminCall) async throws -> JSONObject {
        var json = realm
        if let name = json.object("defaultRole")?.string("name"),
            let role = try await call.store.roles(realmID: call.realmID)
                .first(where: { $0.clientID == nil && sameBytes($0.name, name) })
        {
            json["defaultRole"] = .object(try await call.json(of: role))
        }
        let mail = try await call.store.parts(Self.mailKind, realmID: call.realmID).first
        json["smtpServer"] = .object(try mail.map(call.shown) ?? [:])
        return json
    }

    /// How the realm would send mail, which is kept as data: the server's settings say how it does.
    private static let mailKind = "smtpServer"

    private static func setMail(_ settings: JSONObject, _ call: AdminCall) async throws {
        let settings = settings.withoutEmptyTexts
        guard settings.serialized().count <= 64 << 10 else {
            throw AdminRefusal.invalid("smtpServer has more than 64 KiB.")
        }
        try await call.put(settings, of: Self.mailKind, id: "")
    }

    private static func keys(_ call: AdminCall) throws -> AdminAnswer {
        var active = JSONObject()
        let keys = try call.served.publishedKeys(at: call.moment.seconds).map { jwk, signs in
            if signs { active[jwk.string("alg") ?? ""] = jwk["kid"] }
            var key = JSONObject()
            key["kid"] = jwk["kid"]
            key["status"] = signs ? "ACTIVE" : "PASSIVE"
            key["type"] = jwk["kty"]
            key["algorithm"] = jwk["alg"]
            key["certificate"] = jwk.array("x5c")?.first
            key["use"] = jwk.string("use").map { .string($0.uppercased()) }
            return JSONValue.object(key)
        }
        return .object(["active": .object(active), "keys": .array(keys)])
    }

    /// The realm as a file, without people and with its secrets masked.
    private static func export(_ call: AdminCall) async throws -> AdminAnswer {
        let query = try call.query()
        let (withClients, withRoles) = (
            query["exportClients"] == "true", query["exportGroupsAndRoles"] == "true"
        )
        // What has rights of its own is shown to those who have them.
        try call.expect(!withClients || call.rights.allows(.viewClients))
        try call.expect(!withRoles || call.rights.allows(.viewUsers))
        guard let whole = try await call.store.whole(id: call.realmID) else {
            throw AdminRefusal.notFound("Realm not found.")
        }
        var json = try RealmDocument(
            whole,
            secrets: RealmSecrets(ring: call.operations.ring, areShown: false),
            at: call.moment.seconds
        ).json
        if !withClients { json["clients"] = nil }
        if !withRoles {
            for name in ["roles", "groups", "defaultGroups"] { json[name] = nil }
        }
        if !withClients || !withRoles {
            for name in ["scopeMappings", "clientScopeMappings"] { json[name] = nil }
        }
        if !call.rights.allows(.viewIdentityProviders) {
            for name in ["identityProviders", "identityProviderMappers"] { json[name] = nil }
        }
        try await call.noteAction("exported")
        return .object(json)
    }

    // MARK: Writing

    private static func create(_ call: AdminCall) async throws -> AdminAnswer {
        try call.expect(call.administrator.isServerAdministrator)
        let representation = try call.representation(.realm)
        guard let name = try representation.text("realm") else {
            throw AdminRefusal.invalid("Realm name cannot be empty")
        }
        guard !name.utf8.contains(UInt8(ascii: "/")) else {
            throw AdminRefusal.error(.badRequest, "Character '/' not allowed.")
        }
        guard call.access.server.administeredRealm(named: name) == nil else {
            throw AdministrationRefusal.taken(.realm(name))
        }
        let newRealm = NewKeycloakRealm(
            ring: call.operations.ring,
            people: call.operations.registration,
            baseURL: call.access.publicURL.origin
        )
        let new = try await newRealm(representation.object, named: name, at: call.moment)
        try await call.operations.create(new, by: call.administrator)
        return .created(path: call.path(name))
    }

    private static func update(_ call: AdminCall) async throws {
        let representation = try call.representation(.realm)
        let former = call.realm
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
            json.change(name, to: value)
        }
        json["id"] = former.kept["id"]
        let merged = try Representation(.object(json), path: "")
        let demands = try FlowDemands(try await call.flows())
        let (settings, report) = try Self.settings(json, demands)
        if report.refusal() != nil {
            // A change is judged for what it changes.
            let before = RealmRepresentation(former).json.staying(in: json)
            let known = try Self.settings(before, demands).report
            if let refusal = report.news(since: known)?.refusal() { throw refusal }
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
        for (name, kind) in AdminKeptParts.policyLists {
            guard let body = try representation.child(kind) else { continue }
            try await call.put(policies: body, name, kind)
        }
        if let mail = try representation.child(Self.mailKind) {
            try await setMail(mail.object, call)
        }
        try await call.operations.update(realm, replacing: former, by: call.administrator)
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

    private static func delete(_ call: AdminCall) async throws {
        try await call.operations.delete(call.realm, by: call.administrator)
    }
}

/// What neighbours ask of the server as a whole: `/admin/serverinfo`, which Terraform's provider and
/// others read before anything else, and `/admin/REALM/console/whoami`.
enum AdminServer {
    static var rows: [AdminRow] {
        [
            .server(.get, "serverinfo", information),
            // Only Keycloak's console is told, and there is none here.
            .server(.get, "{realm}/console/whoami") { _ in throw AdminRefusal.noConsole },
        ]
    }

    /// The version whose requests and answers these are: programs choose by it what they send.
    static let version = "26.7.3"

    /// For anyone who may administer something, of their own realm or of another.
    private static func information(_ call: AdminCall) async throws -> AdminAnswer {
        try call.expect(
            call.administrator.isServerAdministrator
                || call.access.server.administeredRealms.contains { call.rights(in: $0) != nil }
        )
        return .object([
            "systemInfo": ["version": .string(Self.version)],
            "profileInfo": ["name": "default", "disabledFeatures": []],
            "themes": .object(Self.themes), "providers": .object(Self.providers),
            "componentTypes": [:], "passwordPolicies": .array(Self.passwordPolicies),
        ])
    }

    /// Terraform's provider refuses the name of a theme, and of a password's rule, that the server does
    /// not have. Both are kept as data here.
    private static let themes: JSONObject = {
        let names = [
            ("login", ["base", "keycloak", "keycloak.v2"]), ("email", ["base", "keycloak"]),
            ("account", ["base", "keycloak.v3"]), ("admin", ["base", "keycloak.v2"]),
            ("welcome", ["keycloak"]),
        ]
        var themes = JSONObject()
        for (kind, names) in names {
            themes[kind] = .array(names.map { ["name": .string($0)] })
        }
        return themes
    }()

    private static let rules = [
        "digits", "forceExpiredPasswordChange", "hashAlgorithm", "hashIterations", "length",
        "lowerCase", "maxAuthAge", "maxLength", "notContainsUsername", "notEmail", "notUsername",
        "passwordAge", "passwordBlacklist", "passwordHistory", "recoveryCodesWarningThreshold",
        "regexPattern", "specialChars", "upperCase",
    ]

    private static var passwordPolicies: [JSONValue] {
        rules.map { ["id": .string($0), "displayName": .string($0)] }
    }

    private static let providers: JSONObject = [
        "password-policy": named(rules), "login-protocol": named(["openid-connect"]),
        "keys": named(["ecdsa-generated", "eddsa-generated", "rsa-generated"]),
    ]

    private static func named(_ names: [String]) -> JSONValue {
        var providers = JSONObject()
        for name in names { providers[name] = ["order": 0] }
        return ["internal": false, "providers": .object(providers)]
    }
}

extension AdminRefusal {
    /// What Keycloak says to everyone but its console.
    fileprivate static let noConsole = error(.unauthorized, "HTTP 401 Unauthorized")
}
