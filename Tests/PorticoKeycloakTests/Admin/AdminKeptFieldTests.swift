import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What a change by HTTP leaves as it is: commands have set it, or other things name it.
@Suite("What changes by the administration keep") struct AdminKeptFieldTests {
    private func client(_ admin: AdminUnderTest) async throws -> Client {
        let clients = try await admin.server.database.realms.snapshot().clients
        return try #require(clients.first { $0.clientID == "app" })
    }

    @Test("KC-A-2: what `portico client update` has set stays, however often a client is sent back")
    func back() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.appID)"
        var set = try await client(admin)
        set.authentication = .clientSecretPost
        set.authenticatesStrictly = true
        set.takesTokenEndpointAudience = true
        set.mappers = [
            ClaimMapper(.audience("orders"), into: [.accessToken]),
            ClaimMapper(.fixedClaim("gold"), "tier"),
        ]
        #expect(try await admin.server.database.realms.update(set) == .changed)
        try await admin.server.provider.realms.refresh()
        let shown = try await admin.send(.get, path, by: token).json
        #expect(shown.array("protocolMappers")?.count == 2)
        for _ in 0..<2 {
            let body = String(
                decoding: try await admin.send(.get, path, by: token).json.serialized(),
                as: UTF8.self
            )
            #expect(try await admin.send(.put, path, body, by: token).status == 204)
            let name = #"{"name": "App"}"#
            #expect(try await admin.send(.put, path, name, by: token).status == 204)
        }
        let kept = try await client(admin)
        #expect(kept.authentication == .clientSecretPost)
        #expect(kept.authenticatesStrictly && kept.takesTokenEndpointAudience)
        #expect(kept.mappers == set.mappers)
        let again = try await admin.send(.get, path, by: token).json
        #expect(again.array("protocolMappers") == shown.array("protocolMappers"))
    }

    @Test("RFC 9126 §6: the attribute that makes a client push its requests is followed")
    func pushed() async throws {
        let admin = try await AdminUnderTest()
        let token = try await admin.token("realm-admin")
        let path = "/clients/\(AdminUnderTest.appID)"
        for isOn in [true, false] {
            let body = #"""
                {"attributes": {"require.pushed.authorization.requests": "\#(isOn)"}}
                """#
            #expect(try await admin.send(.put, path, body, by: token).status == 204)
            #expect(try await client(admin).requiresPushedRequests == isOn)
        }
    }

    @Test("KC-A-2: a client scope keeps its name, by which clients and the realm name it")
    func scope() async throws {
        let admin = try await AdminUnderTest(["manage-clients"])
        let token = try await admin.token("manage-clients")
        let scopes = try await admin.send(.get, "/client-scopes", by: token).list
        let id = try #require(scopes.first { $0.string("name") == "phone" }?.string("id"))
        let path = "/client-scopes/\(id)"
        let other = #"{"name": "mine"}"#
        #expect(try await admin.send(.put, path, other, by: token).status == 400)
        let same = #"{"name": "phone", "description": "Numbers"}"#
        #expect(try await admin.send(.put, path, same, by: token).status == 204)
        let kept = try await admin.send(.get, path, by: token).json
        #expect(kept.string("name") == "phone" && kept.string("description") == "Numbers")
    }
}
