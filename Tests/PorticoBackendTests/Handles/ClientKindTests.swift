import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// Sessions after we became the other kind of client: one with keys, or one without.
@Suite struct ClientKindTests {
    @Test(
        "decision 0066: a sign-in that began as the other kind of client leaves no session for long",
        arguments: [true, false]
    )
    func late(_ wasPublic: Bool) async throws {
        let server = try await BackendUnderTest.withHandles(wasPublic ? ["public": true] : [:])
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        let former = try #require(server.backend.directory.handles?.record)
        var changed = former
        let isPublic: JSONValue? = wasPublic ? nil : true
        changed.settings["public"] = isPublic
        let store = server.database.configuration
        try await store.put(changed, replacing: former)
        try await server.backend.directory.refresh()
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        let session = try #require(try await server.handleSession(back)?.handle)
        #expect((session.clientKeyID == nil) == wasPublic)
        // Changed back, which this process has not read: it knows nothing of who is right.
        try await store.put(former, replacing: changed)
        try await server.backend.endHandleSessionsOfOtherKind()
        #expect(try await server.handleSession(back) != nil)
        try await store.put(changed, replacing: former)
        try await server.backend.makeHandleKey()
        let right = try await TestVisitor(server).byHandle(at: server)
        try await server.backend.endHandleSessionsOfOtherKind()
        #expect(try await server.handleSession(back) == nil)
        #expect(try await server.handleSession(right) != nil)
        let ended = try await server.database.events.latest([.handleEnded])
        #expect(ended.map(\.reason) == ["client_changed"])
    }

    /// A server that is started without its public URL must not end anything.
    @Test("decision 0066: a client for development has no keys, and ends nobody's session")
    func development() async throws {
        let server = try await HostedBackend(at: "http://127.0.0.1:8080")
        #expect(server.keyID == nil)
        let open = try await server.signedIn().session
        let keyed = try await server.scene.signedIn()
        try await server.backend.endHandleSessionsOfOtherKind()
        #expect(try await server.scene.session(open.sessionID) != nil)
        #expect(try await server.scene.session(keyed.sessionID) != nil)
    }
}
