import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import Testing

@testable import PorticoKeycloak

/// Identity providers of realms' files, as people sign in with them (docs/decisions/0169).
@Suite("Identity providers of a file") struct FileProviderTests {
    private let ring: KeyRing

    init() throws {
        ring = try KeyRing(random: .system)
    }

    private func part(_ json: String) throws -> RealmPart {
        let object = try JSONObject(parsing: Array(json.utf8))
        return RealmPartSeal(ring: ring).part(
            object,
            of: IdentityProviderRepresentation.kind,
            id: object.string("alias") ?? "",
            realmID: "r",
            random: .system
        )
    }

    private func record(_ json: String) throws -> ProviderRecord {
        FileProvider.record(try part(json), ring: ring)
    }

    @Test("an OpenID provider has the settings that its representation says")
    func openID() throws {
        let record = try record(
            #"""
            {"alias": "corp", "displayName": "Corp", "providerId": "oidc", "enabled": true,
             "config": {"issuer": "https://sso.example.com", "clientId": "c", "clientSecret": "s",
                "clientAuthMethod": "client_secret_basic", "defaultScope": "profile email",
                "pkceEnabled": "true", "pkceMethod": "S256", "guiOrder": "3"}}
            """#
        )
        #expect(record.source == .file(obstacle: nil) && record.isEnabled && !record.isHidden)
        #expect(record.kind == "oidc" && record.name == "corp" && record.place == 1_000_003)
        let expected: JSONObject = [
            "clientID": "c", "displayName": "Corp", "issuer": "https://sso.example.com",
            "scopes": ["openid", "profile", "email"], "authentication": "client_secret_basic",
            "pkceUnannounced": true,
        ]
        #expect(record.settings == expected)
        #expect(try FileProvider.secret(of: record, ring: ring)?.reveal() == "s")
    }

    @Test("Google, Facebook and Apple are the vendors")
    func vendors() throws {
        let google = try record(
            #"""
            {"alias": "google", "providerId": "google", "hideOnLogin": true,
             "config": {"clientId": "g", "clientSecret": "s", "hostedDomain": "a.example, b.example"}}
            """#
        )
        #expect(google.isEnabled && google.isHidden)
        #expect(google.settings.strings("hostedDomains") == ["a.example", "b.example"])
        let facebook = try record(
            #"{"alias": "fb", "providerId": "facebook", "config": {"clientId": "1", "clientSecret": "s"}}"#
        )
        #expect(facebook.isEnabled && facebook.kind == "facebook")
        let key = """
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2
            OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r
            1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G
            """.replacing("\n", with: #"\n"#)
        let apple = try record(
            """
            {"alias": "apple", "providerId": "apple", "config": {"clientId": "com.example.web",
             "teamId": "ABCDE12345", "keyId": "K1", "clientSecret": "\(key)"}}
            """
        )
        #expect(apple.source == .file(obstacle: nil))
        #expect(try FileProvider.secret(of: apple, ring: ring)?.reveal().contains("BEGIN") == true)
    }

    static let obstacles: [(String, String)] = [
        (#""providerId": "saml", "config": {}"#, "the kind saml is not supported"),
        (#""providerId": "github", "config": {"clientId": "c"}"#, "the kind github"),
        (#""providerId": "oidc", "config": {"clientId": "c"}"#, "The setting issuer is missing."),
        (
            #""providerId": "oidc", "config": {"clientId": "c", "issuer": "http://sso.example.com"}"#,
            "The issuer must be https."
        ),
        (
            #""providerId": "google", "config": {"clientId": "c", "clientSecret": "**********"}"#,
            "the export masked its secret: set it"
        ),
        (#""providerId": "google", "config": {"clientId": "c"}"#, "it has no secret: set it"),
        (
            #"""
            "providerId": "oidc", "config": {"clientId": "c", "issuer": "https://sso.example.com",
            "clientAuthMethod": "private_key_jwt"}
            """#, "it authenticates by private_key_jwt"
        ),
        (
            #""providerId": "google", "config": {"clientId": "c", "clientSecret": "s", "hostedDomain": "*"}"#,
            "any Workspace domain"
        ),
        (
            #"""
            "providerId": "oidc", "config": {"clientId": "c", "issuer": "https://sso.example.com",
            "filteredByClaim": "true", "claimFilterName": "groups"}
            """#, "by a claim"
        ),
        (
            #""providerId": "google", "config": {"clientId": "c", "clientSecret": "${vault.g}"}"#,
            "its secret is in a vault: set it"
        ),
        (
            #"""
            "providerId": "google", "postBrokerLoginFlowAlias": "otp",
            "config": {"clientId": "c", "clientSecret": "s"}
            """#, "postBrokerLoginFlowAlias"
        ),
        (
            #"""
            "providerId": "google", "organizationId": "o",
            "config": {"clientId": "c", "clientSecret": "s"}
            """#, "an organisation's"
        ),
        (
            #""providerId": "google", "linkOnly": true, "config": {"clientId": "c", "clientSecret": "s"}"#,
            "it is for linking only"
        ),
    ]

    @Test("what cannot sign people in is disabled, and says why", arguments: obstacles)
    func obstacle(_ members: String, _ why: String) throws {
        let record = try record(#"{"alias": "idp", "enabled": true, \#(members)}"#)
        #expect(!record.isEnabled)
        guard case .file(let obstacle?) = record.source else {
            Issue.record("\(record.source)")
            return
        }
        #expect(obstacle.contains(why), "\(obstacle)")
    }

    @Test("an alias that no address can have is an obstacle")
    func alias() throws {
        for alias in ["Hub", "a/b", "../x", "ä"] {
            let record = try record(
                #"""
                {"alias": "\#(alias)", "providerId": "google",
                 "config": {"clientId": "c", "clientSecret": "s"}}
                """#
            )
            #expect(!record.isEnabled, "\(alias)")
        }
    }

    @Test("a new secret takes the masked one's place, and another ring opens neither")
    func secret() throws {
        let masked = try part(
            #"""
            {"alias": "google", "providerId": "google", "trustEmail": true,
             "config": {"clientId": "c", "clientSecret": "**********"}}
            """#
        )
        #expect(!FileProvider.record(masked, ring: ring).isEnabled)
        let changed = try FileProvider.changed(
            masked,
            secret: SecretText("new one"),
            isEnabled: nil,
            ring: ring,
            random: .system
        )
        let record = FileProvider.record(changed, ring: ring)
        #expect(record.isEnabled)
        #expect(changed.document == masked.document)
        #expect(try FileProvider.secret(of: record, ring: ring)?.reveal() == "new one")
        let other = FileProvider.record(changed, ring: try KeyRing(random: .system))
        #expect(other.source == .file(obstacle: "its secret does not open with the key ring"))
        let off = try FileProvider.changed(
            changed,
            secret: nil,
            isEnabled: false,
            ring: ring,
            random: .system
        )
        #expect(!FileProvider.record(off, ring: ring).isEnabled)
    }
}
