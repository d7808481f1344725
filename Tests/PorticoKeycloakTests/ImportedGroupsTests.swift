import PorticoProtocol
import PorticoStores
import Testing

@testable import PorticoKeycloak

@Suite("A client scope groups of a realm file")
struct ImportedGroupsTests {
    private func client(_ scopes: String) async throws -> (
        client: Client, new: NewRealm, report: ImportReport
    ) {
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
        return (
            try #require(imported.realm.clients.first), imported.realm, imported.report
        )
    }

    @Test("its name stays a name of its own, which means what its mappers write")
    func groups() async throws {
        let (client, new, report) = try await client(
            """
            {"name": "groups", "protocol": "openid-connect", "protocolMappers": [{
                "name": "m", "protocolMapper": "oidc-usermodel-realm-role-mapper",
                "config": {"claim.name": "groups", "id.token.claim": "true"}}]}
            """
        )
        #expect(client.defaultScopes == ["groups"])
        // One that it gets is not one that it may ask for.
        #expect(client.optionalScopes.isEmpty)
        #expect(client.tokenForm == .mapped, "it has a meaning of its own in standard tokens")
        #expect(client.mappers.isEmpty)
        #expect(new.scopes.map(\.name) == ["groups"])
        #expect(new.scopes.first?.mappers.count == 1)
        #expect(!report.says(.skipped, "scope groups", "mapper m"))
    }
}
