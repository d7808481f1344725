import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Guessing client secrets (RFC 6749 §2.3.1, WEB-BRUTE-2)") struct ClientGuessingTests {
    private static let grant = [("grant_type", "client_credentials")]

    private func attempt(
        _ server: ProviderUnderTest,
        _ secret: String,
        of client: String = "machine",
        from address: String = "198.51.100.7"
    ) async throws -> Reply {
        try await server.post(
            .endpoint("token"),
            Self.grant,
            headers: .basic(client, secret),
            from: address
        )
    }

    private func guess(_ server: ProviderUnderTest, of client: String = "machine") async throws
        -> [Reply]
    {
        var replies: [Reply] = []
        for number in 1...25 {
            replies.append(try await attempt(server, "wrong \(number)", of: client))
        }
        return replies
    }

    @Test("attack C16: wrong secrets are slowed down, from one address only")
    func guessing() async throws {
        let server = try await ProviderUnderTest()
        let replies = try await guess(server)
        #expect(replies.prefix(20).allSatisfy { $0.status == 401 })
        #expect(replies.dropFirst(20).allSatisfy { $0.status == 429 })
        #expect(replies.last?.headers[.retryAfter] != nil)
        #expect(try await attempt(server, "wrong", from: "203.0.113.9").status == 401)
        #expect(try await attempt(server, "wrong", of: "web1").status == 401)
    }

    @Test("A right secret that no one can guess is never held back by wrong ones")
    func rightProof() async throws {
        let server = try await ProviderUnderTest()
        _ = try await guess(server)
        #expect(try await attempt(server, TestRealm.machineSecret).status == 200)
        // It clears nothing.
        #expect(try await attempt(server, "wrong").status == 429)
    }

    @Test("attack C16: a right secret that is short enough to be guessed waits like a wrong one")
    func shortSecret() async throws {
        let server = try await ProviderUnderTest { realm in
            let secrets = ClientSecretSeal(ring: TestRealm.ring)
            realm.clients[client: "machine"].secret = secrets.keep(
                SecretText("15 bytes, short"),
                of: realm.clients[client: "machine"].id,
                random: .system
            )
        }
        #expect(try await attempt(server, "15 bytes, short").status == 200)
        _ = try await guess(server)
        #expect(try await attempt(server, "15 bytes, short").status == 429)
        #expect(try await attempt(server, "15 bytes, short", from: "203.0.113.9").status == 200)
        server.clock.advance(by: 3600)
        #expect(try await attempt(server, "15 bytes, short").status == 200)
    }

    @Test("A public client has nothing to guess, and no one locks its apps out of refresh")
    func publicClient() async throws {
        let server = try await ProviderUnderTest()
        let own = try await server.tokens("alice", "native1")
        let token = try own.refreshToken
        for number in 1...40 {
            let form = [
                ("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "native1"),
                ("client_secret", "x\(number)"),
            ]
            let path = String.endpoint("token")
            _ = try await server.post(path, form)
        }
        let refreshed = try await server.post(
            .endpoint("token"),
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "native1")]
        )
        #expect(refreshed.status == 200)
    }

    @Test("Clients that no one has registered are counted by the address alone")
    func madeUp() async throws {
        let server = try await ProviderUnderTest()
        var statuses: [Int] = []
        for number in 0..<25 {
            statuses.append(try await attempt(server, "x", of: "made-up-\(number)").status)
        }
        #expect(statuses.prefix(20).allSatisfy { $0 == 401 })
        #expect(statuses.dropFirst(20).allSatisfy { $0 == 429 })
        #expect(try await attempt(server, TestRealm.machineSecret).status == 200)
        #expect(try await attempt(server, "wrong").status == 401)
    }
}
