import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Which roles a client sees (RFC 9068 §2.2.3.1)") struct RoleVisibilityTests {
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

    /// Alice is `editor` of the realm and `publisher` of web1; native1 and web1 may ask for `groups`.
    private static func realm(
        _ change: (inout Client) -> Void = { _ in }
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { realm in
            for index in realm.clients.indices {
                realm.clients[index].optionalScopes.append("groups")
                change(&realm.clients[index])
            }
        }
    }

    private static func groups(
        _ server: ProviderUnderTest,
        _ person: String = "alice",
        scope: String = "openid groups"
    ) async throws -> [[String]?] {
        let tokens = try await server.tokens(person, "native1", scope: scope)
        let access = try tokens.accessToken
        return [
            try ProviderUnderTest.claims(access),
            try tokens.claims,
            try await server.userInfo(access).json,
        ].map { $0.strings("groups") }
    }

    @Test("groups: the realm's roles by their names, a client's with the client in front")
    func flat() async throws {
        let server = try await Self.realm()
        for groups in try await Self.groups(server) {
            #expect(groups == ["editor", "web1:publisher"])
        }
        // No one's roles are an empty list, and no missing claim.
        for groups in try await Self.groups(server, "bob") { #expect(groups == []) }
    }

    @Test("groups: no role is taken for another: what could be two of them is none")
    func colons() throws {
        let mapper = ClaimMapper(
            id: "m",
            name: "groups",
            kind: .plain(.roleList),
            claim: ClaimPath("groups"),
            targets: [.accessToken]
        )
        let input = MapperInput(
            person: Person(id: "p", realmID: "r", username: "ann", createdAt: 0),
            roles: [
                RoleName(clientID: nil, name: "editor"), RoleName(clientID: nil, name: "a:admin"),
                RoleName(clientID: "a", name: "b:c"), RoleName(clientID: "a:b", name: "c"),
                RoleName(clientID: "a", name: "admin"),
            ],
            groups: [],
            clientID: "a",
            sector: nil,
            allowedOrigins: [],
            acr: nil,
            amr: [],
            nonce: nil,
            sessionID: nil,
            authTime: nil,
            notes: [:],
            requested: nil
        )
        let token = MappedToken([mapper], for: .accessToken, input: input)
        #expect(token.claims.strings("groups") == ["a:admin", "a:b:c", "editor"])
    }

    @Test("groups: it is there where it was asked for, if the client may ask for it")
    func asked() async throws {
        for groups in try await Self.groups(try await Self.realm(), scope: "openid") {
            #expect(groups == nil)
        }
        let server = try await Self.realm { $0.optionalScopes.removeAll { $0 == "groups" } }
        for groups in try await Self.groups(server) { #expect(groups == nil) }
    }

    @Test("groups: what the client may not see does not stand in it")
    func visibleGroups() async throws {
        let server = try await Self.realm { $0.seesAllRoles = false }
        for groups in try await Self.groups(server) { #expect(groups == []) }
    }

    @Test("groups: a mapper that was made for the claim adds to it")
    func mappedGroups() async throws {
        let server = try await Self.realm {
            $0.mappers = [ClaimMapper(.clientRoles(of: "web1", prefix: ""), "groups")]
        }
        for groups in try await Self.groups(server) {
            #expect(groups == ["editor", "web1:publisher", "publisher"])
        }
    }

    @Test("groups: the metadata names scope and claim")
    func metadata() async throws {
        let document = try await Self.realm()
            .send(.get, "/realms/test/.well-known/openid-configuration").json
        #expect(document.strings("scopes_supported")?.contains("groups") == true)
        #expect(document.strings("claims_supported")?.contains("groups") == true)
    }

    /// Alice is `editor` of the realm and `publisher` of web1, which maps roles to claims of its own.
    private static func limited(seesRealmRoles: Bool) async throws -> ProviderUnderTest {
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

    @Test("a client that sees only its own roles has none of the realm's, under no name")
    func realmRoles() async throws {
        let server = try await Self.limited(seesRealmRoles: false)
        for claims in try await Self.claims("web1", server) {
            #expect(claims["realm_access"] == nil)
            #expect(claims.strings("all") == nil)
            #expect(
                claims.object("resource_access")?.object("web1")?.strings("roles") == ["publisher"]
            )
            #expect(claims.strings("publishing") == ["publisher"])
        }
    }

    @Test("a client that sees only its own roles has no other client's, whatever mappers name")
    func otherClient() async throws {
        let server = try await Self.limited(seesRealmRoles: false)
        for claims in try await Self.claims("native1", server) {
            #expect(claims["resource_access"] == nil)
            #expect(claims.strings("publishing") == nil)
        }
    }

    @Test("a client that also sees the realm's roles has those, and still no one else's")
    func realmRolesSeen() async throws {
        let server = try await Self.limited(seesRealmRoles: true)
        for claims in try await Self.claims("native1", server) {
            #expect(claims.object("realm_access")?.strings("roles") == ["editor"])
            #expect(claims.strings("all") == ["editor"])
            #expect(claims["resource_access"] == nil)
        }
    }
}
