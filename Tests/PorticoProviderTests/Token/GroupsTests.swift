import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("The scope groups: roles in one flat claim") struct GroupsTests {
    /// Alice is `editor` of the realm and `publisher` of web1; native1 and web1 may ask for `groups`.
    private static func server(
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

    @Test("the realm's roles stand in it by their names, a client's with the client in front")
    func flat() async throws {
        let server = try await Self.server()
        for groups in try await Self.groups(server) {
            #expect(groups == ["editor", "web1:publisher"])
        }
        // No one's roles are an empty list, and no missing claim.
        for groups in try await Self.groups(server, "bob") { #expect(groups == []) }
    }

    @Test("no role is taken for another: what could be two of them is none")
    func colons() throws {
        let mapper = ClaimMapper(
            id: "m",
            name: "groups",
            kind: .roleList,
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
            clientID: "a"
        )
        let token = MappedToken([mapper], for: .accessToken, input: input)
        #expect(token.claims.strings("groups") == ["a:admin", "a:b:c", "editor"])
    }

    @Test("it is there where it was asked for, and where the client may ask for it")
    func asked() async throws {
        for groups in try await Self.groups(try await Self.server(), scope: "openid") {
            #expect(groups == nil)
        }
        let server = try await Self.server { $0.optionalScopes.removeAll { $0 == "groups" } }
        for groups in try await Self.groups(server) { #expect(groups == nil) }
    }

    @Test("what the client may not see does not stand in it")
    func visible() async throws {
        let server = try await Self.server { $0.seesAllRoles = false }
        for groups in try await Self.groups(server) { #expect(groups == []) }
    }

    @Test("a mapper that was made for the claim adds to it")
    func mapped() async throws {
        let server = try await Self.server {
            $0.mappers = [ClaimMapper(.clientRoles(of: "web1", prefix: ""), "groups")]
        }
        for groups in try await Self.groups(server) {
            #expect(groups == ["editor", "web1:publisher", "publisher"])
        }
    }

    @Test("the metadata names scope and claim")
    func metadata() async throws {
        let document = try await Self.server()
            .send(.get, "/realms/test/.well-known/openid-configuration").json
        #expect(document.strings("scopes_supported")?.contains("groups") == true)
        #expect(document.strings("claims_supported")?.contains("groups") == true)
    }
}
