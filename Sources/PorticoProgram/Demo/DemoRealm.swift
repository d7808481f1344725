import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The realm of `portico serve --demo`: two people, a client for `portico login`, two apps of the backend, some
/// roles.
struct DemoRealm: DemoRealmMaker {
    static let name = "demo"

    let installation: Installation

    let people = [
        DemoPerson(
            username: "ann",
            givenName: "Ann",
            email: "ann@demo.example",
            roles: [
                RoleName(clientID: nil, name: "editor"),
                RoleName(clientID: SessionChoice.standardClientID, name: "tester"),
            ]
        ),
        DemoPerson(username: "bob", givenName: "Bob", email: "bob@demo.example"),
    ]

    /// One takes a code, as apps should. The other takes its session in the address that it is opened
    /// with, as apps of AT Protocol's mobile guide do: it is meant where a request has no challenge.
    private static func apps(random: RandomSource, realmID: String) -> [Client] {
        [
            (
                "notes", "Notes", ["http://127.0.0.1/callback", "com.example.notes:/callback"],
                HandOffForm.code
            ),
            ("myapp", "My App", ["myapp://auth-callback"], .sessionToken),
        ].map { clientID, name, uris, form in
            var app = ClientTemplate.native.client(
                id: UniqueID(random: random).text,
                realmID: realmID,
                clientID: clientID
            )
            app.name = name
            app.grantTypes = []
            app.redirectURIs = uris.map { RedirectURI($0) }
            app.handOff.form = form
            app.handOff.isDefault = form == .code
            return app
        }
    }

    /// Whether an app is a demo's, as it was made.
    static func made(_ app: Client) -> Bool {
        apps(random: .system, realmID: app.realmID).contains {
            sameBytes($0.clientID, app.clientID) && $0.redirectURIs == app.redirectURIs
                && $0.handOff == app.handOff
        }
    }

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
        new.clients = [admission.client] + Self.apps(random: moment.random, realmID: new.realm.id)
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
