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
    /// Registers an app of the backend, or replaces what is kept of it.
    package func put(_ app: Client) async throws {
        if try await realms.realm(id: app.realmID) == nil {
            let realm = Realm(
                id: app.realmID,
                name: app.realmID,
                displayName: "Home",
                issuer: "https://id.example.com/realms/\(app.realmID)"
            )
            _ = try await realms.create(NewRealm(realm: realm, keys: []))
        }
        if try await realms.update(app) == .notFound { _ = try await realms.create(app) }
    }

    package func deleteApp(_ app: Client) async throws -> Change {
        try await realms.deleteClient(id: app.id)
    }
}
