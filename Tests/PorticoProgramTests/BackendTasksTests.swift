import Foundation
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProgram

@Suite("What the backend does beside requests") struct BackendTasksTests {
    /// A sign-in by handle that began while we were a client without keys.
    private static func signIn(at moment: Moment) -> SignInEvent {
        let key = IdentityKey(
            issuer: HandleProvider.kind,
            subject: "did:plc:abcdefghijklmnopqrstuvwx"
        )
        var event = SignInEvent(key, at: HandleProvider.kind, now: moment.seconds)
        event.handleSession = NewHandleSession(
            did: "did:plc:abcdefghijklmnopqrstuvwx",
            handle: "ann.example.com",
            host: "https://pds.example.com",
            issuer: "https://as.example.com",
            clientID: "https://app.example.com/oauth-client-metadata.json",
            clientKeyID: nil,
            askedScope: "atproto",
            scope: "atproto",
            sealed: "sealed",
            accessExpiresAt: nil
        )
        return event
    }

    @Test("keys that no session needs are taken back, and sessions of another kind of client end")
    func purge() async throws {
        let portico = try PorticoProcess()
        let clock = StoppedClock()
        let settings = Settings(dataDirectory: portico.home.path + "/data")
        let installation = try Installation.open(
            settings,
            missing: .create,
            clock: Clock { clock.now }
        )
        let (store, handles) = (installation.backend, installation.handles)
        try await store.put(
            ProviderRecord(
                name: HandleProvider.kind,
                kind: HandleProvider.kind,
                place: 0,
                isEnabled: true,
                settings: [:],
                sealedSecret: nil
            )
        )
        let publicURL = try PublicURL("https://app.example.com")
        let outbound = OutboundClient()
        let wiring = try BackendWiring(installation, settings, outbound)
        let backend = try await wiring.backend(publicURL)
        let first = try await store.configuration().handleKeys.map(\.keyID)
        #expect(first.count == 1)
        try await store.add(
            HandleClientKey.next(ring: installation.ring, at: installation.clock.moment())
        )
        // The new one is used after eleven minutes. A sign-in that began before takes an hour at most.
        clock.advance(by: 660 + 3601)
        let event = Self.signIn(at: installation.clock.moment())
        _ = try await installation.accounts.signIn(event, at: clock.seconds)
        #expect(try await handles.live(event.session.id, at: clock.seconds) != nil)
        let tasks = wiring.repeating(backend)
        for name in ["apps and providers", "purge of accounts"] {
            try await tasks.first { $0.name == name }?.action()
        }
        #expect(try await handles.live(event.session.id, at: clock.seconds) == nil)
        let keys = try await store.configuration().handleKeys
        #expect(keys.count == 2)
        #expect(keys.filter { $0.withdrawnAt != nil }.map(\.keyID) == first)
        try await outbound.shutdown()
        try await installation.close()
    }
}
