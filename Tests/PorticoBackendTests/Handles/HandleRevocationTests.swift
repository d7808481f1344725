import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

@Suite("Revoking tokens of sessions by handle") struct HandleRevocationTests {
    @Test("decision 0054: after a sign-out its refresh token is revoked, once, with its own key")
    func revoked() async throws {
        let scene = try HandleScene()
        let (one, two) = (try await scene.signedIn(), try await scene.signedIn(refresh: "R9"))
        try await scene.revocation.round()
        #expect(scene.host.revoked.isEmpty)
        try await scene.signOut(one.sessionID)
        for _ in 1...2 { try await scene.revocation.round() }
        #expect(scene.host.revoked == ["R1"])
        #expect(try await scene.stored(two.sessionID) == ["A1", "R9"])
    }

    @Test("decision 0054: a host that does not answer is told later, ten times at most")
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

    @Test("decision 0054: who moved away, and what does not open, is given up at once")
    func givenUp() async throws {
        let scene = try HandleScene()
        let session = try await scene.signedIn()
        try await scene.signOut(session.sessionID)
        scene.host.set(.movedAway)
        try await scene.revocation.round()
        #expect(scene.host.revoked.isEmpty)
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
        let events = try await scene.database.audit.latest([.handleRevoked], of: nil, limit: 9)
        #expect(events.map(\.reason) == ["moved_away"])
    }
}
