import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: where secrets stand") struct ImportedSecretTests {
    @Test("Decision 0038: no secret of the file stands anywhere in the clear, nor in the report")
    func nowhere() async throws {
        let imported = try await ImportSample.realm(
            #"""
            "clients": [
                {"clientId": "a", "secret": "s3cret of client a", "redirectUris": ["https://a.example/cb"],
                    "registrationAccessToken": "s3cret token", "attributes": {
                        "client.secret.rotated": "s3cret of yesterday",
                        "saml.signing.private.key": "s3cret key"}},
                {"clientId": "b", "publicClient": true, "secret": "s3cret of a public client"},
                {"clientId": "broker", "secret": "s3cret of the broker"},
                {"clientId": "c", "secret": "s3cret\nof two lines"},
                {"clientId": "d", "clientAuthenticatorType": "client-jwt", "secret": "s3cret of d"}
            ],
            "identityProviders": [{"alias": "i", "config": {"clientSecret": "s3cret of a provider"}}],
            "smtpServer": {"password": "s3cret of the mail"},
            "components": {
                "org.keycloak.keys.KeyProvider": [
                    {"id": "k", "config": {"privateKey": ["s3cret key"], "secret": ["s3cret key"]}}
                ],
                "org.keycloak.storage.UserStorageProvider": [
                    {"id": "l", "config": {"bindCredential": ["s3cret of the tree"]}}
                ]
            },
            "users": [
                {"username": "ann", "enabled": true,
                    "credentials": [{"value": "s3cret of ann"},
                        {"type": "otp", "secretData": "{\"value\": \"s3cret seed\"}"}]},
                {"username": "bob", "enabled": true,
                    "credentials": [{"value": "s3cret", "temporary": true}]},
                {"username": "cid", "credentials": [{"secretData": "{\"value\": \"s3cret hash\"}"},
                    {"type": "otp", "secretData": "s3cret seed", "credentialData": "s3cret data"}]}
            ]
            """#
        )
        let new = imported.realm
        try #require(new.people.count == 3 && new.parts.count == 3)
        let clients = new.clients.prefix(5)
        #expect(clients.map(\.clientID) == ["a", "b", "broker", "c", "d"])
        for client in clients {
            #expect(client.kept["secret"] == nil, "\(client.clientID)")
            guard client.clientID == "a" else {
                // One whose keys are not there gets a secret that no one knows.
                if client.clientID == "c" || client.clientID == "d" {
                    #expect(client.secret?.isMade == true)
                    #expect(client.isEnabled == (client.clientID == "c"))
                } else {
                    #expect(client.secret == nil, "\(client.clientID)")
                }
                continue
            }
            guard case .sealed? = client.secret else {
                Issue.record("The secret is not sealed.")
                continue
            }
        }
        for thing in [
            "\(new.realm)", "\(new.clients)", "\(new.scopes)", "\(new.roles)", "\(new.people)",
            "\(new.parts)", "\(imported.report)",
        ] {
            #expect(!thing.contains("s3cret"), "\(thing)")
        }
    }
}

extension ClientSecret {
    fileprivate var isMade: Bool {
        if case .hashed = self { true } else { false }
    }
}
