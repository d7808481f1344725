import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// Sessions that another system began, with its tokens.
@Suite struct HandleSessionImportTests {
    private static let session = "/api/auth/session"
    private static let method = "/xrpc/com.atproto.server.getSession"

    private struct Scene {
        let server: HostedBackend
        let key: DPoPKey

        init() async throws {
            server = try await HostedBackend(apps: [BackendUnderTest.notes], isPublic: true)
            key = try DPoPKey(random: .system)
        }

        var now: Int64 { server.clock.seconds }
        var accounts: AccountStore { server.scene.database.accounts }

        var jwk: JSONObject {
            var jwk = key.jwk.object
            jwk["d"] = .string(Base64URL.encode(key.revealStored()))
            return jwk
        }

        var ours: JSONObject {
            [
                "did": .string(HandleScene.did), "handle": "ann.example.com",
                "host": "https://pds.example.com", "issuer": "https://as.example.com",
                "client_id": "https://app.example.com/oauth-client-metadata.json",
                "access_token": "A1", "refresh_token": "R1", "dpop_key": .object(jwk),
                "expires_at": .integer(now + 900),
            ]
        }

        /// As the library of the guide keeps it.
        var theirs: JSONObject {
            [
                "did": .string(HandleScene.did), "handle": "ann.example.com",
                "pdsUrl": "https://pds.example.com/", "accessToken": "A1", "refreshToken": "R1",
                "dpopPrivateKeyJWK": .object(jwk), "dpopPublicKeyJWK": .object(key.jwk.object),
                "tokenExpiresAt": .integer((now + 900) * 1000 + 1),
            ]
        }

        func importing(
            app: String? = nil,
            over transport: (any HTTPTransport)? = nil,
            names: any TextRecordResolver = Names(),
            isDryRun: Bool = false
        ) throws -> HandleSessionImport {
            let live = try #require(server.backend.signIn.directory.handles)
            let clock = server.clock
            return HandleSessionImport(
                accounts: accounts,
                realmID: "home",
                ring: HandleScene.ring,
                provider: live.provider,
                client: live.client,
                network: HandleDirectory.Network(
                    transport: transport ?? server.network,
                    names: names
                ),
                rules: .production,
                clock: Clock { clock.now },
                app: app,
                isDryRun: isDryRun
            )
        }

        func take(_ line: JSONObject) async throws -> HandleSessionImport.Outcome {
            try await importing()(line.serialized(), at: server.scene.moment)
        }

        /// What another system's seals open.
        func opened() async throws -> HandleSession? {
            try await server.scene.handles.liveOfForeignSeal(did: HandleScene.did, at: now)?.handle
        }

        func events() async throws -> [Event.Kind] {
            try await server.scene.database.events.latest().reversed().map(\.kind)
        }
    }

    @Test(
        "decision 0066: what another system stored opens by its seals, calls the host and is refreshed",
        arguments: [true, false]
    )
    func taken(_ isTheirs: Bool) async throws {
        let scene = try await Scene()
        let server = scene.server
        #expect(try await scene.take(isTheirs ? scene.theirs : scene.ours) == .taken)
        let session = try #require(try await scene.opened())
        #expect(session.issuer == "https://as.example.com" && session.clientKeyID == nil)
        #expect(session.host == "https://pds.example.com" && session.handle == "ann.example.com")
        #expect(session.clientID == "https://app.example.com/oauth-client-metadata.json")
        #expect(session.scope == "atproto transition:generic")
        #expect(session.accessExpiresAt == scene.now + 900)
        #expect(session.foreignSealsUntil == scene.now + 14 * 86_400)
        // Sealed at rest: no seal has a quotation mark.
        for secret in [#""A1""#, #""R1""#] { #expect(session.sealed?.contains(secret) == false) }
        #expect(try await scene.events().contains(.sessionImported))
        let foreign = try server.seal(session, names: false)
        let read = try await server.call(Self.session, foreign)
        #expect(read.status == 200 && read.json.string("did") == HandleScene.did)
        #expect(read.sid != nil)
        for seconds in [0.0, 901] {
            server.clock.advance(by: seconds)
            #expect(try await server.call(Self.method, foreign).status == 200)
            #expect(server.network.calls.last?.proof?.thumbprint == scene.key.thumbprint)
        }
        let refresh = try #require(server.network.refreshes.last)
        #expect(server.network.refreshes.count == 1)
        #expect(refresh.proof?.thumbprint == scene.key.thumbprint)
        #expect(refresh.form["client_id"] == session.clientID)
        #expect(refresh.form["client_assertion"] == nil)
    }

    /// How what came in ends.
    enum End: CaseIterable {
        case signOut, signInAnew, deletion
    }

    @Test(
        "decision 0066: of a DID one session comes in, and no other one after it, however it ended",
        arguments: End.allCases
    )
    func once(_ end: End) async throws {
        let scene = try await Scene()
        #expect(try await scene.take(scene.ours) == .taken)
        let session = try #require(try await scene.opened())
        // Of another device, or written into a later file.
        var other = scene.ours
        other["refresh_token"] = "R9"
        func takeAll() async throws {
            for line in [scene.ours, scene.theirs, other] {
                #expect(try await scene.take(line) == .known)
            }
        }
        try await takeAll()
        #expect(try await scene.opened() == session)
        let live = try #require(
            try await scene.server.scene.handles.live(session.sessionID, at: scene.now)
        )
        let account = live.live.person.id
        switch end {
        case .signOut: try await scene.server.scene.signOut(session.sessionID)
        case .signInAnew: _ = try await scene.server.signedIn()
        case .deletion:
            _ = try await scene.accounts.delete(
                account,
                noticeID: scene.server.scene.moment.id(),
                at: scene.now
            )
        }
        try await takeAll()
        #expect(try await scene.opened() == nil)
        let kept = try await scene.accounts.person(account)
        #expect((kept == nil) == (end == .deletion))
        let foreign = try scene.server.seal(session, names: false)
        #expect(try await scene.server.call(Self.session, foreign).status == 401)
    }

