import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// What the stand-in of a host does on command, and what becomes of people's sessions.
@Suite("The backend at a host that misbehaves") struct JoinedFaultTests {
    private static let past = 16.0 * 60

    @Test(
        "attack G12: a host that asks for nonces without end gets two requests, and nobody in",
        arguments: [ATHostEndpoint.pushed, .token]
    )
    func nonceAtSignIn(_ endpoint: ATHostEndpoint) async throws {
        let scene = try await JoinedScene()
        scene.host.configure { $0.alwaysAsksForNonce = [endpoint] }
        let visitor = TestVisitor(scene.server)
        var page = try await scene.begin(ATHostPerson.ann.handle, visitor)
        if endpoint == .token { page = try await scene.finish(page, visitor) }
        #expect(page.reply.text.contains("doesn’t offer sign-in for apps"), "\(page.reply.text)")
        #expect(scene.log.count(endpoint) == 2)
        #expect(visitor.cookies["sid"] == nil)
        #expect(try scene.server.accountSessions() == 0)
    }

    @Test(
        "A refresh that the host does not finish keeps the session, and the next one makes it good",
        arguments: [
            "nonces without end", "the answer is lost", "our document is gone", "down",
        ]
    )
    func unfinished(_ fault: String) async throws {
        let scene = try await JoinedScene()
        let seal = try await scene.signIn()
        scene.clock.advance(by: Self.past)
        scene.host.configure { faults in
            switch fault {
            case "nonces without end": faults.alwaysAsksForNonce = [.token]
            case "the answer is lost": faults.losesAnswers = [.token]
            case "our document is gone": faults.gone = [.client]
            default: faults.down = [.token]
            }
        }
        let refused = try await scene.call(seal)
        #expect(refused.status >= 500, "\(refused.text)")
        #expect(try await scene.session(seal).status == 200)
        scene.host.repair()
        scene.clock.advance(by: 61)
        let next = try await scene.call(seal)
        #expect(next.status == 200, "\(next.text)")
    }

    @Test("ATP-TL-4: where the losers of a refresh get 500, nobody loses: only one is sent")
    func losers() async throws {
        let scene = try await JoinedScene()
        let seal = try await scene.signIn()
        scene.host.configure { $0.losers = .serverError }
        for _ in 1...5 {
            scene.clock.advance(by: Self.past)
            scene.log.clear()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await scene.call(seal).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 20))
            #expect(Set(scene.refreshTokens).count == 1)
        }
    }

    @Test("attack G09: tokens of another account sign nobody in, and are given back")
    func otherAtSignIn() async throws {
        let scene = try await JoinedScene()
        scene.host.configure { $0.tokenAnswer = ["sub": .string(ATHostPerson.bob.did)] }
        let visitor = TestVisitor(scene.server)
        let page = try await scene.finish(
            try await scene.begin(ATHostPerson.ann.handle, visitor),
            visitor
        )
        #expect(page.reply.text.contains("different account from"), "\(page.reply.text)")
        #expect(visitor.cookies["sid"] == nil)
        #expect(try scene.server.accountSessions() == 0)
        try await scene.revoked()
    }

    @Test("attack G09: a refresh that brings another account's tokens ends the session")
    func otherAtRefresh() async throws {
        let scene = try await JoinedScene()
        let seal = try await scene.signIn()
        scene.clock.advance(by: Self.past)
        scene.host.configure { $0.tokenAnswer = ["sub": .string(ATHostPerson.bob.did)] }
        let ended = try await scene.call(seal)
        #expect(ended.status == 401 && ended.json.string("reason") == "SESSION_EXPIRED")
        scene.host.repair()
        #expect(try await scene.session(seal).status == 401)
        try await scene.revoked()
    }

    @Test(
        "A document that is gone has words of its own, and nobody is sent to the host",
        arguments: [
            (ATHostDocument.did, "We can’t find"),
            (.resourceMetadata, "doesn’t offer sign-in for apps"),
            (.serverMetadata, "doesn’t offer sign-in for apps"),
            (.client, "doesn’t offer sign-in for apps"),
        ]
    )
    func gone(_ document: ATHostDocument, _ words: String) async throws {
        let scene = try await JoinedScene()
        scene.host.configure { $0.gone = [document] }
        let visitor = TestVisitor(scene.server)
        let page = try await scene.begin(ATHostPerson.ann.handle, visitor)
        #expect(page.reply.text.contains(words), "\(page.reply.text)")
        #expect(!page.url.hasPrefix(JoinedHost.origin))
        scene.host.repair()
        scene.clock.advance(by: 61)
        _ = try await scene.signIn(ATHostPerson.ann.handle, by: visitor)
    }

    @Test("A person whose account has no host reads that there is no sign-in for apps")
    func withoutHost() async throws {
        let scene = try await JoinedScene()
        scene.joined.didMembers.withLock { $0 = ["service": .array([])] }
        let page = try await scene.begin(ATHostPerson.ann.handle, TestVisitor(scene.server))
        #expect(page.reply.status == 502)
        #expect(page.reply.text.contains("doesn’t offer sign-in for apps"), "\(page.reply.text)")
    }

    @Test("The host refuses a token that is not over: one refresh, and the call is made again")
    func refusedToken() async throws {
        let scene = try await JoinedScene()
        let seal = try await scene.signIn()
        scene.host.configure { $0.refusesAccessTokens = true }
        #expect(try await scene.call(seal).status == 401)
        #expect(Set(scene.refreshTokens).count == 1)
        scene.host.repair()
        #expect(try await scene.call(seal).status == 200)
        #expect(Set(scene.refreshTokens).count == 1)
    }
}
