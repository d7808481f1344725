import PorticoBytes
import PorticoProvider
import PorticoStores

/// The realm of `portico serve --demo`: two people, a client for `portico login`, some roles.
struct DemoRealm {
    static let name = "demo"

    let installation: Installation

    private static let people = [
        DemoPerson(
            username: "ann",
            givenName: "Ann",
            email: "ann@example.com",
            roles: [
                RoleName(clientID: nil, name: "editor"),
                RoleName(clientID: SessionChoice.standardClientID, name: "tester"),
            ]
        ),
        DemoPerson(username: "bob", givenName: "Bob", email: "bob@example.com"),
    ]

    /// Creates the realm or repairs it, and sets new passwords.
    ///
    /// A realm with another issuer is created again, because an issuer never changes.
    ///
    /// - Returns: The new passwords.
    func prepare() async throws -> [DemoPassword] {
        let issuer = try RealmCreation.issuer(
            of: Self.name,
            baseURL: installation.settings.effectivePublicURL
        )
        let former = try await installation.realms.snapshot().realms.first { $0.name == Self.name }
        let realm: Realm
        if let former, sameBytes(former.issuer, issuer) {
            realm = former
        } else {
            if let former { _ = try await installation.realms.deleteRealm(id: former.id) }
            realm = try await create()
        }
        return try await installation.prepare(Self.people, in: realm)
    }

    private func create() async throws -> Realm {
        let moment = installation.clock.moment()
        var new = try RealmCreation(ring: installation.ring)(
            name: Self.name,
            displayName: "Demo",
            baseURL: installation.settings.effectivePublicURL,
            at: moment
        )
        var client = ClientTemplate.cli.client(
            id: UniqueID(random: moment.random).text,
            realmID: new.realm.id,
            clientID: SessionChoice.standardClientID
        )
        client.name = "Portico command line"
        let admission = try ClientRegistration(ring: installation.ring)(
            client,
            others: [],
            algorithms: SigningKeyRecord.activeAlgorithms(of: new.keys, at: moment.seconds),
            random: moment.random
        )
        new.clients = [admission.client]
        new.roles = [
            (nil, "editor", "May change things"),
            (client.clientID, "tester", "May try things"),
        ].map { clientID, name, description in
            Role(
                id: UniqueID(random: moment.random).text,
                realmID: new.realm.id,
                clientID: clientID,
                name: name,
                description: description
            )
        }
        _ = try await installation.realms.create(new)
        return new.realm
    }
}
