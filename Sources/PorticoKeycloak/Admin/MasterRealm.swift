package import PorticoAdministration
package import PorticoBytes
package import PorticoProtocol
import PorticoProvider
package import PorticoSeals
package import PorticoStores

/// The realm `master`, whose administrators administer all realms.
package struct MasterRealm: Sendable {
    private let newRealm: NewKeycloakRealm

    package init(ring: KeyRing, people: PersonRegistration, baseURL: String) {
        newRealm = NewKeycloakRealm(ring: ring, people: people, baseURL: baseURL)
    }

    package static let name = AdminRights.master

    /// Makes the realm as Keycloak has it: with the role `admin`, and the client `admin-cli`, which apps
    /// on a person's own machine use to sign in. Clients in it can have accounts of their own.
    ///
    /// - Returns: `false` where it is there already, as whatever it came.
    package func create(in store: RealmStore, at moment: Moment) async throws -> Bool {
        guard try await store.realm(named: Self.name) == nil else { return false }
        var new = try await newRealm(Self.json, named: Self.name, at: moment)
        // It comes from nowhere: that tells it from an imported one.
        for index in new.clients.indices { new.clients[index].isMoved = false }
        for index in new.clients.indices where new.clients[index].clientID == Self.commandLine {
            new.clients[index].grantTypes.insert(.authorizationCode)
            new.clients[index].redirectURIs = Self.redirects.map(RedirectURI.init)
            new.clients[index].codeProtection = .pkce
        }
        return try await store.create(new) == .created
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
