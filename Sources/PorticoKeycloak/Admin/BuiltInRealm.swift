package import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// The realm `master`, whose administrators administer all realms.
package enum MasterRealm {
    package static let name = AdminRights.master

    /// Makes the realm as Keycloak has it: with the role `admin`, and the client `admin-cli`, which apps
    /// on a person's own machine use to sign in. Clients in it can have accounts of their own.
    ///
    /// - Returns: `false` where it is there already, as whatever it came.
    package static func create(
        by operations: RealmAdministration,
        baseURL: String,
        at moment: Moment
    ) async throws -> Bool {
        guard try await operations.store.realm(named: name) == nil else { return false }
        let newRealm = NewKeycloakRealm(
            ring: operations.ring,
            people: operations.registration,
            baseURL: baseURL
        )
        var new = try await newRealm(json, named: name, at: moment)
        for index in new.clients.indices {
            // It comes from nowhere: that tells it from an imported one.
            new.clients[index].isMoved = false
            guard new.clients[index].clientID == commandLine else { continue }
            new.clients[index].grantTypes.insert(.authorizationCode)
            new.clients[index].redirectURIs = redirects.map(RedirectURI.init)
            new.clients[index].codeProtection = .pkce
        }
        do {
            try await operations.create(new, by: .commandLine)
        } catch AdministrationRefusal.taken(.realm) {
            return false
        }
        return true
    }

    private static let commandLine = "admin-cli"
    private static let redirects = ["http://127.0.0.1/callback", "http://[::1]/callback"]

    private static let json: JSONObject = [
        "realm": .string(name), "enabled": true, "resetPasswordAllowed": false,
        "roles": [
            "realm": [
                ["name": "admin", "description": "Administers all realms"],
                ["name": "create-realm"],
            ]
        ],
    ]
}

/// Makes realms as Keycloak makes one.
package struct NewKeycloakRealm: Sendable {
    private let importing: RealmImport

    package init(ring: KeyRing, people: PersonRegistration, baseURL: String) {
        importing = RealmImport(
            creation: RealmCreation(ring: ring),
            clients: ClientRegistration(ring: ring),
            people: people,
            ring: ring,
            baseURL: baseURL
        )
    }

    /// - Parameter json: What it is to be (Keycloak `RealmRepresentation`).
    package func callAsFunction(_ json: JSONObject, named name: String, at moment: Moment)
        async throws
        -> NewRealm
    {
        let said = try Representation(.object(json), path: "").object
        let file = try Representation(.object(BuiltInRealm(name).completing(said)), path: "")
        var report = ImportReport(realm: name, naming: .max)
        var imported = try importing(file, at: moment, report: &report)
        var new = imported.realm
        for user in try file.children("users") {
            if let person = try await imported.people(user, report: &report) {
                new.people.append(person)
            }
        }
        for account in try imported.people.missingAccounts(of: new) {
            if let person = try await imported.people(account, report: &report) {
                new.people.append(person)
            }
        }
        if let refusal = report.refusal(where: { Self.isLoss($0, $1, of: said) }) { throw refusal }
        return new
    }

    /// Whether something that the request says is lost: what is kept as data is not, and no password was
    /// made by the rules of before.
    private static func isLoss(
        _ outcome: ImportReport.Outcome,
        _ thing: ImportReport.Thing,
        of said: JSONObject
    ) -> Bool {
        switch outcome {
        case .weaker: thing.subject != "passwordPolicy"
        case .skipped: said[thing.subject] == nil
        default: true
        }
    }
}

/// What Keycloak puts into every realm that it makes: the clients that stand for its own pages and
/// APIs, their roles, and the role that every person gets.
struct BuiltInRealm {
    private let name: String

    /// - Parameter name: The realm's.
    init(_ name: String) {
        self.name = name
    }

    /// The representation of a realm with what it lacks of all this: clients with their roles, and roles
    /// of the realm. What it has stays as it is.
    ///
    /// - Parameter isNew: Whether the realm is not here yet. One that is here has the default roles that it
    ///   has, unless the representation says others.
    func completing(_ realm: JSONObject, isNew: Bool = true) -> JSONObject {
        let roles = realm["roles"] ?? .null
        // What is of a wrong type is refused where it is read.
        guard Self.isMissing(realm["clients"], or: \.array),
            Self.isMissing(roles, or: \.object),
            Self.isMissing(roles.object?["realm"], or: \.array),
            Self.isMissing(roles.object?["client"], or: \.object)
        else { return realm }
        var realm = realm
        let missing = missingClients(of: realm)
        realm["clients"] = .array((realm.array("clients") ?? []) + missing.map(Self.client))
        var byClient = roles.object?.object("client") ?? JSONObject()
        for (clientID, table) in clientRoles where missing.contains(clientID) {
            guard Self.isMissing(byClient[clientID], or: \.array) else { continue }
            byClient[clientID] = Self.merged(
                byClient.array(clientID),
                table.map { role, parts in
                    var json = Self.role(role)
                    if !parts.isEmpty {
                        json["composites"] = ["client": .object([clientID: .texts(parts)])]
                    }
                    return json
                }
            )
        }
        let named = realm.object("defaultRole")?.string("name")
        var own = [Self.role("offline_access"), Self.role("uma_authorization")]
        // Files from before version 13 have default roles, and no role that holds them.
        // One of another name that the file does not describe gives no one anything.
        if named == defaultRole || isNew && named == nil && realm.array("defaultRoles") == nil {
            own.append(Self.everyone(defaultRole, account: byClient.array(Self.accountID) ?? []))
            if named == nil { realm["defaultRole"] = ["name": .string(defaultRole)] }
        }
        if name == AdminRights.master { own += [Self.admin, Self.role("create-realm")] }
        var all = roles.object ?? JSONObject()
        all["realm"] = Self.merged(all.array("realm"), own)
        if !byClient.isEmpty { all["client"] = .object(byClient) }
        realm["roles"] = .object(all)
        return realm
    }

