import Foundation
package import HTTPTypes
import Logging
import PorticoATProtocol
package import PorticoBackend
import PorticoBytes
import PorticoPages
package import PorticoProtocol
package import PorticoProvider
package import PorticoSeals
package import PorticoSignIn
import PorticoStandIns
package import PorticoStores
import PorticoUpstream
import PorticoWeb

/// The whole BFF on a real database behind its front door, with stand-ins for Google, Facebook,
/// Apple and an OpenID provider on another site, and with the clock stopped. Without a socket.
package final class BackendUnderTest: Sendable {
    /// Ours, and theirs: two sites.
    package static let host = "app.example.com"
    package static let standInHost = "localhost:9000"

    package let clock: StoppedClock
    package let database: TestDatabase
    package let ring: KeyRing
    package let standIns: ScriptedStandIns
    /// Where people have their accounts who sign in by handle.
    package let hosts: TestHosts
    package let backend: Backend
    package let doors: [String: InProcessServer]
    private let written: WrittenLog
    private let ended: Locked<Int>
    /// Of the realm `test`, where there is one.
    package let provider: Provider?

    /// - Parameters:
    ///   - apps: Registered beside the providers.
    ///   - isDemonstration: Whether the outbox is there as well.
    ///   - handles: With what settings people sign in by handle, too; at ``hosts``.
    ///   - joined: Their host, in place of ``hosts``. Its clock is everybody's.
    ///   - life: How long one of theirs lasts unused, in seconds.
    ///   - apiTransport: In place of `further`.
    ///   - files: Reads identity providers of realms' files.
    ///   - configure: Changes the realm `test`, which is on the same host, has the same providers, and is not
    ///     the backend's; `nil`: there is none.
    package init(
        database: TestDatabase? = nil,
        apps: [Client] = [BackendUnderTest.notes],
        rules: AccountRules = AccountRules(),
        limits: SignInLimits = SignInLimits(startsPerMinute: 1000, callbacksPerMinute: 1000),
        apis: [ProxiedAPI] = [],
        identity: ServiceIdentity = BackendUnderTest.identity,
        isDemonstration: Bool = false,
        handles: JSONObject? = nil,
        at joined: JoinedHost? = nil,
        sessionsLast life: Int64 = HandleDirectory.sessionLife,
        further: [String: InProcessServer] = [:],
        askingAPIsBy apiTransport: (any HTTPTransport)? = nil,
        files: ProviderFiles? = nil,
        realm configure: ((inout NewRealm) -> Void)? = nil
    ) async throws {
        let database = try database ?? TestDatabase.inMemory()
        let clock = joined?.provider.clock ?? StoppedClock()
        let time = Clock { clock.now }
        let ring = TestRealm.ring
        let url = try PublicURL("https://\(Self.host)")
        if let configure {
            try await TestRealm.create(in: database, ring, time) { new in
                new.realm.issuer = "https://\(Self.host)/realms/test"
                configure(&new)
            }
        }
        let standIns = try ScriptedStandIns(baseURL: "http://\(Self.standInHost)", clock: time)
        try await standIns.standIns.offer(
            to: database,
            at: "https://\(Self.host)",
            apps: apps,
            ring: ring,
            realmID: configure.map { _ in TestRealm.id }
        )
        let standInDoor = InProcessServer(standIns.standIns.responder, peer: "127.0.0.1")
        let transport = InProcessTransport([Self.standInHost: standInDoor].merging(further) { $1 })
        let written = WrittenLog(clock)
        let ended = Locked(0)
        let hosts = TestHosts(clock)
        if let handles {
            try await database.put(
                ProviderRecord(
                    realmID: "home",
                    name: "atproto",
                    kind: "atproto",
                    place: 100,
                    isEnabled: true,
                    settings: handles,
                    sealedSecret: nil
                )
            )
        }
        let passwords = try IronPasswords(session: SecretText(Self.sealPassword))
        let directory = try await ProviderDirectory(
            store: files.map { BackendConfigurationStore(database.database, files: $0) }
                ?? database.configuration,
            handles: HandleDirectory(
                ring: ring,
                clock: time,
                publicURL: url,
                strangers: HandleDirectory.Network(
                    transport: joined?.transport ?? hosts,
                    names: joined ?? hosts
                ),
                known: HandleDirectory.Network(
                    transport: joined?.transport ?? hosts,
                    names: joined ?? hosts
                ),
                calls: joined?.transport ?? hosts,
                rules: joined?.rules ?? .production,
                sessionsLast: life
            ) { _ in passwords }
        ) { record in
            try UpstreamClient(
                record,
                secrets: ProviderSecrets(ring: ring),
                transport: transport,
                allowingStandIns: true,
                now: { clock.now }
            )
        }
        let signIn = try SignIn(
            directory: directory,
            accounts: database.accounts,
            sessions: database.sessions,
            people: database.people,
            realms: database.realms,
            handles: database.handles,
            ring: ring,
            clock: time,
            activity: SessionActivity(database.sessions),
            logger: written.logger,
            pages: PageRenderer(),
            publicURL: url,
            identity: identity,
            rules: rules,
            limits: limits,
            sessionEnded: { ended.withLock { $0 += 1 } }
        )
        backend = Backend(signIn, transport: apiTransport ?? transport, apis: apis)
        try await backend.makeHandleKey()
        var services: [any HTTPService] = [try backend.service]
        if configure == nil {
            provider = nil
        } else {
            let realms = try await RealmDirectory(store: database.realms, ring: ring)
            let provider = try Provider(
                realms: realms,
                people: database.people,
                sessions: database.sessions,
                grants: database.grants,
                pushed: database.pushedRequests,
                mailboxes: database.mailboxes,
                ring: ring,
                clock: time,
                hashing: TestRealm.hashing,
                activity: SessionActivity(database.sessions),
                logger: written.logger,
                publicURL: url,
                documentsBy: transport,
                sendsMail: true,
                elsewhere: backend.signIn.elsewhere
            )
            self.provider = provider
            services += [
                try backend.signIn.serviceOfRealms { name, host in
                    realms.realm(named: name).flatMap { $0.host == host ? $0.realm : nil }
                },
                try provider.service,
            ]
        }
        if isDemonstration { services.append(try backend.demo(outbox: database.outbox)) }
        let headers = SecurityHeaders(url)
        let pipeline = RequestPipeline(
            guarding: HostGuard([url]),
            proxies: TrustedProxies([NetworkRange("10.0.0.0/8")].compactMap(\.self)),
            headers: headers,
            log: written.access,
            clock: Clock { clock.now },
            services: services,
            notFound: { _ in Response(empty: .notFound, headers: headers) }
        )
        var doors = [Self.host: InProcessServer(pipeline), Self.standInHost: standInDoor]
        if let joined { doors[JoinedHost.authority] = joined.server }
        self.doors = doors
        self.clock = clock
        self.database = database
        self.ring = ring
        self.standIns = standIns
        self.hosts = hosts
        self.written = written
        self.ended = ended
    }

    /// How often it was said that sessions ended whose clients are to be told.
    package var endings: Int { ended.withLock { $0 } }

    /// Everything the log was given until now.
    package var log: String { written.text }

    /// From now on the people of the realm `test` are the backend's.
    package func shareRealm() async throws {
        try await database.configuration.choose(realmID: TestRealm.id)
        try await backend.signIn.directory.refresh()
    }

    /// One request to us, as a program makes it.
    package func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: [UInt8] = [],
        from address: String = "192.0.2.1"
    ) async throws -> Reply {
        var fields = headers
        if let name = HTTPField.Name("X-Forwarded-For") { fields[name] = address }
        if let name = HTTPField.Name("X-Forwarded-Proto") { fields[name] = "https" }
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: Self.host,
            path: path,
            headerFields: fields
        )
        guard let door = doors[Self.host] else { throw NoDoor() }
        return try await door.send(head, body: body)
    }

    /// A form post of a program.
    package func post(
        _ path: String,
        _ form: [(String, String)],
        headers: HTTPFields = [:],
        from address: String = "192.0.2.1"
    ) async throws -> Reply {
        var fields = headers
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await send(
            .post,
            path,
            headers: fields,
            body: FormEncoding.encode(form.map { (name: $0.0, value: $0.1) }),
            from: address
        )
    }

    struct NoDoor: Error {}

    /// Of the cookie `sid`.
    package static let sealPassword = "a password of a test, long enough to seal with"
}

extension BackendUnderTest {
    package static let identity = ServiceIdentity(name: "Example", contact: "help@example.com")

    /// An app with a claimed https redirect, a private-use scheme and a loopback address.
    package static let notes: Client = {
        var notes = Client.app(
            "notes",
            "https://app.example.com/auth/callback",
            "com.example.notes:/callback",
            "http://127.0.0.1/callback"
        )
        notes.handOff.appleAppIDs = ["ABCDE12345.com.example.notes"]
        notes.handOff.androidApps = [
            .init(
                packageName: "com.example.notes",
                fingerprint: Array(repeating: "AB", count: 32).joined(separator: ":")
            )
        ]
        notes.handOff.audiences = [
            .init(provider: "apple", clientID: "com.example.notes"),
            .init(provider: "google", clientID: "notes.apps.example.com"),
            .init(provider: "facebook", clientID: "notes-at-facebook"),
        ]
        return notes
    }()
}
