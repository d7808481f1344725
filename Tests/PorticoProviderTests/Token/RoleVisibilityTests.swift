import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Which clients' roles a client sees (RFC 9068 §2.2.3.1)") struct RoleVisibilityTests {
    /// Alice has the role `publisher` of web1 and `driver` of other1.
    private static func server(_ visible: [String]?) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            realm.roles.append(
                Role(
                    id: "role-driver",
                    realmID: realm.realm.id,
                    clientID: "other1",
                    name: "driver",
                    description: ""
                )
            )
            realm.people[0].roles.append(RoleName(clientID: "other1", name: "driver"))
            guard let visible else { return }
            realm.clients[client: "native1"].seesAllRoles = false
            realm.roleLimits = visible.map { name in
                RoleLimit(
                    owner: .client(realm.clients[client: "native1"].id),
                    role: RoleName(clientID: name, name: name == "web1" ? "publisher" : "driver")
                )
            }
        }
    }

    /// The clients whose roles stand in access token, ID Token, UserInfo, and the tokens of a refresh.
    private static func seen(_ server: ProviderUnderTest) async throws -> [[String]] {
        let tokens = try await server.tokens()
        let again = try await server.refresh(tokens.refreshToken)
        var claims = [try await server.userInfo(tokens.accessToken).json]
        for reply in [tokens, again] {
            for name in ["access_token", "id_token"] {
                let token = try JWT(parsing: try #require(reply.json.string(name)))
                claims.append(try token.uncheckedClaims())
            }
        }
        return claims.map { ($0.object("resource_access") ?? [:]).map(\.name).sorted() }
    }

    @Test(
        "only those that it may see stand in what it gets",
        arguments: [
            (nil, ["other1", "web1"]), ([], []), (["web1"], ["web1"]), (["other1"], ["other1"]),
            (["other1", "web1"], ["other1", "web1"]),
        ] as [([String]?, [String])]
    )
    func visible(_ visible: [String]?, _ expected: [String]) async throws {
        let seen = try await Self.seen(try await Self.server(visible))
        #expect(seen.count == 5)
        for clients in seen { #expect(clients == expected) }
    }

    @Test("another client of the realm sees what it may, whatever this one may not")
    func others() async throws {
        let tokens = try await Self.server([]).tokens("alice", "web1")
        let access = try JWT(parsing: try tokens.accessToken)
        let roles = try access.uncheckedClaims().object("resource_access")
        #expect(roles?.object("web1")?.strings("roles") == ["publisher"])
        #expect(roles?.object("other1")?.strings("roles") == ["driver"])
    }

    @Test("KC-U-2: a mapper for one client's roles puts those, and no others, into UserInfo")
    func mapped() async throws {
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices {
                realm.clients[index].mappers = [
                    ClaimMapper(.clientRoles(of: "web1", prefix: ""), "roles", into: [.userInfo])
                ]
            }
        }
        for (name, expected) in [("alice", ["publisher"]), ("bob", nil)] {
            let tokens = try await server.tokens(name)
            let access = try tokens.accessToken
            #expect(try await server.userInfo(access).json.strings("roles") == expected)
            #expect(try JWT(parsing: access).uncheckedClaims()["roles"] == nil)
        }
    }
}
