import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

@Suite("Revoking tokens of sessions by handle") struct HandleRevocationTests {
    @Test("decision 0056: after a sign-out its refresh token is revoked, once, with its own key")
    func revoked() async throws {
        let scene = try HandleScene()
        let (one, two) = (try await scene.signedIn(), try await scene.signedIn(refresh: "R9"))
        try await scene.revocation.round()
        #expect(scene.host.revoked.isEmpty)
        try await scene.signOut(one.sessionID)
        for _ in 1...3 {
            try await scene.revocation.round()
            scene.clock.advance(by: 3600)
        }
        #expect(scene.host.revoked == ["R1"])
        #expect(try await scene.stored(two.sessionID) == ["A1", "R9"])
    }

    @Test("decision 0056: a host that does not answer is told later, ten times at most")
    func later() async throws {
        let scene = try HandleScene()
        let session = try await scene.signedIn(refresh: nil)
        try await scene.signOut(session.sessionID)
        scene.host.set(.serverError)
        for (round, minutes) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 360].enumerated() {
            for _ in 1...2 { try await scene.revocation.round() }
            #expect(scene.host.revoked.count == round + 1)
            scene.clock.advance(by: Double(minutes * 60))
        }
        try await scene.revocation.round()
        #expect(scene.host.revoked == Array(repeating: "A1", count: 10))
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
    }

    @Test("decision 0056: who moved away is given up at once")
    func givenUp() async throws {
        let scene = try HandleScene()
        let session = try await scene.signedIn()
        try await scene.signOut(session.sessionID)
        scene.host.set(.movedAway)
        try await scene.revocation.round()
        #expect(scene.host.revoked.isEmpty)
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
        let events = try await scene.database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == ["moved_away"])
    }

    @Test("decision 0056: tokens that do not open are given up at once, and no host is looked for")
    func lost() async throws {
        let scene = try HandleScene()
        let (session, other) = (try await scene.signedIn(), try await scene.signedIn())
        let (id, sealed) = (session.sessionID, other.sealed)
        try await scene.database.database.write { transaction in
            _ = try transaction.run(
                "UPDATE handle_sessions SET sealed = $1 WHERE session_id = $2",
                [SQLValue(sealed), .bytes(id.bytes)]
            )
        }
        try await scene.signOut(id)
        try await scene.revocation.round()
        #expect(scene.host.looked == 0)
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
        let events = try await scene.database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == ["lost"])
    }

    /// One host never answers.
    private struct Hanging: HandleTokenServers {
        static let host = "https://hangs.example.com"
        let others: CountingHost

        func server(of session: HandleSession) async throws(HandleServerFailure)
            -> any HandleTokenServer
        {
            guard session.host == Self.host else { return try await others.server(of: session) }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {}
            throw .unreachable
        }
    }

    @Test("decision 0067: however many of a host that hangs are due, another is told at once")
    func hangs() async throws {
        let scene = try HandleScene()
        for _ in 1...50 {
            let session = try await scene.signedIn(host: Hanging.host)
            try await scene.signOut(session.sessionID)
        }
        scene.clock.advance(by: 1)
        try await scene.signOut(try await scene.signedIn(refresh: "R7").sessionID)
        var revocation = scene.revocation(Hanging(others: scene.host))
        #expect(revocation.patience == .seconds(10))
        // Enough for one that answers, however busy the machine is.
        revocation.patience = .seconds(2)
        try await revocation.round()
        #expect(scene.host.revoked == ["R7"])
        // It did not answer in time, and is tried again.
        let left = try await scene.handles.takeDue(limit: 100, at: .max, retryAt: .max)
        #expect(left.count == 50 && left.filter { $0.tries == 2 }.count == 10)
    }
}
