import PorticoBytes
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

@Suite("Refreshes while the server stops") struct HandleStopTests {
    /// A host that answers when it is told to.
    private struct LateHost {
        let scene: HandleScene
        let isAsked = Locked(false)
        let mayAnswer = Locked(false)

        init() throws {
            let scene = try HandleScene()
            self.scene = scene
            let (isAsked, mayAnswer) = (isAsked, mayAnswer)
            scene.host.before {
                isAsked.withLock { $0 = true }
                while !mayAnswer.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            }
        }

        func asked(for session: HandleSession) async throws
            -> Task<HandleTokens.Open, any Error>
        {
            let tokens = scene.tokens
            let refresh = Task<HandleTokens.Open, any Error> {
                try await tokens.tokens(for: session)
            }
            try await waitUntil("the host is asked") { isAsked.withLock { $0 } }
            return refresh
        }
    }

    @Test("decision 0057: a refresh whose token went out is waited for, and what came is stored")
    func waited() async throws {
        let late = try LateHost()
        let (scene, hasEnded) = (late.scene, Locked(false))
        let session = try await scene.signedIn(accessLives: 0)
        let refresh = try await late.asked(for: session)
        let end = Task {
            await scene.tokens.stop()
            hasEnded.withLock { $0 = true }
        }
        try await waitUntil("it stops") { await scene.tokens.isStopping }
        try await Task.sleep(for: .milliseconds(20))
        #expect(!hasEnded.withLock { $0 })
        late.mayAnswer.withLock { $0 = true }
        await end.value
        #expect(try await scene.stored(session.sessionID) == ["A2", "R2"])
        #expect(try await refresh.value.access.reveal() == "A2")
    }

    @Test("decision 0057: a host that does not answer holds the stop up for a while only")
    func bounded() async throws {
        let late = try LateHost()
        let session = try await late.scene.signedIn(accessLives: 0)
        let refresh = try await late.asked(for: session)
        await late.scene.tokens.stop()
        #expect(try await late.scene.session(session.sessionID)?.sentAt != nil)
        late.mayAnswer.withLock { $0 = true }
        #expect(try await refresh.value.access.reveal() == "A2")
    }

    @Test("decision 0057: no refresh begins while the server stops; a token that works serves")
    func refused() async throws {
        let scene = try HandleScene()
        let over = try await scene.signedIn(accessLives: 0)
        let near = try await scene.signedIn(accessLives: 20)
        let fresh = try await scene.signedIn(accessLives: 900)
        await scene.tokens.stop()
        await #expect(throws: HandleTokens.Failure.busy) {
            try await scene.tokens.tokens(for: over)
        }
        #expect(try await scene.tokens.tokens(for: near).access.reveal() == "A1")
        #expect(try await scene.tokens.tokens(for: fresh).access.reveal() == "A1")
        #expect(scene.host.looked == 0 && scene.host.sent.isEmpty)
        #expect(try await scene.session(over.sessionID)?.sentAt == nil)
    }

    @Test("decision 0057: a refresh whose token has not gone out gives its lease back")
    func unsent() async throws {
        let scene = try HandleScene()
        let session = try await scene.signedIn(accessLives: 0)
        let tokens = scene.tokens
        scene.host.whileLooking {
            Task { await tokens.stop() }
            while await !tokens.isStopping { await Task.yield() }
        }
        await #expect(throws: HandleTokens.Failure.busy) { try await tokens.tokens(for: session) }
        #expect(scene.host.sent.isEmpty)
        #expect(try await scene.session(session.sessionID)?.sentAt == nil)
        let next = RefreshLease(id: [9], revision: 1, until: scene.clock.seconds + 30)
        let outcome = try await scene.handles.lease(
            session.sessionID,
            next,
            at: scene.clock.seconds
        )
        #expect(outcome == .leased(session))
    }
}
