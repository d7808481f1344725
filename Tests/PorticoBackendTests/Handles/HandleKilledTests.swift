import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

@Suite("Tokens of a session by handle, with a process that is killed") struct HandleKilledTests {
    @Test("decision 0057: a process killed in the middle of a refresh signs nobody out, ten times")
    func killed() async throws {
        for _ in 0..<10 {
            let scene = try HandleScene(TestDatabase.inFile())
            let session = try await scene.signedIn(accessLives: 60)
            let file = try #require(scene.database.file)
            setenv(
                "TEST_HANDLE_KILLED",
                "\(file)|\(session.sessionID.text)|\(scene.clock.seconds)",
                1
            )
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try await DyingHost.refresh()
            }
            let left = try #require(try await scene.session(session.sessionID))
            #expect(left.sentAt == scene.clock.seconds)
            for seconds in [29, 2] as [Double] {
                scene.clock.advance(by: seconds)
                #expect(try await scene.tokens.tokens(for: left).access.reveal() == "A1")
            }
            #expect(scene.host.sent.isEmpty)
            scene.clock.advance(by: 29)
            #expect(try await scene.tokens.tokens(for: left).access.reveal() == "A2")
            #expect(scene.host.sent == ["R1"])
        }
    }
}

/// A host that ends the process that asks it.
private struct DyingHost: HandleTokenServers, HandleTokenServer {
    /// As the environment says.
    static func refresh() async throws {
        let text = ProcessInfo.processInfo.environment["TEST_HANDLE_KILLED"] ?? ""
        let parts = text.split(separator: "|").map(String.init)
        try #require(parts.count == 3)
        let (id, now) = (try #require(UniqueID(parts[1])), try #require(Int64(parts[2])))
        let handles = HandleSessionStore(try SQLiteDatabase(file: parts[0]))
        let tokens = HandleTokens(
            handles: handles,
            vault: HandleTokenVault(ring: HandleScene.ring),
            servers: DyingHost(),
            clock: Clock { Date(timeIntervalSince1970: Double(now)) }
        )
        let session = try #require(try await handles.live(id, at: now)).handle
        _ = try await tokens.tokens(for: session, refused: SecretText("A1"))
    }

    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        self
    }

    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens
    {
        kill(getpid(), SIGKILL)
        throw .invalidGrant
    }

    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool { false }
}
