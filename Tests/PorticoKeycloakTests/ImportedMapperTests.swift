import PorticoAdministration
import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

/// What mappers write, and which do, is tested where they are evaluated (``MapperCodecTests``).
@Suite("Realm import: which mappers write nothing") struct ImportedMapperTests {
    private static let everywhere = #""access.token.claim": "true", "id.token.claim": "true""#
    private static let fixed = "oidc-hardcoded-claim-mapper"
    private static let attribute = "oidc-usermodel-attribute-mapper"

    @Test("A mapper that cannot be evaluated is kept, writes nothing, and is told of, with why")
    func refused() async throws {
        let long = String(repeating: "x", count: 2049)
        let reserved = "Only the server itself"
        let cases: [(kind: String, config: String, why: String)] = [
            (Self.fixed, #""claim.name": "iss", "claim.value": "forged""#, reserved),
            (Self.attribute, #""claim.name": "aud", "user.attribute": "x""#, reserved),
            ("oidc-usermodel-realm-role-mapper", #""claim.name": "\\sub""#, reserved),
            (Self.fixed, #""claim.name": "", "claim.value": "x""#, "A setting is missing"),
            (
                Self.fixed, #""claim.name": "a..b", "claim.value": "x""#,
                "no name that can be written"
            ),
            (
                Self.fixed, #""claim.name": "a.b.c.d.e.f.g.h.i", "claim.value": "x""#,
                "no name that can be written"
            ),
            (
                Self.fixed, #""claim.name": "n", "claim.value": "x", "jsonType.label": "int""#,
                "not of its type"
            ),
            (Self.attribute, #""claim.name": "n", "user.attribute": "\#(long)""#, "too long"),
            ("script-x.js", #""claim.name": "n""#, "A script is not run here"),
            ("oidc-unheard-of-mapper", #""claim.name": "n""#, "not known here"),
        ]
        let clients = try await ImportSample.mappers(
            cases.map { (kind: $0.kind, config: "\($0.config), \(Self.everywhere)") }
        )
        for (imported, one) in zip(clients, cases) {
            #expect(imported.client?.mappers.map(\.kind) == [.plain(.unknown)], "\(one)")
            let kept = imported.client?.mappers.first?.representation
            #expect(kept?.string("protocolMapper") == one.kind, "\(one)")
            #expect(imported.says(.skipped, "mapper m: writes nothing: "), "\(one)")
            #expect(imported.says(.skipped, one.why), "\(one)")
        }
    }

    @Test("Mappers of a client that came are read anew by the next file, and told of again")
    func again() async throws {
        let scene = try OverwriteScene()
        let file = #"""
            {"realm": "a", "enabled": true, "clients": [{"clientId": "web", "protocolMappers": [
                {"name": "fixed", "protocolMapper": "\#(Self.fixed)",
                 "config": {"claim.name": "n", "claim.value": "x", "id.token.claim": "true"}},
                {"name": "script", "protocolMapper": "script-x.js", "config": {}}]}]}
            """#
        let first = try await scene.write(file).report
        // As from a time when the kind was not known here.
        try await scene.change(client: "web") { client in
            let fixed = client.mappers[0]
            client.mappers[0] = ClaimMapper(
                id: fixed.id,
                name: fixed.name,
                kind: .plain(.unknown),
                claim: fixed.claim,
                targets: []
            )
            client.mappers[0].kept = fixed.kept
        }
        let second = try await scene.write(file).report
        let mappers = try #require(try await scene.client("web")).mappers
        #expect(mappers.map(\.kind) == [.fixedClaim("x"), .plain(.unknown)])
        for report in [first, second] {
            #expect(report.says(.skipped, "client web", "mapper script: writes nothing"))
        }
        #expect(try await scene.write(file).differences == RealmImporter.Differences())
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