    private static func isMissing<Value>(_ value: JSONValue?, or type: (JSONValue) -> Value?)
        -> Bool
    {
        value.map { $0 == .null || type($0) != nil } ?? true
    }

    /// The client whose roles are the rights to administer the realm.
    private var managementID: String {
        name == AdminRights.master ? "master-realm" : AdminRights.management
    }

    private func missingClients(of realm: JSONObject) -> [String] {
        let known = Set(
            (realm.array("clients") ?? []).compactMap { $0.object?.string("clientId") }
                .map(ExactText.init)
        )
        let all = Client.builtIn.filter { $0 != AdminRights.management } + [managementID]
        return all.filter { !known.contains(ExactText($0)) }.sorted()
    }

    private static func client(_ clientID: String) -> JSONValue {
        let isBearerOnly = ![
            accountID, "account-console", "admin-cli", "security-admin-console",
        ].contains(clientID)
        return [
            "clientId": .string(clientID), "name": .string("${client_\(clientID)}"),
            "enabled": true, "protocol": "openid-connect",
            "fullScopeAllowed": .bool(administrative.contains(clientID)),
            "publicClient": .bool(!isBearerOnly), "bearerOnly": .bool(isBearerOnly),
        ]
    }

    private var clientRoles: [(String, [(String, [String])])] {
        [
            (
                managementID,
                managementID == AdminRights.management ? Self.management : Self.rights
            ),
            (Self.accountID, Self.account), ("broker", [("read-token", [])]),
        ]
    }

    private static let accountID = "account"

    private var defaultRole: String { "default-roles-\(name.lowercased())" }

    /// The role that every person gets.
    ///
    /// - Parameter account: The roles of the client `account`.
    private static func everyone(_ name: String, account: [JSONValue]) -> JSONObject {
        let known = Set(account.compactMap { $0.object?.string("name") })
        var everyone = role(name)
        everyone["description"] = "${role_default-roles}"
        everyone["composite"] = true
        everyone["composites"] = [
            "realm": ["offline_access", "uma_authorization"],
            "client": .object([
                accountID: .texts(["view-profile", "manage-account"].filter(known.contains))
            ]),
        ]
        return everyone
    }

    private static var admin: JSONObject {
        var admin = role("admin")
        admin["composite"] = true
        admin["composites"] = ["realm": ["create-realm"]]
        return admin
    }

    private static func role(_ name: String) -> JSONObject {
        ["name": .string(name), "description": .string("${role_\(name)}")]
    }

    private static func merged(_ roles: [JSONValue]?, _ own: [JSONObject]) -> JSONValue {
        let known = Set((roles ?? []).compactMap { $0.object?.string("name").map(ExactText.init) })
        return .array(
            (roles ?? [])
                + own.filter { !known.contains(ExactText($0.string("name") ?? "")) }
                .map(JSONValue.object)
        )
    }

    /// Whose tokens carry what their people may administer.
    private static let administrative: Set = ["admin-cli", "security-admin-console"]

    private static let account: [(String, [String])] = [
        ("view-profile", []), ("manage-account", ["manage-account-links"]),
        ("manage-account-links", []), ("view-applications", []), ("view-consent", []),
        ("manage-consent", ["view-consent"]), ("delete-account", []), ("view-groups", []),
    ]

    private static let rights: [(String, [String])] = [
        ("create-client", []), ("impersonation", []), ("manage-authorization", []),
        ("manage-clients", []), ("manage-events", []), ("manage-identity-providers", []),
        ("manage-organizations", []), ("manage-realm", []), ("manage-users", []),
        ("query-clients", []), ("query-groups", []), ("query-organizations", []),
        ("query-realms", []), ("query-users", []), ("view-authorization", []),
        ("view-clients", ["query-clients"]), ("view-events", []),
        ("view-identity-providers", []), ("view-organizations", ["query-organizations"]),
        ("view-realm", []), ("view-users", ["query-users", "query-groups"]),
    ]

    private static let management = rights + [("realm-admin", rights.map(\.0))]
}
