import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// Refreshing and revoking at the servers that sign-ins found.
@Suite struct ATTokenServerTests {
    private func signedIn(_ server: BackendUnderTest) async throws -> HandleSession {
        let back = try await TestVisitor(server).byHandle(at: server)
        server.clock.advance(by: 3600)
        server.hosts.forgetRequests()
        return try #require(try await server.handleSession(back)?.handle)
    }

    @Test(
        "ATP-TL-4, ATP-CA-5: a session is refreshed at its own server, with its key and its client's"
    )
    func refresh() async throws {
        let server = try await BackendUnderTest.withHandles()
        let session = try await signedIn(server)
        let before = try #require(HandleTokenVault(ring: server.ring).open(session))
        let open = try await server.backend.handleTokens.tokens(for: session)
        #expect(open.session.revision == session.revision + 1)
        let asked = try #require(server.hosts.asked.last)
        #expect(server.hosts.asked.count == 1)
        #expect(asked.host == "pds.example.com")
        #expect(asked.form["refresh_token"] == before.refresh?.reveal())
        #expect(asked.thumbprint == before.key.thumbprint.text)
        #expect(asked.assertion?.header.string("kid") == session.clientKeyID)
    }

    @Test("Decision 0057: an account that has moved keeps its session, and nothing is sent")
    func moved() async throws {
        let server = try await BackendUnderTest.withHandles()
        let session = try await signedIn(server)
        server.hosts.move(.ann, to: "other.example.com")
        await #expect(throws: HandleTokens.Failure.signInAgain) {
            try await server.backend.handleTokens.tokens(for: session)
        }
        #expect(server.hosts.asked.isEmpty)
        #expect(
            try await server.database.handles.live(session.sessionID, at: server.clock.seconds)
                != nil
        )
    }

    @Test(
        "decision 0056: the server that an account had before it moved is told that its session is over"
    )
    func former() async throws {
        let server = try await BackendUnderTest.withHandles()
        let session = try await signedIn(server)
        let token = try #require(HandleTokenVault(ring: server.ring).open(session)?.refresh)
        server.hosts.move(.ann, to: "other.example.com")
        let live = try await server.database.handles.live(
            session.sessionID,
            at: server.clock.seconds
        )
        _ = try await server.database.accounts.signOut(
            session.sessionID,
            of: try #require(live).live.account.id,
            at: server.clock.seconds
        )
        try await server.backend.revokeHandleTokens()
        let asked = server.hosts.asked.filter { $0.path == "/oauth/revoke" }
        #expect(asked.map(\.host) == ["pds.example.com"])
        #expect(asked.first?.form["token"] == token.reveal())
        let events = try await server.database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == [nil])
    }

    @Test("ATP-TL-7: while the directory is away, the last known server is asked")
    func directoryAway() async throws {
        let server = try await BackendUnderTest.withHandles()
        let session = try await signedIn(server)
        server.hosts.setAway("plc.directory")
        _ = try await server.backend.handleTokens.tokens(for: session)
        #expect(server.hosts.asked.last?.isGrant("refresh_token") == true)
    }

    @Test(
        "ATP-TL-5, ATP-TL-7: only invalid_grant and another's tokens end a session",
        arguments: [
            (TestHosts.Fault.refusesClient, true), (.serverError, true), (.bearer, true),
            (.withoutScope, true), (.otherSubject(TestHosts.Person.bob.did), false),
        ]
    )
    func faults(_ fault: TestHosts.Fault, _ isKept: Bool) async throws {
        let server = try await BackendUnderTest.withHandles()
        let session = try await signedIn(server)
        server.hosts.set(fault)
        await #expect(throws: HandleTokens.Failure.self) {
            try await server.backend.handleTokens.tokens(for: session)
        }
        let left = try await server.database.handles.live(
            session.sessionID,
            at: server.clock.seconds
        )
        #expect((left != nil) == isKept)
        guard isKept else { return }
        // What the answer brought in its place is used the next time.
        server.hosts.set(nil)
        server.clock.advance(by: 61)
        let next = try #require(left?.handle)
        let open = try await server.backend.handleTokens.tokens(for: next)
        #expect(open.access.reveal().hasPrefix("access-"))
    }

    @Test("ATP-CA-1, sign-out: tokens are revoked with the session's proof and an assertion")
    func revocation() async throws {
        let server = try await BackendUnderTest.withHandles()
        let session = try await signedIn(server)
        let before = try #require(HandleTokenVault(ring: server.ring).open(session))
        let live = try #require(
            try await server.database.handles.live(session.sessionID, at: server.clock.seconds)
        )
        _ = try await server.database.accounts.signOut(
            session.sessionID,
            of: live.live.account.id,
            at: server.clock.seconds
        )
        try await server.backend.revokeHandleTokens()
        #expect(server.hosts.revoked == [before.refresh?.reveal()])
        let asked = try #require(server.hosts.asked.last)
        #expect(asked.path == "/oauth/revoke")
        #expect(asked.thumbprint == before.key.thumbprint.text)
        #expect(asked.assertion?.header.string("kid") == session.clientKeyID)
        try await server.backend.revokeHandleTokens()
        #expect(server.hosts.revoked.count == 1)
    }

    @Test("ATP-TL-7: each error of a server becomes what a session makes of it")
    func translation() {
        func word(_ error: ATError) -> String {
            switch HandleRefreshFailure(error) {
            case .invalidGrant: "ended"
            case .otherSubject(let token): "other \(token?.reveal() ?? "-")"
            case .unusable(let token): "unusable \(token?.reveal() ?? "-")"
            case .busy: "busy"
            case .failed(let isUnspent): isUnspent ? "unspent" : "unknown"
            }
        }
        #expect(word(.invalidGrant) == "ended")
        #expect(word(.unusable(.otherSubject, successor: SecretText("r"))) == "other r")
        #expect(word(.unusable(.scope, successor: SecretText("r"))) == "unusable r")
        #expect(word(.unusable(.tooLarge, successor: nil)) == "unusable -")
        #expect(word(.client(.invalidClient)) == "unspent")
        #expect(word(.server(status: 429)) == "unspent")
        #expect(word(.server(status: 500)) == "unknown")
        #expect(word(.network(.unreachable)) == "unknown")
        #expect(word(.network(.busy)) == "busy")
        #expect(word(.signing) == "unspent")
    }
}
