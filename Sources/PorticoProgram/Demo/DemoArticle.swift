import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The realm of a demo that answers as a Keycloak does, for an Expo app that expects one: realm `test`,
/// client `rn-expo-app`, any `exp://` address on this machine or in its network.
struct DemoArticle: DemoRealmMaker {
    static let name = "test"

    let installation: Installation

    private static let clientID = "rn-expo-app"

    let people = [
        DemoPerson(
            username: "jd",
            givenName: "John",
            email: "john.doe@example.com",
            roles: [RoleName(clientID: Self.clientID, name: "IC")],
            familyName: "Doe"
        ),
        DemoPerson(
            username: "jr",
            givenName: "Jane",
            email: "jane.roe@example.com",
            roles: [RoleName(clientID: Self.clientID, name: "Manager")],
            familyName: "Roe"
        ),
    ]

    func isForeign(_ realm: Realm) async throws -> Bool {
        try await installation.realms.clients(realmID: realm.id, most: 1, where: Self.made).isEmpty
    }

    /// The client's name, by which a later start knows its own realm.
    private static let marker = "Expo app of the demo"

    static func made(_ client: Client) -> Bool {
        client.clientID == clientID && client.name == marker
    }

    func new() async throws -> NewRealm {
        try await installation.registering { registration in
            let newRealm = NewKeycloakRealm(
                ring: installation.ring,
                people: registration,
                baseURL: installation.settings.effectivePublicURL
            )
            return try await newRealm(Self.json, named: Self.name, at: installation.clock.moment())
        }
    }

    private static let json: JSONObject = [
        "realm": .string(name),
        "enabled": true,
        "roles": ["client": [clientID: [["name": "Manager"], ["name": "IC"]]]],
        "clients": [
            [
                "clientId": .string(clientID),
                "name": .string(marker),
                "enabled": true,
                "publicClient": true,
                "standardFlowEnabled": true,
                "fullScopeAllowed": true,
                // Expo's address while an app is developed is that of the machine.
                "redirectUris": ["exp://*", "http://127.0.0.1/callback"],
                "protocolMappers": [
                    [
                        "name": "client roles",
                        "protocol": "openid-connect",
                        "protocolMapper": "oidc-usermodel-client-role-mapper",
                        "config": [
                            "usermodel.clientRoleMapping.clientId": .string(clientID),
                            "claim.name": "roles",
                            "jsonType.label": "String",
                            "multivalued": "true",
                            "access.token.claim": "true",
                            "userinfo.token.claim": "true",
                        ],
                    ]
                ],
            ]
        ],
    ]
}
