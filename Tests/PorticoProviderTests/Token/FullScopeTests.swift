import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// What a client gets that sees its own roles only, as Keycloak's clients without full scope.
@Suite("A client that sees its own roles only") struct FullScopeTests {
    /// Alice is `editor` of the realm and `publisher` of web1, which maps roles to claims of its own.
    private static func server(seesRealmRoles: Bool) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            for index in realm.clients.indices {
                let isWeb1 = realm.clients[index].clientID == "web1"
                if !isWeb1, realm.clients[index].clientID != "native1" { continue }
                realm.clients[index].seesAllRoles = false
                if seesRealmRoles {
                    let role = RoleName(clientID: nil, name: "editor")
                    realm.roleLimits.append(
                        RoleLimit(owner: .client(realm.clients[index].id), role: role)
                    )
                }
                realm.clients[index].mappers = [
                    ClaimMapper(.realmRoles(prefix: ""), "all"),
                    ClaimMapper(.clientRoles(of: "web1", prefix: ""), "publishing"),
                ]
            }
        }
    }

    private static func claims(_ client: String, _ server: ProviderUnderTest) async throws
        -> [JSONObject]
    {
        let tokens = try await server.tokens("alice", client)
        let access = try tokens.accessToken
        return [
            try ProviderUnderTest.claims(access),
            try tokens.claims,
            try await server.userInfo(access).json,
        ]
    }

    @Test("roles of the realm stand in no token of it, under no name")
    func realmRoles() async throws {
        let server = try await Self.server(seesRealmRoles: false)
        for claims in try await Self.claims("web1", server) {
            #expect(claims["realm_access"] == nil)
            #expect(claims.strings("all") == nil)
            #expect(
                claims.object("resource_access")?.object("web1")?.strings("roles") == ["publisher"]
            )
            #expect(claims.strings("publishing") == ["publisher"])
        }
    }

    @Test("roles of another client stand in no token of it, whatever its mappers name")
    func otherClient() async throws {
        let server = try await Self.server(seesRealmRoles: false)
        for claims in try await Self.claims("native1", server) {
            #expect(claims["resource_access"] == nil)
            #expect(claims.strings("publishing") == nil)
        }
    }

    @Test("with the realm's roles it has those, and still no one else's")
    func realmRolesSeen() async throws {
        let server = try await Self.server(seesRealmRoles: true)
        for claims in try await Self.claims("native1", server) {
            #expect(claims.object("realm_access")?.strings("roles") == ["editor"])
            #expect(claims.strings("all") == ["editor"])
            #expect(claims["resource_access"] == nil)
        }
    }
}
