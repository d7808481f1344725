import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("A client scope groups of a realm file")
struct ImportedGroupsTests {
    private func client(_ scopes: String) async throws -> (client: Client, report: ImportReport) {
        let imported = try #require(
            try await RealmImportTests.read(
                """
                {"realm": "acme", "clientScopes": [\(scopes)], "clients": [{
                    "clientId": "a", "redirectUris": ["https://a.example/cb"],
                    "defaultClientScopes": ["groups", "email"],
                    "optionalClientScopes": ["groups", "phone"]}]}
                """
            ).first
        )
        return (try #require(imported.realm.clients.first), imported.report)
    }

    @Test("its name is left out, because here it means roles; what its mappers write is written")
    func groups() async throws {
        let (client, report) = try await client(
            """
            {"name": "groups", "protocol": "openid-connect", "protocolMappers": [{
                "name": "m", "protocolMapper": "oidc-usermodel-realm-role-mapper",
                "config": {"claim.name": "groups", "id.token.claim": "true"}}]}
            """
        )
        #expect(!client.defaultScopes.contains("groups"))
        #expect(!client.optionalScopes.contains("groups"))
        #expect(client.defaultScopes.contains("email"))
        #expect(client.mappers.map(\.source) == [.realmRoles(claim: "groups")])
        #expect(report.says(.changed, "client a", "scope groups"))
    }
}
