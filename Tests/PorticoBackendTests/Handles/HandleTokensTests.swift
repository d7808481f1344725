import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("Tokens of a session by handle") struct HandleTokensTests {
    private let scene: HandleScene

    init() throws {
        scene = try HandleScene()
    }

    @Test(
        "ATP-TL-4: a fresh access token is used, and no one is asked",
        arguments: [900, 31, nil] as [Int64?]
    )
    func fresh(_ seconds: Int64?) async throws {
        let session = try await scene.signedIn(accessLives: seconds)
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A1")
        #expect(scene.host.looked == 0)
    }

    @Test("ATP-TL-4: an access token that ends within 30 s, or was refused, is refreshed once")
    func refreshed() async throws {
        for (seconds, refused) in [(30, nil), (-5, nil), (900, SecretText("A1"))]
            as [(Int64, SecretText?)]
        {
            let scene = try HandleScene()
            let session = try await scene.signedIn(accessLives: seconds)
            let open = try await scene.tokens.tokens(for: session, refused: refused)
            #expect(open.access.reveal() == "A2")
            #expect(open.key.thumbprint == scene.vault.open(session)?.key.thumbprint)
            #expect(open.session == (try await scene.session(session.sessionID)))
            #expect(try await scene.stored(session.sessionID) == ["A2", "R2"])
            #expect(open.session.scope == "atproto")
            #expect(open.session.accessExpiresAt == scene.clock.seconds + 900)
            // Who still has what was read before gets what is stored.
            #expect(
                try await scene.tokens.tokens(for: session, refused: refused).access.reveal()
                    == "A2"
            )
            #expect(scene.host.sent == ["R1"])
        }
    }

    @Test("ATP-TL-3: a refresh token is tried as long as the session is there")
    func idle() async throws {
        let session = try await scene.signedIn(accessLives: 900)
        scene.clock.advance(by: 13 * 86_400)
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A2")
        #expect(scene.host.sent == ["R1"])
    }

    @Test("ATP-TL-4: 50 callers in one process make one refresh, 20 times")
    func callers() async throws {
        let scene = try HandleScene(TestDatabase.inFile())
        var session = try await scene.signedIn(accessLives: 0)
        for round in 1...20 {
            let answers = try await Self.callers(50, [scene.tokens], session, refused: "A\(round)")
            #expect(Set(answers) == ["A\(round + 1)"])
            #expect(scene.host.sent.count == round)
            session = try #require(try await scene.session(session.sessionID))
            scene.clock.advance(by: 30)
        }
    }

    @Test("ATP-TL-4: 50 callers at two openings of one file make one refresh, 20 times")
    func openings() async throws {
        let scene = try HandleScene(TestDatabase.inFile())
        let other = HandleScene.tokens(try scene.database.openedAgain(), scene.clock, scene.host)
        var session = try await scene.signedIn(accessLives: 0)
        for round in 1...20 {
            let both = [scene.tokens, other]
            let answers = try await Self.callers(50, both, session, refused: "A\(round)")
            #expect(Set(answers) == ["A\(round + 1)"])
            #expect(scene.host.sent.count == round)
            session = try #require(try await scene.session(session.sessionID))
            scene.clock.advance(by: 30)
        }
    }

    private static func callers(
        _ count: Int,
        _ processes: [HandleTokens],
        _ session: HandleSession,
        refused: String
    ) async throws -> [String] {
        try await withThrowingTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    try await processes[index % processes.count]
                        .tokens(for: session, refused: SecretText(refused)).access.reveal()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("ATP-TL-4: joining a refresh that brings the refused token back starts another one")
    func joined() async throws {
        let session = try await scene.signedIn(accessLives: 20)
        let (host, tokens) = (scene.host, scene.tokens)
        let joined = Locked<Task<HandleTokens.Open, any Error>?>(nil)
        host.set(.invalidClient)
        host.before {
            host.before(nil)
            let task = Task<HandleTokens.Open, any Error> {
                try await tokens.tokens(for: session, refused: SecretText("A1"))
            }
            joined.withLock { $0 = task }
            // Long enough to join.
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await tokens.tokens(for: session).access.reveal() == "A1")
        let task = try #require(joined.withLock { $0 })
        // Their own finds that the host is not to be asked yet.
        await #expect(throws: HandleTokens.Failure.unreachable) { try await task.value }
        #expect(host.sent == ["R1"])
    }

    @Test("ATP-TL-4: a caller that goes away ends no refresh")
    func cancelled() async throws {
        let session = try await scene.signedIn(accessLives: 0)
        let caller = Task { try await scene.tokens.tokens(for: session) }
        caller.cancel()
        _ = await caller.result
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A2")
        #expect(scene.host.sent == ["R1"])
    }

    @Test("decision 0057: two sessions of one person are refreshed apart")
    func apart() async throws {
        let (one, two) = (
            try await scene.signedIn(accessLives: 0), try await scene.signedIn(refresh: "R9")
        )
        _ = try await scene.tokens.tokens(for: one)
        #expect(try await scene.stored(two.sessionID) == ["A1", "R9"])
        #expect(scene.vault.open(one)?.key.thumbprint != scene.vault.open(two)?.key.thumbprint)
    }

    @Test("decision 0057: a holder that vanishes: the refresh token goes out again in the end")
    func vanished() async throws {
        for wasSent in [false, true] {
            let scene = try HandleScene()
            let session = try await scene.signedIn(accessLives: 100)
            let refused = wasSent ? SecretText("A1") : nil
            let now = scene.clock.seconds
            let lease = RefreshLease(id: [1], revision: 1, until: now + 30)
            _ = try await scene.handles.lease(session.sessionID, lease, at: now)
            if wasSent {
                _ = try await scene.handles.sending(session.sessionID, lease, at: now)
            }
            // Held: what works is used, and for a token that was refused there is no way yet.
            scene.clock.advance(by: 29)
            #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A1")
            #expect(await scene.tokens.failure(for: session, refused: SecretText("A1")) == .busy)
            #expect(scene.host.sent.isEmpty)
            scene.clock.advance(by: 50)
            // 21 s are left: a token that went out stays here as long as the access token works.
            let read = try #require(try await scene.session(session.sessionID))
            let open = try await scene.tokens.tokens(for: read)
            #expect(open.access.reveal() == (wasSent ? "A1" : "A2"))
            #expect(scene.host.sent == (wasSent ? [] : ["R1"]))
            guard wasSent else { continue }
            #expect(try await scene.session(session.sessionID)?.sentAt == now)
            #expect(
                try await scene.tokens.tokens(for: read, refused: refused).access.reveal() == "A2"
            )
            #expect(scene.host.sent == ["R1"])
        }
    }

    @Test(
        "decision 0057: an answer that was lost: the same token goes out again only when the access token is dead",
        arguments: [CountingHost.Fault.lostRequest, .serverError]
    )
    func lost(_ fault: CountingHost.Fault) async throws {
        let session = try await scene.signedIn(accessLives: 20)
        scene.host.set(fault)
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A1")
        #expect(scene.host.sent == ["R1"])
        scene.host.set(.none)
        scene.clock.advance(by: 19)
        let read = try #require(try await scene.session(session.sessionID))
        #expect(read.sentAt != nil)
        #expect(try await scene.tokens.tokens(for: read).access.reveal() == "A1")
        #expect(scene.host.sent == ["R1"])
        scene.clock.advance(by: 1)
        #expect(try await scene.tokens.tokens(for: read).access.reveal() == "A2")
        #expect(scene.host.sent == ["R1", "R1"])
    }

    @Test("decision 0057: where the host has exchanged the token, its word is the last one")
    func exchanged() async throws {
        let session = try await scene.signedIn(accessLives: 0)
        scene.host.set(.lostAnswer)
        #expect(await scene.tokens.failure(for: session) == .unreachable)
        scene.host.set(.none)
        scene.clock.advance(by: 1)
        #expect(await scene.tokens.failure(for: session) == .ended)
        #expect(try await scene.session(session.sessionID) == nil)
    }

    @Test(
        "ATP-TL-7: only invalid_grant ends the session; all else keeps it, and the access token serves",
        arguments: [
            (.invalidClient, true), (.serverError, true), (.lostRequest, true), (.away, false),
            (.unusable, true),
        ] as [(CountingHost.Fault, Bool)]
    )
    func kept(_ fault: CountingHost.Fault, isSent: Bool) async throws {
        for seconds in [20, 0] as [Int64] {
            let scene = try HandleScene()
            let session = try await scene.signedIn(accessLives: seconds)
            scene.host.set(fault)
            if seconds > 0 {
                #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A1")
            } else {
                #expect(await scene.tokens.failure(for: session) == .unreachable)
            }
            #expect(scene.host.sent.count == (isSent ? 1 : 0))
            let left = try #require(try await scene.session(session.sessionID))
            #expect(left.revision == 1)
            // Certainly unspent: it goes out again at once when it is needed.
            let isOpen = isSent && fault != .invalidClient
            #expect((left.sentAt != nil) == isOpen)
        }
    }

    @Test("decision 0057: a host that gives nothing is asked again after 1, 2, 4 … 60 s")
    func delays() async throws {
        let session = try await scene.signedIn(accessLives: 0)
        scene.host.set(.away)
        for (round, wait) in ([1, 2, 4, 8, 16, 32, 60, 60] as [Double]).enumerated() {
            for _ in 1...3 {
                #expect(await scene.tokens.failure(for: session) == .unreachable)
                #expect(scene.host.looked == round + 1)
            }
            scene.clock.advance(by: wait)
        }
        scene.host.set(.none)
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A2")
    }

    @Test("ATP-TL-7: invalid_grant ends the session, with an event that says so")
    func invalidGrant() async throws {
        let session = try await scene.signedIn(accessLives: 20)
        scene.host.set(.invalidGrant)
        #expect(await scene.tokens.failure(for: session) == .ended)
        #expect(try await scene.session(session.sessionID) == nil)
        #expect(try await scene.reasons() == ["invalid_grant"])
        #expect(await scene.tokens.failure(for: session) == .ended)
        #expect(scene.host.sent == ["R1"])
    }

    @Test("ATP-TL-7: invalid_grant for tokens that were replaced meanwhile ends nothing")
    func replaced() async throws {
        let scene = try HandleScene(TestDatabase.inFile())
        let session = try await scene.signedIn(accessLives: 0)
        let (id, vault, now) = (session.sessionID, scene.vault, scene.clock.seconds)
        let other = try scene.database.openedAgain()
        scene.host.set(.invalidGrant)
        scene.host.before {
            var newer = try #require(vault.open(session))
            newer.access = SecretText("A7")
            newer.refresh = SecretText("R7")
            let kept = try await other.handles.keep(
                vault.seal(newer, for: id, random: .system),
                scope: "atproto",
                accessExpiresAt: now + 900,
                host: "https://pds.example.com",
                handle: "ann.example.com",
                of: id,
                after: 1,
                at: now
            )
            #expect(kept == .kept)
        }
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A7")
        #expect(try await scene.stored(id) == ["A7", "R7"])
    }

    @Test("ATP-TL-5: tokens of another DID are revoked, and the session ends")
    func otherSubject() async throws {
        let session = try await scene.signedIn(accessLives: 20)
        scene.host.set(.otherSubject)
        #expect(await scene.tokens.failure(for: session) == .ended)
        #expect(try await scene.session(session.sessionID) == nil)
        #expect(try await scene.reasons() == ["other_sub"])
        try await waitUntil("it is revoked") { scene.host.revoked == ["foreign"] }
    }

    @Test("decision 0057: of an answer that is no use the refresh token is kept, and goes out next")
    func successor() async throws {
        let session = try await scene.signedIn(accessLives: 20)
        scene.host.set(.unusableWithSuccessor)
        #expect(await scene.tokens.failure(for: session) == .unreachable)
        #expect(try await scene.stored(session.sessionID) == [nil, "R2"])
        scene.host.set(.none)
        scene.clock.advance(by: 1)
        let read = try #require(try await scene.session(session.sessionID))
        #expect(try await scene.tokens.tokens(for: read).access.reveal() == "A3")
        #expect(scene.host.sent == ["R1", "R2"])
    }

    @Test("decision 0057: a host that is another by now is asked nothing, and the session stays")
    func movedAway() async throws {
        let session = try await scene.signedIn(accessLives: 20)
        scene.host.set(.movedAway)
        #expect(await scene.tokens.failure(for: session) == .signInAgain)
        #expect(scene.host.sent.isEmpty)
        #expect(try await scene.session(session.sessionID) != nil)
    }

    @Test("decision 0057: without a refresh token the session ends with its access token")
    func noRefreshToken() async throws {
        let session = try await scene.signedIn(accessLives: 20, refresh: nil)
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A1")
        scene.clock.advance(by: 20)
        #expect(await scene.tokens.failure(for: session) == .ended)
        #expect(try await scene.reasons() == ["no_refresh_token"])
    }

    @Test("decision 0057: tokens that cannot be stored are given to no one, and are stored later")
    func unstored() async throws {
        let session = try await scene.signedIn(accessLives: 0)
        scene.host.before { scene.database.refuseWrites(StoreBusy()) }
        for _ in 1...3 {
            #expect(await scene.tokens.failure(for: session) == .busy)
        }
        #expect(try await scene.stored(session.sessionID) == ["A1", "R1"])
        scene.database.refuseWrites(nil)
        try await waitUntil("the tokens are stored") {
            try await scene.session(session.sessionID)?.revision == 2
        }
        try await waitUntil("they are given") {
            // `try?`: busy until then.
            (try? await scene.tokens.tokens(for: session)) != nil
        }
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A2")
        #expect(scene.host.sent == ["R1"])
    }

    @Test("decision 0057: a database that is away before anything was sent loses nothing")
    func unclaimed() async throws {
        let session = try await scene.signedIn(accessLives: 0)
        scene.database.refuseWrites(StoreBusy())
        #expect(await scene.tokens.failure(for: session) == .busy)
        #expect(scene.host.sent.isEmpty)
        scene.database.refuseWrites(nil)
        #expect(try await scene.tokens.tokens(for: session).access.reveal() == "A2")
    }

    @Test("IRON-S-15: tokens that come after the sign-out are given to no one, and are revoked")
    func signedOut() async throws {
        let session = try await scene.signedIn(accessLives: 0)
        scene.host.before { try await scene.signOut(session.sessionID) }
        #expect(await scene.tokens.failure(for: session) == .ended)
        try await scene.revocation.round()
        #expect(scene.host.revoked == ["R2"])
    }

    @Test("ATP-TL-6: tokens open for the session that they were sealed for, and no other")
    func vault() async throws {
        var (one, two) = (try await scene.signedIn(), try await scene.signedIn())
        #expect(scene.vault.open(one)?.access?.reveal() == "A1")
        (one.sealed, two.sealed) = (two.sealed, nil)
        #expect(scene.vault.open(one) == nil)
        #expect(scene.vault.open(two) == nil)
        let (id, sealed) = (one.sessionID, one.sealed)
        try await scene.database.database.write { transaction in
            _ = try transaction.run(
                "UPDATE handle_sessions SET sealed = $1 WHERE session_id = $2",
                [SQLValue(sealed), .text(id)]
            )
        }
        let read = try #require(try await scene.session(id))
        #expect(await scene.tokens.failure(for: read) == .signInAgain)
        #expect(scene.host.sent.isEmpty)
    }
}

extension HandleScene {
    var revocation: HandleRevocation { revocation(host) }

    func revocation(_ servers: any HandleTokenServers) -> HandleRevocation {
        HandleRevocation(
            handles: handles,
            vault: vault,
            servers: servers,
            clock: Clock { [clock] in clock.now }
        )
    }

    /// Why hosts ended sessions.
    func reasons() async throws -> [String?] {
        try await database.events.latest([.handleEnded]).map(\.reason)
    }
}
