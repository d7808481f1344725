import PorticoStores
import PorticoTestSupport
import Testing

/// Two openings of one file stand in for two processes: the server and the command line.
@Suite("Stores of two processes on one file") struct TwoProcessesContract {
    @Test("RFC 6749 §4.1.2: a code is redeemed once, whichever process it comes to")
    func codes() async throws {
        let (one, other) = try await both()
        for _ in 1...20 {
            let grant = Example.grant(Example.fresh())
            let answers = try await concurrently(10) { index in
                let stores = index.isMultiple(of: 2) ? one : other
                return try await stores.redeem(grant, request: Example.fresh())
            }
            #expect(answers.count(of: .redeemed) == 1)
            #expect(answers.count(of: .replayed) == 9)
        }
    }

    @Test("RFC 9700 §4.14.2: a refresh token rotates once, whichever process it comes to")
    func rotations() async throws {
        let (one, other) = try await both()
        #expect(try await one.redeem(Example.grant()) == .redeemed)
        for generation: UInt32 in 1...20 {
            let answers = try await concurrently(10) { index in
                let stores = index.isMultiple(of: 2) ? one : other
                return try await stores.rotate(generation)
            }
            #expect(answers.count(of: .rotated) == 1)
        }
    }

    @Test("every write of two busy processes is kept")
    func writes() async throws {
        let (one, other) = try await both()
        let ids = (0..<200).map { _ in Example.fresh() }
        let answers = try await concurrently(ids.count) { index in
            let stores = index.isMultiple(of: 2) ? one : other
            return try await stores.redeem(Example.grant(ids[index]), request: ids[index])
        }
        #expect(answers.count(of: .redeemed) == ids.count)
        for id in ids {
            #expect(try await one.reading(id)?.isLive == true)
            #expect(try await other.reading(id)?.isLive == true)
        }
    }

    @Test("what the command line changes raises the version that the server polls")
    func version() async throws {
        let (server, command) = try await both()
        let before = try await server.realms.version()
        var client = Client.everythingSet
        (client.defaultScopes, client.optionalScopes, client.loginTokenTargets) = ([], [], [])
        #expect(try await command.realms.create(client) == .created)
        #expect(try await server.realms.version() > before)
        #expect(try await server.realms.snapshot().clients.contains(client))
    }

    private func both() async throws -> (TestDatabase, TestDatabase) {
        let one = try await StoreUnderTest.sqliteFile.furnished()
        return (one, try one.openedAgain())
    }
}
