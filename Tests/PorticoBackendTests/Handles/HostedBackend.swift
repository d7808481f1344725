import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// The whole backend behind its request pipeline, with people who have signed in by handle, and a network
/// of one host that writes down what it is asked.
final class HostedBackend: Sendable {
    let scene: HandleScene
    let network = HostNetwork()
    let backend: Backend
    /// Its name at hosts; `nil` of a public client.
    let keyID: String?
    let pipeline: RequestPipeline
    /// What the file of passwords of the cookie `sid` says by now; `nil` where it is gone.
    let passwords: Locked<IronPasswords?>
    private let server: InProcessServer
    private let cookie: SidCookie
    private let log: WrittenLog

    var clock: StoppedClock { scene.clock }
    var logged: String { log.text }

    /// - Parameters:
    ///   - origin: Its public URL.
    ///   - strangers: Goes out for sign-ins instead of asking the network that writes down.
    ///   - known: The same, for tokens.
    ///   - transport: The same, for calls.
    init(
        apps: [Client] = [],
        isPublic: Bool = false,
        at origin: String = "https://app.example.com",
        strangers: (any HTTPTransport)? = nil,
        known: (any HTTPTransport)? = nil,
        transport: (any HTTPTransport)? = nil
    ) async throws {
        let scene = try HandleScene()
        let (database, clock) = (scene.database, scene.clock)
        network.clock.withLock { $0 = clock }
        let time = Clock { clock.now }
        let url = try PublicURL(origin)
        let passwords = try IronPasswords(session: Self.password)
        let file = Locked<IronPasswords?>(passwords)
        try await database.put(
            ProviderRecord(
                realmID: "home",
                name: "atproto",
                kind: "atproto",
                place: 1,
                isEnabled: true,
                settings: isPublic ? ["public": true] : [:],
                sealedSecret: nil
            )
        )
        for app in apps { try await database.put(app) }
        let directory = try await ProviderDirectory(
            store: database.configuration,
            handles: HandleDirectory(
                ring: HandleScene.ring,
                clock: time,
                publicURL: url,
                strangers: HandleDirectory.Network(
                    transport: strangers ?? network,
                    names: NoNames()
                ),
                known: HandleDirectory.Network(transport: known ?? network, names: NoNames()),
                calls: transport ?? network,
                rules: .production
            ) { _ in file.withLock { $0 } }
        ) { _ in throw HTTPTransportError.refused }
        let log = WrittenLog(clock)
        let signIn = try SignIn(
            directory: directory,
            accounts: database.accounts,
            sessions: database.sessions,
            people: database.people,
            realms: database.realms,
            handles: database.handles,
            ring: HandleScene.ring,
            clock: time,
            activity: SessionActivity(database.sessions),
            logger: log.logger,
            pages: PageRenderer(),
            publicURL: url,
            identity: BackendUnderTest.identity
        )
        backend = Backend(signIn, transport: network)
        try await backend.makeHandleKey()
        try await directory.refresh()
        keyID = directory.handleKeys.first?.keyID
        let headers = SecurityHeaders(url)
        let proxies = [NetworkRange("10.0.0.0/8"), NetworkRange("127.0.0.1")]
        pipeline = RequestPipeline(
            guarding: HostGuard([url]),
            proxies: TrustedProxies(proxies.compactMap(\.self)),
            headers: headers,
            log: log.access,
            clock: time,
            services: [try backend.service],
            notFound: { _ in Response(empty: .notFound, headers: headers) }
        )
        server = InProcessServer(pipeline)
        cookie = SidCookie(CookiePolicy(url), passwords: passwords)
        self.scene = scene
        self.log = log
        self.passwords = file
    }

    /// The first one of the cookie `sid`, under the id 1.
    static let password = SecretText("a password of our own, long enough for two")

    /// Somebody with tokens `A1` and `R1`.
    func signedIn(
        accessLives seconds: Int64? = 900,
        host: String = "https://pds.example.com",
        granted: String = "atproto transition:generic",
        form: PersonSession.Form? = nil,
        foreignSealsUntil: Int64? = nil
    ) async throws -> (session: HandleSession, seal: String) {
        let session = try await scene.signedIn(
            accessLives: seconds,
            host: host,
            clientKeyID: keyID,
            granted: granted,
            form: form,
            foreignSealsUntil: foreignSealsUntil
        )
        return (session, try seal(session))
    }

    func seal(_ session: HandleSession, names: Bool = true) throws -> String {
        let now = clock.seconds * 1000
        return try cookie.seal(
            SidCookie.Content(
                did: session.did,
                createdAt: now,
                lastAccessed: now,
                session: names ? session.sessionID : nil
            ),
            at: scene.moment
        )
    }

    func content(_ seal: String) throws -> SidCookie.Content {
        let presented = cookie.presented([.cookie: "sid=\(seal)"], at: scene.moment)
        guard case .content(let content, _, _) = presented else { throw NoContent() }
        return content
    }

    struct NoContent: Error {}

    /// One request, as a program or a browser makes it.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields,
        body: [UInt8] = []
    ) async throws -> Reply {
        try await server.send(request(method, path, fields), body: body)
    }

    private func request(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields)
        -> HTTPRequest
    {
        var fields = fields
        fields[.known("X-Forwarded-For")] = "192.0.2.1"
        fields[.known("X-Forwarded-Proto")] = "https"
        return HTTPRequest(
            method: method,
            scheme: "http",
            authority: "app.example.com",
            path: path,
            headerFields: fields
        )
    }

    /// The answer to a call by cookie, which no one has read yet.
    func unread(_ path: String, _ seal: String) async throws -> Response {
        try await server.answer(request(.get, path, [.cookie: "sid=\(seal)", .portico: "1"]))
    }

    /// A call of a method of the host, by cookie.
    func call(
        _ path: String = "/xrpc/com.atproto.server.getSession",
        _ seal: String,
        _ method: HTTPRequest.Method = .get,
        _ further: HTTPFields = [:],
        body: [UInt8] = []
    ) async throws -> Reply {
        var fields = further
        fields[.cookie] = "sid=\(seal)"
        if fields[.portico] == nil { fields[.portico] = "1" }
        return try await send(method, path, fields, body: body)
    }
}

private struct NoNames: TextRecordResolver {
    func texts(at name: String) async throws(TextRecordError) -> [String] { [] }
}

extension Reply {
    /// The value that `Set-Cookie` gives `sid`; empty where it removes it.
    var sid: String? {
        headers[values: .setCookie].compactMap { $0.firstMatch(of: /^sid=([^;]*);/) }
            .map { String($0.1) }.last
    }
}