    @Test("decision 0066: a line that is no session of ours is refused, and nothing of it is kept")
    func refused() async throws {
        let scene = try await Scene()
        func changed(_ name: String, _ value: JSONValue?) -> [UInt8] {
            var line = scene.ours
            line[name] = value
            return line.serialized()
        }
        func key(_ name: String, _ value: JSONValue?) -> [UInt8] {
            var jwk = scene.jwk
            jwk[name] = value
            return changed("dpop_key", .object(jwk))
        }
        let long = JSONValue.string(String(repeating: "x", count: 32_769))
        let lines: [(HandleSessionImport.Refusal, [[UInt8]])] = [
            (.tooLong, [Array(repeating: 0x20, count: 65_537)]),
            (.notJSON, [Array("x".utf8), Array("[]".utf8), [0xFF], Array(#"{"a":1,"a":2}"#.utf8)]),
            (.did, [changed("did", nil), changed("did", "did:key:x"), changed("did", 1)]),
            (
                .host,
                [
                    changed("host", nil), changed("host", "http://pds.example.com"),
                    changed("host", "https://127.0.0.1"), changed("host", "https://pds.local"),
                    changed("host", "https://pds.example.com/path"),
                ]
            ),
            (.issuer, [changed("issuer", "https://10.0.0.1"), changed("issuer", 1)]),
            (.client, [changed("client_id", "https://other.example.com/client.json")]),
            (.clientKey, [changed("client_key", "key-1")]),
            (.scope, [changed("scope", "transition:generic"), changed("scope", "a\u{22}")]),
            (.accessToken, [changed("access_token", long), changed("access_token", "a b")]),
            (
                .refreshToken,
                [
                    changed("refresh_token", nil), changed("refresh_token", ""),
                    changed("refresh_token", long),
                ]
            ),
            (
                .key,
                [
                    changed("dpop_key", nil), key("d", nil), key("d", "AA"), key("kty", "RSA"),
                    key("crv", "secp256k1"), key("x", scene.jwk["y"]),
                    key("d", .string(Base64URL.encode(Array(repeating: 0, count: 32)))),
                ]
            ),
            (.time, [changed("expires_at", "soon"), changed("created_at", -1)]),
            (.over, [changed("created_at", .integer(scene.now - 90 * 86_400))]),
        ]
        for (refusal, lines) in lines {
            for line in lines {
                let outcome = try await scene.importing()(line, at: scene.server.scene.moment)
                #expect(outcome == .refused(refusal))
            }
        }
        let tried = Set(lines.map(\.0)).union([.server, .directory, .elsewhere, .blocked])
        #expect(tried == Set(HandleSessionImport.Refusal.allCases))
        #expect(try await scene.opened() == nil)
        #expect(try await scene.events().isEmpty)
        #expect(try await scene.take(scene.ours) == .taken)
    }

    @Test("A host that does not say its server is asked once, and its sessions can come later")
    func unreachable() async throws {
        let scene = try await Scene()
        let asked = Locked(0)
        let importing = try scene.importing(over: Silent(asked: asked, rest: scene.server.network))
        for token in ["R1", "R2"] {
            var line = scene.theirs
            line["refreshToken"] = .string(token)
            let outcome = try await importing(line.serialized(), at: scene.server.scene.moment)
            #expect(outcome == .refused(.server))
        }
        #expect(asked.withLock { $0 } == 1)
        #expect(try await scene.opened() == nil)
        #expect(try await scene.take(scene.theirs) == .taken)
    }

    @Test("Where no one says whose host an account has, no line is believed, and it may come again")
    func directoryAway() async throws {
        for (status, rest) in [(429, "slow down"), (503, "")] {
            let scene = try await Scene()
            let network = Answering(
                answers: ["plc.directory": HTTPReply.json(status, rest)],
                rest: scene.server.network
            )
            let importing = try scene.importing(over: network)
            for line in [scene.ours, scene.theirs] {
                let outcome = try await importing(line.serialized(), at: scene.server.scene.moment)
                #expect(outcome == .refused(.directory))
            }
            #expect(try await scene.opened() == nil)
            #expect(try await scene.take(scene.ours) == .taken)
        }
    }

    @Test("A dry run says what would come of each line, and writes nothing")
    func dryRun() async throws {
        let scene = try await Scene()
        let trying = try scene.importing(isDryRun: true)
        for _ in 1...2 {
            let outcome = try await trying(scene.ours.serialized(), at: scene.server.scene.moment)
            #expect(outcome == .taken)
        }
        #expect(try await scene.opened() == nil)
        #expect(try await scene.take(scene.ours) == .taken)
        var other = scene.ours
        #expect(try await trying(other.serialized(), at: scene.server.scene.moment) == .known)
        other["refresh_token"] = "R9"
        #expect(try await trying(other.serialized(), at: scene.server.scene.moment) == .known)
    }

    @Test("Sessions of an app are over when the app is taken away; blocked people get none")
    func apps() async throws {
        let scene = try await Scene()
        let server = scene.server
        let importing = try scene.importing(app: "notes")
        #expect(try await importing(scene.ours.serialized(), at: server.scene.moment) == .taken)
        let session = try #require(try await scene.opened())
        let foreign = try server.seal(session, names: false)
        #expect(try await server.call(Self.session, foreign).status == 200)
        var off = BackendUnderTest.notes
        off.isEnabled = false
        try await server.scene.database.put(off)
        try await server.backend.signIn.directory.refresh()
        #expect(try await server.call(Self.session, foreign).status == 401)

        let other = try await Scene()
        let (known, _) = try await other.server.signedIn()
        let live = try #require(
            try await other.server.scene.handles.live(known.sessionID, at: other.now)
        )
        _ = try await other.server.scene.database.block(live.live.person.id, true, at: other.now)
        #expect(try await other.take(other.ours) == .refused(.blocked))
        #expect(try await other.opened() == nil)
    }

    /// A file can say whose handle it likes: an account must not show up under another's.
    @Test("decision 0066: a session has the handle that its account confirms, or none")
    func handle() async throws {
        let cases: [(Names, String?)] = [(Names(), "ann.example.com"), (Names(dids: []), nil)]
        for (names, expected) in cases {
            let scene = try await Scene()
            var line = scene.ours
            line["handle"] = "victim.example.com"
            let importing = try scene.importing(names: names)
            let outcome = try await importing(line.serialized(), at: scene.server.scene.moment)
            #expect(outcome == .taken)
            let session = try #require(try await scene.opened())
            #expect(session.handle == expected ?? "handle.invalid")
            let live = try await scene.server.scene.handles.live(session.sessionID, at: scene.now)
            #expect(live?.live.person.name == expected)
        }
    }

    @Test("decision 0066: a line places no account at a host that its own document does not name")
    func elsewhere() async throws {
        let scene = try await Scene()
        func outcome(_ line: JSONObject, _ answers: [String: HTTPReply] = [:]) async throws
            -> HandleSessionImport.Outcome
        {
            let network = Answering(answers: answers, rest: scene.server.network)
            let importing = try scene.importing(over: network)
            return try await importing(line.serialized(), at: scene.server.scene.moment)
        }
        // The server of another host has named the DID to the other system.
        var line = scene.theirs
        line["pdsUrl"] = "https://evil.example.com"
        let evil = HTTPReply.json(
            200,
            #"{"resource":"https://evil.example.com","authorization_servers":["https://other.example.com"]}"#
        )
        #expect(try await outcome(line, ["evil.example.com": evil]) == .refused(.elsewhere))
        line = scene.ours
        line["issuer"] = "https://other.example.com"
        #expect(try await outcome(line) == .refused(.elsewhere))
        // There is no such account any more.
        let gone = ["plc.directory": HTTPReply.json(404, "{}")]
        #expect(try await outcome(scene.ours, gone) == .refused(.elsewhere))
        #expect(try await scene.opened() == nil)
        #expect(try await scene.events().isEmpty)
        // It has moved since, under the same server.
        scene.server.network.state.withLock { $0.host = "new.example.com" }
        #expect(try await outcome(scene.ours) == .taken)
        #expect(try await scene.opened()?.host == "https://new.example.com")
    }

    /// Some hosts answer otherwise.
    private struct Answering: HTTPTransport {
        let answers: [String: HTTPReply]
        let rest: HostNetwork

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            if let answer = request.address.flatMap({ answers[$0.host] }) { return answer }
            return try await rest.send(request, body: body, limits: limits)
        }
    }

    /// The DNS, which knows one handle.
    private struct Names: TextRecordResolver {
        var dids = [HandleScene.did]

        func texts(at name: String) async throws(TextRecordError) -> [String] {
            name == "_atproto.ann.example.com" ? dids.map { "did=\($0)" } : []
        }
    }

    /// No one answers. Counts how often the person's host was asked.
    private struct Silent: HTTPTransport {
        let asked: Locked<Int>
        let rest: HostNetwork

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            guard request.address?.host == "pds.example.com" else {
                return try await rest.send(request, body: body, limits: limits)
            }
            asked.withLock { $0 += 1 }
            throw .unreachable
        }
    }
}
