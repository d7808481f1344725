import Foundation
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn
@testable import PorticoOutbound
@testable import PorticoProgram

@Suite("The transports of sign-in by handle, as serve has them") struct HandleTransportsTests {
    @Test("decision 0067: sign-ins, tokens and calls have one each; calls' answers are counted")
    func own() async throws {
        let settings = Settings(dataDirectory: "/nowhere")
        let installation = try Installation.open(settings, missing: .pretend)
        let outbound = OutboundClient()
        let wiring = try BackendWiring(installation, settings, outbound)
        let directory = wiring.handles(try PublicURL("https://portico.example.com"))
        let all = [directory.strangers.transport, directory.known.transport, directory.calls]
        let guarded = all.compactMap { $0 as? GuardedTransport }
        #expect(guarded.count == 3)
        #expect(Set(guarded.map { ObjectIdentifier($0) }).count == 3)
        #expect(guarded.map { $0.answers != nil } == [false, false, true])
        // And so are the look-ups of names.
        let texts = [directory.strangers.names, directory.known.names]
            .compactMap { $0 as? SystemTextRecords }
        #expect(Set(texts.map { ObjectIdentifier($0) }).count == 2)
        let resolvers = guarded.compactMap { $0.resolver as? SystemResolver }
        #expect(Set(resolvers.map { ObjectIdentifier($0) }).count == 3)
        try await outbound.shutdown()
        try await installation.close()
    }
}

extension Installation {
    /// With a database in memory.
    static func pretend() throws -> Installation {
        try open(Settings(dataDirectory: "/nowhere"), missing: .pretend)
    }
}

extension BackendWiring {
    /// That of a server with these settings, and no mail.
    init(_ installation: Installation, _ settings: Settings, _ outbound: OutboundClient) throws {
        let wiring = Wiring(
            installation: installation,
            address: settings.listen,
            log: ServerLog(settings, clock: .system),
            look: try PageLook(settings),
            network: nil,
            demonstration: nil
        )
        self.init(wiring, outbound, mail: nil)
    }
}

@Suite("The transport to a team's APIs, as serve has it") struct APITransportTests {
    /// How many of them a person gets at one server.
    private func fill(_ capacity: SharedCapacity, by step: Int, for person: String) -> Int {
        var count = 0
        while capacity.take(step, for: "orders.example.com:443", person) { count += 1 }
        return count
    }

    @Test("decision 0094: it is not that of sign-ins, and bounds what a server and a person get")
    func own() async throws {
        let portico = try PorticoProcess()
        let settings = Settings(dataDirectory: portico.home.path + "/data")
        let installation = try Installation.open(settings, missing: .create)
        let outbound = OutboundClient()
        let wiring = try BackendWiring(installation, settings, outbound)
        let backend = try await wiring.backend(
            try PublicURL("https://app.example.com"),
            SessionActivity(installation.sessions)
        )
        let apis = wiring.apis
        #expect(apis !== outbound)
        #expect((backend.transport as? OutboundClient) === apis)

        let (one, two) = (UniqueID(random: .system).text, UniqueID(random: .system).text)
        let places = try #require(apis.places)
        let most = OpenFiles(settings).outgoing / 2
        #expect(fill(places, by: 1, for: one) == most * 5 / 8)
        #expect(fill(places, by: 1, for: two) > 0)
        #expect(places.take(1, for: "bills.example.com:443", one))
        let answers = try #require(apis.answers)
        // An eighth of 256 MiB, and a quarter of what that leaves of the server's.
        #expect(fill(answers, by: 1 << 20, for: one) == 32)
        #expect(fill(answers, by: 1 << 20, for: two) == 24)
        #expect(answers.take(1 << 20, for: "bills.example.com:443", one))
        try await outbound.shutdown()
        try await apis.shutdown()
        try await installation.close()
    }
}

@Suite("What the backend does beside requests") struct BackendTasksTests {
    /// A sign-in by handle that began while we were a client without keys.
    private static func signIn(in realmID: String, at moment: Moment) -> SignInEvent {
        let key = IdentityKey(
            issuer: HandleProvider.kind,
            subject: "did:plc:abcdefghijklmnopqrstuvwx"
        )
        var event = SignInEvent(
            key,
            at: HandleProvider.kind,
            in: realmID,
            now: moment.seconds
        )
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
        let home = Realm(
            id: "home",
            name: "home",
            displayName: "Home",
            issuer: "https://app.example.com/realms/home"
        )
        _ = try await installation.realms.create(NewRealm(realm: home, keys: []))
        try await store.put(
            ProviderRecord(
                realmID: home.id,
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
        let backend = try await wiring.backend(
            publicURL,
            SessionActivity(installation.sessions)
        )
        let first = try await store.configuration().handleKeys.map(\.keyID)
        #expect(first.count == 1)
        try await store.add(
            HandleClientKey.next(ring: installation.ring, at: installation.clock.moment())
        )
        // The new one is used after eleven minutes. A sign-in that began before takes an hour at most.
        clock.advance(by: 660 + 3601)
        let event = Self.signIn(in: home.id, at: installation.clock.moment())
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

@Suite("While names are looked up that never resolve") struct BlockedNamesTests {
    @Test("decision 0067: 32 of them hold up no other look-up, no task and no check")
    func others() async throws {
        let (asked, isOpen) = (Locked(0), Locked(false))
        defer { isOpen.withLock { $0 = true } }
        let names = SystemResolver { _ in
            asked.withLock { $0 += 1 }
            waitBlocked { isOpen.withLock { $0 } }
            return []
        }
        let others = SystemResolver { _ in [[192, 0, 2, 1]] }
        let check = SharedCheck {}
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...32 {
                group.addTask { _ = try await names.addresses(of: "n\(number).example.com") }
            }
            let found = try await others.addresses(of: "pds.example.com")
            #expect(found == [[192, 0, 2, 1]])
            await Task {}.value
            let isSound = await check()
            #expect(isSound)
            try await waitUntil("32 names are asked for") { asked.withLock { $0 } == 32 }
            // It took 13 seconds on threads that tasks run on.
            let time = ContinuousClock.now - start
            #expect(time < .seconds(10))
            isOpen.withLock { $0 = true }
        }
    }
}
