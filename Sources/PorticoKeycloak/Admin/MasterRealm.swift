package import PorticoBytes
import PorticoProtocol
import PorticoProvider
package import PorticoSeals
package import PorticoStores

/// The realm `master`, whose administrators administer all realms.
package struct MasterRealm: Sendable {
    private let creation: RealmCreation
    private let baseURL: String

    package init(ring: KeyRing, baseURL: String) {
        creation = RealmCreation(ring: ring)
        self.baseURL = baseURL
    }

    package static let name = AdminRights.master

    package static let advice: StaticString =
        "Add an administrator: portico user create NAME --realm master --role admin"

    /// Makes the realm with the role `admin` and the client `admin-cli`, which apps on a person's
    /// own machine use to sign in.
    ///
    /// - Returns: `false` where it is there already, as whatever it came.
    package func create(in store: RealmStore, at moment: Moment) async throws -> Bool {
        guard try await !store.snapshot().realms.contains(where: { $0.name == Self.name }) else {
            return false
        }
        var new = try creation(name: Self.name, baseURL: baseURL, at: moment)
        new.realm.allowsPasswordReset = false
        new.roles = ["admin", "create-realm"].map { name in
            Role(
                id: UniqueID(random: moment.random).text,
                realmID: new.realm.id,
                clientID: nil,
                name: name,
                description: name == "admin" ? "Administers all realms" : ""
            )
        }
        var client = Client(
            id: UniqueID(random: moment.random).text,
            realmID: new.realm.id,
            clientID: "admin-cli",
            name: "admin-cli",
            type: .public,
            authentication: .none
        )
        client.redirectURIs = ["http://127.0.0.1/callback", "http://[::1]/callback"].map(
            RedirectURI.init
        )
        new.clients = [client]
        return try await store.create(new) == .created
    }
}
