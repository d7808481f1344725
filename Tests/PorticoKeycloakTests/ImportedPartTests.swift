import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: what is kept for an export") struct ImportedPartTests {
    private static let members = #"""
        "identityProviders": [
            {"alias": "house", "providerId": "oidc",
                "config": {"clientId": "r", "clientSecret": "s3cret of the house"}},
            {"alias": "house", "providerId": "saml"}, {"alias": "other"}
        ],
        "authenticationFlows": [{"id": "f", "alias": "browser"}, {"alias": "without an id"}],
        "authenticatorConfig": [{"id": "g", "config": {"secret": "s3cret of the puzzle"}}],
        "requiredActions": [{"alias": "CONFIGURE_TOTP", "enabled": true}],
        "clientProfiles": {"profiles": []}, "clientPolicies": {},
        "smtpServer": {"host": "mail.example", "password": "s3cret of the mail"},
        "components": {
            "org.keycloak.storage.UserStorageProvider": [
                {"id": "h", "name": "ldap",
                    "config": {"vendor": ["ad"], "bindCredential": ["s3cret of the tree"]}}
            ],
            "org.keycloak.keys.KeyProvider": [
                {"id": "i", "config": {"privateKey": ["s3cret key"], "secret": ["s3cret key"]}}
            ]
        },
        "loginTheme": "leaves"
        """#

    private static func part(_ kind: String, _ id: String, of new: NewRealm) throws -> RealmPart {
        try #require(new.parts.first { $0.kind == kind && $0.id == id })
    }

    @Test("Providers, flows, actions, policies, mail and components are kept, each once")
    func kept() async throws {
        let imported = try await ImportSample.realm(Self.members)
        let kinds = imported.realm.parts.map { "\($0.kind) \($0.id)" }
        #expect(
            Set(kinds) == [
                "identityProviders house", "identityProviders other", "authenticationFlows f",
                "authenticationFlows without an id", "authenticatorConfig g",
                "requiredActions CONFIGURE_TOTP",
                "clientProfiles ", "smtpServer ", "components h",
            ]
        )
        #expect(Set(kinds).count == kinds.count)
        #expect(imported.realm.parts.allSatisfy { $0.realmID == imported.realm.realm.id })
        #expect(imported.report.says(.skipped, "identityProviders house", "twice"))
        let house = try Self.part("identityProviders", "house", of: imported.realm)
        let expected: JSONObject = [
            "alias": "house", "providerId": "oidc", "config": ["clientId": "r"],
        ]
        #expect(house.document == expected)
        let tree = try Self.part("components", "h", of: imported.realm)
        #expect(
            tree.document.string("providerType") == "org.keycloak.storage.UserStorageProvider"
        )
        #expect(tree.document.object("config")?.strings("vendor") == ["ad"])
        // What has a place of its own does not stand in the realm's settings a second time.
        let settings = imported.realm.realm.kept.object
        #expect(settings.map(\.name) == ["realm", "enabled", "loginTheme", "defaultRole"])
    }

    @Test("Decision 0038: secrets of parts are sealed, each for its part and its realm")
    func sealed() async throws {
        let ring = try KeyRing(random: .system)
        let imported = try await ImportSample.realm(Self.members, ring: ring)
        let seal = RealmPartSeal(ring: ring)
        let cases: [(kind: String, id: String, secrets: JSONObject)] = [
            ("identityProviders", "house", ["config": ["clientSecret": "s3cret of the house"]]),
            ("authenticatorConfig", "g", ["config": ["secret": "s3cret of the puzzle"]]),
            ("smtpServer", "", ["password": "s3cret of the mail"]),
            ("components", "h", ["config": ["bindCredential": ["s3cret of the tree"]]]),
        ]
        for one in cases {
            let part = try Self.part(one.kind, one.id, of: imported.realm)
            let sealed = try #require(part.sealed)
            let opened = try seal.open(sealed, of: part.kind, id: part.id, realmID: part.realmID)
            #expect(opened == one.secrets, "\(one.kind)")
            for (kind, id, realmID) in [
                ("other", part.id, part.realmID), (part.kind, part.id + "x", part.realmID),
                (part.kind, part.id, part.realmID + "x"),
            ] {
                #expect(throws: (any Error).self, "\(one.kind)") {
                    try seal.open(sealed, of: kind, id: id, realmID: realmID)
                }
            }
        }
        let names = Set(cases.map { "\($0.kind) \($0.id)" })
        for part in imported.realm.parts where !names.contains("\(part.kind) \(part.id)") {
            #expect(part.sealed == nil, "\(part.kind) \(part.id)")
        }
        for part in imported.realm.parts {
            let text = String(decoding: part.document.serialized(), as: UTF8.self)
            #expect(!text.contains("s3cret"), "\(part.kind) \(part.id)")
            #expect(part.sealed?.contains("s3cret") != true)
        }
    }
}

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
                {"clientId": "broker", "secret": "s3cret of the broker", "attributes": {
                    "client.secret.rotated": "s3cret of yesterday",
                    "saml.signing.private.key": "s3cret key", "saml.signing.certificate": "open"}},
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
        #expect(clients[2].kept["attributes"] == ["saml.signing.certificate": "open"])
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
