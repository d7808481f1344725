import PorticoBytes
import PorticoProtocol
package import PorticoStores

extension Client {
    /// An app of the backend, in the realm `home` that ``TestDatabase/put(_:)`` makes.
    package static func app(
        _ clientID: String,
        _ redirectURIs: String...,
        form: HandOffForm = .code,
        isDefault: Bool = false
    ) -> Client {
        var app = Client(
            id: UniqueID(random: .system).text,
            realmID: "home",
            clientID: clientID,
            name: clientID.prefix(1).uppercased() + clientID.dropFirst(),
            type: .public,
            authentication: .none
        )
        app.grantTypes = []
        app.redirectURIs = redirectURIs.map { RedirectURI($0) }
        app.handOff.form = form
        app.handOff.isDefault = isDefault
        return app
    }
}

extension TestDatabase {
    /// Makes the realm of the backend's people where it is not there yet.
    package func makeHome(_ id: String = "home") async throws {
        guard try await realms.realm(id: id) == nil else { return }
        let realm = Realm(
            id: id,
            name: id,
            displayName: "Home",
            issuer: "https://id.example.com/realms/\(id)"
        )
        _ = try await realms.create(NewRealm(realm: realm, keys: []))
        if id == "home" { try await configuration.choose(realmID: id) }
    }

    /// The people of that realm.
    package func registered() async throws -> [Person] {
        try await people.people(realmID: "home", after: nil, limit: 1000)
    }

    /// Stops a person from signing in, or lets them in again.
    package func block(_ id: String, _ isBlocked: Bool, at now: Int64) async throws -> Change {
        guard var person = try await accounts.person(id) else { return .notFound }
        person.isEnabled = !isBlocked
        person.updatedAt = now
        return try await people.update(person)
    }

    /// Puts an identity provider of the realm in.
    package func put(_ provider: ProviderRecord) async throws {
        try await makeHome(provider.realmID)
        try await configuration.put(provider)
    }

    /// Registers an app of the backend, or replaces what is kept of it.
    package func put(_ app: Client) async throws {
        try await makeHome(app.realmID)
        if try await realms.update(app) == .notFound { _ = try await realms.create(app) }
    }

    package func deleteApp(_ app: Client) async throws -> Change {
        try await realms.deleteClient(id: app.id)
    }
}
