import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A client's own account") struct ServiceAccountTests {
    private func server(isEnabled: Bool) async throws -> ProviderUnderTest {
        try await ProviderUnderTest { new in
            guard let client = new.clients.first(where: { $0.clientID == "machine" }) else {
                return
            }
            var person = Person(
                id: "5f1e52f3-7a2b-4c70-8d57-4b3f0f1f7c11",
                realmID: new.realm.id,
                username: "service-account-machine",
                createdAt: 0
            )
            person.serviceClientID = client.id
            person.isEnabled = isEnabled
            let roles = [RoleName(clientID: nil, name: "editor")]
            new.people.append(NewPerson(person: person, password: nil, roles: roles))
        }
    }

    private func token(_ server: ProviderUnderTest) async throws -> Reply {
        try await server.token(TestFlow.own, basic: TestRealm.machine)
    }

    @Test("decision 0049: its tokens name the account")
    func tokens() async throws {
        let reply = try await token(try await server(isEnabled: true))
        #expect(reply.status == 200)
        let claims = try reply.accessClaims
        #expect(claims.string("sub") == "5f1e52f3-7a2b-4c70-8d57-4b3f0f1f7c11")
        #expect(reply.json["refresh_token"] == nil)
    }

    @Test("decision 0049: a disabled account gives no tokens, and signs no one in")
    func disabled() async throws {
        let server = try await server(isEnabled: false)
        let before = try await server.remains()
        #expect(try await token(server).error == "unauthorized_client")
        #expect(try await server.remains() == before)
    }
}
