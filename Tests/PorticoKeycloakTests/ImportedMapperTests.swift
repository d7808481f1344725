import PorticoAdministration
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

/// What mappers write is tested where they are evaluated (`MappedTokenTests`).
@Suite("Realm import: which mappers write nothing") struct ImportedMapperTests {
    private static let everywhere = #""access.token.claim": "true", "id.token.claim": "true""#
    private static let fixed = "oidc-hardcoded-claim-mapper"
    private static let attribute = "oidc-usermodel-attribute-mapper"
    private static let realmRoles = "oidc-usermodel-realm-role-mapper"

    @Test("OpenID Connect Core §2: a claim that the protocol gives a meaning is no one's to write")
    func reserved() async throws {
        let claims = [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "nonce", "acr", "amr",
            "auth_time", "at_hash", "sid", "scope", "client_id", "typ", "cnf", "session_state",
        ]
        let kinds: [(String, String)] = [
            (Self.fixed, #""claim.value": "forged""#), (Self.attribute, #""user.attribute": "x""#),
            (Self.realmRoles, #""multivalued": "true""#),
        ]
        var cases: [(kind: String, config: String)] = []
        for claim in claims {
            // Also where a letter is escaped.
            for name in [claim, #"\\"# + claim] {
                // A fixed aud is an audience more, as from before there was a mapper for them.
                for (kind, setting) in kinds where kind != Self.fixed || claim != "aud" {
                    let config = #""claim.name": "\#(name)", \#(setting), \#(Self.everywhere)"#
                    cases.append((kind: kind, config: config))
                }
            }
        }
        for (imported, one) in zip(try await ImportSample.mappers(cases), cases) {
            #expect(imported.client?.mappers.map(\.kind) == [.unknown], "\(one)")
            let words = "mapper m: writes nothing: Only the server itself"
            #expect(imported.says(.skipped, words), "\(one)")
        }
    }

    @Test("A mapper that cannot be evaluated is kept, writes nothing, and is told of, with why")
    func refused() async throws {
        let long = String(repeating: "x", count: 2049)
        let (missing, path, value) = (
            "A setting is missing", "no name that can be written", "not of its type"
        )
        let cases: [(kind: String, config: String, why: String)] = [
            (Self.fixed, #""claim.value": "x""#, missing),
            (Self.fixed, #""claim.name": "", "claim.value": "x""#, missing),
            (Self.fixed, #""claim.name": "a..b", "claim.value": "x""#, path),
            (Self.fixed, #""claim.name": "a\\", "claim.value": "x""#, path),
            (Self.fixed, #""claim.name": "a.b.c.d.e.f.g.h.i", "claim.value": "x""#, path),
            (Self.fixed, #""claim.name": "n", "claim.value": "x", "jsonType.label": "int""#, value),
            (
                Self.fixed, #""claim.name": "n", "claim.value": "{", "jsonType.label": "JSON""#,
                value
            ),
            (Self.attribute, #""claim.name": "n""#, missing),
            (Self.attribute, #""claim.name": "n", "user.attribute": "\#(long)""#, "too long"),
            ("oidc-audience-mapper", #""included.custom.audience": """#, missing),
            ("oidc-hardcoded-role-mapper", #""role": """#, missing),
            ("oidc-sha256-pairwise-sub-mapper", #""sectorIdentifierUri": "x""#, missing),
            ("script-x.js", #""claim.name": "n""#, "A script is not run here"),
            ("oidc-unheard-of-mapper", #""claim.name": "n""#, "not known here"),
        ]
        let clients = try await ImportSample.mappers(
            cases.map { (kind: $0.kind, config: "\($0.config), \(Self.everywhere)") }
        )
        for (imported, one) in zip(clients, cases) {
            #expect(imported.client?.mappers.map(\.kind) == [.unknown], "\(one)")
            let kept = imported.client?.mappers.first?.representation
            #expect(kept?.string("protocolMapper") == one.kind, "\(one)")
            #expect(imported.says(.skipped, "mapper m: writes nothing: "), "\(one)")
            #expect(imported.says(.skipped, one.why), "\(one)")
        }
    }

    @Test("A mapper that is evaluated brings no line: nested claims, prefixes, groups among them")
    func evaluated() async throws {
        let cases: [(kind: String, config: String)] = [
            (Self.fixed, #""claim.name": "a.b", "claim.value": "x""#),
            (Self.fixed, #""claim.name": "aud", "claim.value": "x""#),
            (Self.fixed, #""claim.name": "n", "claim.value": "yes", "jsonType.label": "boolean""#),
            (Self.attribute, #""claim.name": "n", "user.attribute": "x", "jsonType.label": "int""#),
            (
                Self.realmRoles,
                #""claim.name": "n", "usermodel.realmRoleMapping.rolePrefix": "p_""#
            ),
            (
                "oidc-usermodel-client-role-mapper",
                #""claim.name": "resource_access.${client_id}.roles""#
            ),
            ("oidc-group-membership-mapper", #""claim.name": "groups", "full.path": "true""#),
            ("oidc-full-name-mapper", #""claim.name": """#), ("oidc-address-mapper", #""x": "y""#),
            ("oidc-acr-mapper", #""x": "y""#), ("oidc-allowed-origins-mapper", #""x": "y""#),
        ]
        let clients = try await ImportSample.mappers(
            cases.map { (kind: $0.kind, config: "\($0.config), \(Self.everywhere)") }
        )
        for (imported, one) in zip(clients, cases) {
            #expect(imported.client?.mappers.count == 1, "\(one)")
            #expect(!imported.says(.skipped, ""), "\(one)")
        }
    }

    @Test("Mappers of clients and scopes are kept as the file has them, of other protocols too")
    func kept() async throws {
        let mappers = #"""
            "protocolMappers": [
                {"id": "m-1", "name": "one", "protocol": "openid-connect", "consentRequired": true,
                    "protocolMapper": "script-x.js", "config": {"anything": "a", "empty": ""}},
                {"name": "two", "protocol": "saml", "protocolMapper": "saml-role-list-mapper"}
            ]
            """#
        let imported = try await ImportSample.realm(
            """
            "clientScopes": [{"name": "s", \(mappers)}],
            "clients": [{"clientId": "a", "redirectUris": ["https://a.example/cb"], \(mappers)}]
            """
        )
        let expected: [JSONObject] = [
            ["name": "two", "protocol": "saml", "protocolMapper": "saml-role-list-mapper"],
            [
                "id": "m-1", "name": "one", "protocol": "openid-connect", "consentRequired": true,
                "protocolMapper": "script-x.js", "config": ["anything": "a", "empty": ""],
            ],
        ]
        let client = try #require(imported.realm.clients.first)
        let scope = try #require(imported.realm.scopes.first)
        for owner in [MapperOwner.client(client), .scope(scope)] {
            #expect(owner.mappers.map(\.name) == ["one"])
            #expect(owner.representations == expected)
        }
        for subject in ["client a", "scope s"] {
            #expect(imported.report.says(.skipped, subject, "mapper one: writes nothing"))
            #expect(!imported.report.says(.skipped, subject, "mapper two"))
        }
    }
}
