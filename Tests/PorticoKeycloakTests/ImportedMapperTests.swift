import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("Realm import: what stands in tokens") struct ImportedMapperTests {
    private static let everywhere = #""access.token.claim": "true", "id.token.claim": "true""#
    private static let fixed = "oidc-hardcoded-claim-mapper"
    private static let attribute = "oidc-usermodel-attribute-mapper"
    private static let realmRoles = "oidc-usermodel-realm-role-mapper"

    @Test("OpenID Connect Core §2: a claim that the protocol gives a meaning is no one's to write")
    func reserved() async throws {
        let claims = [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "nonce", "acr", "amr",
            "at_hash", "sid", "scope", "client_id", "typ", "cnf",
        ]
        let kinds = [
            (Self.fixed, #""claim.value": "forged""#), (Self.attribute, #""user.attribute": "x""#),
            (Self.realmRoles, #""multivalued": "true""#),
        ]
        // Also where a letter is escaped.
        let cases = claims.flatMap { [$0, #"\\"# + $0] }.flatMap { claim in
            kinds.map { ($0.0, #""claim.name": "\#(claim)", \#($0.1), \#(Self.everywhere)"#) }
        }
        for (imported, (kind, config)) in zip(try await ImportSample.mappers(cases), cases) {
            #expect(imported.client?.mappers == [], "\(kind) \(config)")
            #expect(imported.says(.skipped, "mapper m"), "\(kind) \(config)")
        }
    }

    @Test("A mapper that means something else here than there is left out")
    func leftOut() async throws {
        let cases = [
            (Self.fixed, #""claim.name": "a.b", "claim.value": "x""#),
            (Self.fixed, #""claim.name": "${client_id}", "claim.value": "x""#),
            (Self.fixed, #""claim.value": "x""#),
            (Self.fixed, #""claim.name": "n", "claim.value": "x", "jsonType.label": "int""#),
            (Self.fixed, #""claim.name": "n", "claim.value": "yes", "jsonType.label": "boolean""#),
            (Self.fixed, #""claim.name": "n", "claim.value": "{", "jsonType.label": "JSON""#),
            (Self.attribute, #""claim.name": "n""#),
            (Self.attribute, #""claim.name": "n", "user.attribute": "x", "jsonType.label": "int""#),
            ("oidc-usermodel-client-role-mapper", #""claim.name": "n""#),
            (
                Self.realmRoles,
                #""claim.name": "n", "usermodel.realmRoleMapping.rolePrefix": "p_""#
            ),
            ("oidc-audience-mapper", #""included.custom.audience": """#),
            ("oidc-group-membership-mapper", #""claim.name": "groups""#),
            ("script-x.js", #""claim.name": "n""#),
        ]
        let clients = try await ImportSample.mappers(
            cases.map { ($0.0, "\($0.1), \(Self.everywhere)") }
        )
        for (imported, (kind, config)) in zip(clients, cases) {
            #expect(imported.client?.mappers == [], "\(kind) \(config)")
            #expect(imported.says(.skipped, "mapper m"), "\(kind) \(config)")
        }
    }

    @Test("A claim goes into the tokens that the mapper names, and into no other")
    func targets() async throws {
        let cases: [(String, Set<ClaimMapper.Target>)] = [
            (#""access.token.claim": "true""#, [.accessToken]),
            (#""id.token.claim": "true""#, [.idToken, .userInfo]),
            (#""id.token.claim": "true", "userinfo.token.claim": "false""#, [.idToken]),
            (#""userinfo.token.claim": true"#, [.userInfo]),
            (#""access.token.claim": "TRUE", "userinfo.token.claim": "true""#, [.userInfo]),
            (#""access.token.claim": "false""#, []), (#""lightweight.claim": "true""#, []),
        ]
        let clients = try await ImportSample.mappers(
            cases.map { (Self.fixed, #""claim.name": "n", "claim.value": "x", \#($0.0)"#) }
        )
        for (imported, (config, expected)) in zip(clients, cases) {
            #expect((imported.client?.mappers.first?.targets ?? []) == expected, "\(config)")
        }
    }

    @Test("RFC 9068 §3: an audience is for access tokens; one for ID Tokens alone adds none")
    func audience() async throws {
        let kind = "oidc-audience-mapper"
        let clients = try await ImportSample.mappers([
            (kind, #""included.custom.audience": "https://api.example", "id.token.claim": "true""#),
            (
                kind,
                """
                "included.client.audience": "shop",
                "included.custom.audience": "https://api.example", "access.token.claim": "true"
                """
            ),
        ])
        #expect(clients[0].client?.mappers == [])
        #expect(
            clients[1].client?.mappers == [ClaimMapper(.audience("shop"), into: [.accessToken])]
        )
    }

    @Test("Values have the type that the mapper names")
    func values() async throws {
        let cases: [(String, String, JSONValue)] = [
            ("String", "7", "7"), ("int", "7", 7), ("long", "-7", -7), ("boolean", "true", true),
            ("JSON", #"{\"a\": [1]}"#, ["a": [1]]),
        ]
        let clients = try await ImportSample.mappers(
            cases.map { type, text, _ in
                let value = #""claim.name": "n", "claim.value": "\#(text)""#
                return (Self.fixed, value + #", "jsonType.label": "\#(type)", "# + Self.everywhere)
            }
        )
        for (imported, (type, _, value)) in zip(clients, cases) {
            let source = imported.client?.mappers.first?.source
            #expect(source == .fixed(claim: "n", value: value), "\(type)")
        }
    }
}
