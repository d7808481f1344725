import PorticoAdministration
import PorticoBytes
import PorticoProvider
import PorticoStores

/// The realm of `portico serve --demo`: two people, a client for `portico login`, some roles.
struct DemoRealm: DemoRealmMaker {
    static let name = "demo"

    let installation: Installation

    let people = [
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

    func new() throws -> NewRealm {
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
            schemes: [:],
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
        return new
    }
}
