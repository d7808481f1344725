import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The realm of a demo that answers as a Keycloak does, for an Expo app that expects one: realm `test`,
/// client `rn-expo-app`, any `exp://` address on this machine or in its network.
struct DemoArticle {
    static let name = "test"

    let installation: Installation

    private static let clientID = "rn-expo-app"

    private static let people = [
        DemoPerson(
            username: "jd",
            givenName: "John",
            email: "john.doe@example.com",
            roles: [RoleName(clientID: clientID, name: "IC")],
            familyName: "Doe"
        ),
        DemoPerson(
            username: "jr",
            givenName: "Jane",
            email: "jane.roe@example.com",
            roles: [RoleName(clientID: clientID, name: "Manager")],
            familyName: "Roe"
        ),
    ]

    private enum Former {
        case none
        /// One that a person made under this name.
        case foreign
        /// With the issuer of this start.
        case here(Realm)
        case elsewhere(Realm)
    }

    private func former() async throws -> Former {
        guard let realm = try await installation.realms.realm(named: Self.name) else {
            return .none
        }
        let made = try await installation.realms.clients(
            realmID: realm.id,
            most: 1,
            where: Self.made
        )
        guard !made.isEmpty else { return .foreign }
        let issuer = try RealmCreation.issuer(
            of: Self.name,
            baseURL: installation.settings.effectivePublicURL
        )
        return sameBytes(realm.issuer, issuer) ? .here(realm) : .elsewhere(realm)
    }

    /// - Throws: `issuer-mismatch` where it cannot be made anew.
    func check() async throws {
        guard case .elsewhere(let former) = try await former() else { return }
        let new = try await new()
        try await DemoRenewal(installation: installation, former: former).check(
            against: new,
            Self.people,
            advice: ["Start it at its own address:", porticoServing(former.issuer, of: Self.name)]
        )
    }

    /// Creates the realm where it is not there yet, and sets new passwords. One that a person made
    /// under this name stays as it is, and so do its people. A checked one with another issuer is made
    /// anew.
    ///
    /// - Returns: The new passwords.
    func prepare() async throws -> [DemoPassword] {
        let realm: Realm
        switch try await former() {
        case .foreign: return []
        case .here(let former): realm = former
        case .elsewhere(let former):
            realm = try await installation.make(new(), inPlaceOf: former)
        case .none: realm = try await installation.make(new(), inPlaceOf: nil)
        }
        return try await installation.prepare(Self.people, in: realm)
    }

    /// The client's name, by which a later start knows its own realm.
    private static let marker = "Expo app of the demo"

    /// Whether a client is the demo's.
    static func made(_ client: Client) -> Bool {
        client.clientID == clientID && client.name == marker
    }

    private func new() async throws -> NewRealm {
        try await installation.registering { registration in
            let newRealm = NewKeycloakRealm(
                ring: installation.ring,
                people: registration,
                baseURL: installation.settings.effectivePublicURL
            )
            return try await newRealm(
                Self.json,
                named: Self.name,
                at: installation.clock.moment()
            )
        }
    }

    private static let json: JSONObject = [
        "realm": .string(name),
        "enabled": true,
        "roles": [
            "client": [clientID: [["name": "Manager"], ["name": "IC"]]]
        ],
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
