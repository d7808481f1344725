import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// The whole of a host of the AT Protocol: the stand-in, and behind it a realm of ours.
@Suite("A host of the AT Protocol with our own authorization server") struct JoinedHostTests {
    private static let scope = "atproto transition:generic transition:email"

    @Test("a sign-in by handle, a record, a refresh and a sign-out, with our own client")
    func wholeSession() async throws {
        let scene = try await JoinedClient()
        let (name, person) = ("alice", ATHostPerson.ann)
        let tokens = try await scene.signIn(name, person, Self.scope)
        #expect(tokens.subject.text == person.did && tokens.scope.text == Self.scope)
        let session = try await scene.call("com.atproto.server.getSession", tokens.access)
        #expect(session.status == 200, "\(session.text)")
        #expect(session.json.string("handle") == person.handle)
        #expect(session.json.string("email") == person.email)
        let record: JSONObject = [
            "repo": .string(person.did), "collection": "app.bsky.feed.post",
            "record": ["text": "hello"],
        ]
        let written = try await scene.call(
            "com.atproto.repo.createRecord",
            by: .post,
            tokens.access,
            record.serialized()
        )
        #expect(written.status == 200, "\(written.text)")
        let next = try await scene.client.refresh(
            try #require(tokens.refresh),
            of: tokens.subject,
            at: await scene.server(),
            as: scene.identity,
            key: scene.key
        )
        let old = try await scene.call("com.atproto.server.getSession", tokens.access)
        #expect(old.status == 401 && old.error == "invalid_token")
        #expect(try await scene.call("com.atproto.server.getSession", next.access).status == 200)
        let isRevoked = try await scene.client.revoke(
            #require(next.refresh),
            at: scene.server(),
            as: scene.identity,
            key: scene.key
        )
        #expect(isRevoked)
        let ended = try await scene.call("com.atproto.server.getSession", next.access)
        #expect(ended.status == 401 && ended.error == "invalid_token")
        await #expect(throws: ATError.invalidGrant) {
            try await scene.client.refresh(
                try #require(next.refresh),
                of: next.subject,
                at: await scene.server(),
                as: scene.identity,
                key: scene.key
            )
        }
    }

    @Test("the nonces of the host and of its authorization server are the same ones")
    func nonces() async throws {
        let scene = try await JoinedClient()
        let tokens = try await scene.signIn("bob", .bob, Self.scope)
        scene.log.clear()
        _ = try await scene.call("com.atproto.server.getSession", tokens.access)
        #expect(scene.log.count(.xrpc) == 1)
        scene.joined.provider.clock.advance(by: 180)
        _ = try await scene.call("com.atproto.server.getSession", tokens.access)
        #expect(scene.log.count(.xrpc) == 3, "one retry")
        _ = try await scene.client.refresh(
            try #require(tokens.refresh),
            of: tokens.subject,
            at: await scene.server(),
            as: scene.identity,
            key: scene.key
        )
        #expect(scene.log.refreshes == 1)
    }

    @Test("what no one was asked to change comes from the realm: its refusals, with a nonce each")
    func refusals() async throws {
        let scene = try await JoinedClient()
        scene.host.configure { $0.gone = [.client] }
        await #expect(throws: ATError.client(.invalidClientMetadata)) {
            try await scene.push(.ann, Self.scope)
        }
        #expect(scene.sites.fetched.isEmpty)
        scene.host.repair()
        scene.sites[JoinedClient.clientID] = nil
        await #expect(throws: ATError.client(.invalidClientMetadata)) {
            try await scene.push(.ann, Self.scope)
        }
        #expect(!scene.sites.fetched.isEmpty)
    }
}

/// Our client at such a host.
private struct JoinedClient: Sendable {
    static let clientID = "https://app.example.com/client.json"

    let joined: JoinedHost
    let sites = DocumentSites()
    let key: DPoPKey
    let identity = ATClientIdentity(
        clientID: JoinedClient.clientID,
        redirectURI: "https://app.example.com/callback",
        key: nil
    )
    private let nonces = DPoPNonceMemory()
    private let verifier = CodeVerifier(String(repeating: "v", count: 43))

    init() async throws {
        sites[Self.clientID] = DocumentSites.Answer([
            "client_id": .string(Self.clientID),
            "redirect_uris": ["https://app.example.com/callback"],
            "scope": "atproto transition:generic transition:email",
            "token_endpoint_auth_method": "none", "application_type": "web",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "dpop_bound_access_tokens": true,
        ])
        joined = try await JoinedHost(documentsBy: sites)
        key = try DPoPKey(random: .system)
    }

    var host: ATHost { joined.host }
    var log: RequestLog<ATHostCall> { joined.log }
    private var rules: IdentityRules { joined.rules }

    private var sender: DPoPSender {
        DPoPSender(transport: joined.transport, nonces: nonces, clock: joined.clock)
    }

    var client: ATClient { ATClient(sender: sender, rules: rules) }

    func server() async throws -> AuthorizationServer {
        try await ServerDiscovery(
            transport: joined.transport,
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            rules: rules,
            clock: joined.clock
        ).server(of: try ServerOrigin(JoinedHost.origin, rules), wasNamed: false)
    }

    func push(_ person: ATHostPerson, _ scope: String) async throws -> String {
        try await client.push(
            ATAuthorization(
                state: "s",
                challenge: try #require(verifier).challenge,
                scope: try Scope(scope),
                start: .handle(try Handle(person.handle, rules))
            ),
            to: await server(),
            as: identity,
            key: key
        )
    }

    /// By the pages of the realm.
    func signIn(_ name: String, _ person: ATHostPerson, _ scope: String) async throws -> ATTokens {
        let address = try #require(HTTPAddress(try await push(person, scope)))
        let jar = Locked<[String: String]>([:])
        func ask(_ verb: HTTPRequest.Method, _ path: String, _ form: [(String, String)] = [])
            async throws -> Reply
        {
            let cookies = jar.withLock { $0.map { "\($0.key)=\($0.value)" } }
            var request = HTTPRequest(
                method: verb,
                scheme: "https",
                authority: JoinedHost.authority,
                path: path
            )
            if !cookies.isEmpty { request.headerFields[.cookie] = cookies.joined(separator: "; ") }
            if verb == .post {
                request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            }
            let reply = try await joined.server.send(
                request,
                body: FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
            )
            for field in reply.headers[values: .setCookie] {
                let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                jar.withLock { $0[String(pair[0])] = String(pair[1]) }
            }
            return reply
        }
        let page = try await ask(.get, address.target)
        let hidden = page.hiddenFields.map { ($0.name, $0.value) }.filter { $0.0 != "username" }
        let consent = try await ask(
            .post,
            try #require(page.formAction, "\(page.text)"),
            hidden + [("username", name), ("password", TestRealm.passwords[name] ?? "")]
        )
        let answer = try await ask(
            .post,
            try #require(consent.formAction, "\(consent.text)"),
            consent.hiddenFields.map { ($0.name, $0.value) } + [("action", "allow")]
        )
        #expect(answer.redirected["iss"] == JoinedHost.origin && answer.redirected["state"] == "s")
        return try await client.redeem(
            SecretText(try #require(answer.redirected["code"], "\(answer.text)")),
            verifier: try #require(verifier),
            of: try DID(person.did, rules),
            at: await server(),
            as: identity,
            key: key
        )
    }

    func call(
        _ method: String,
        by verb: HTTPRequest.Method = .get,
        _ token: SecretText,
        _ body: [UInt8] = []
    ) async throws -> Reply {
        let fields: HTTPFields = body.isEmpty ? [:] : [.contentType: "application/json"]
        let answer = try await sender.send(
            verb,
            to: try #require(HTTPAddress("\(JoinedHost.origin)/xrpc/\(method)")),
            with: key,
            token: token,
            at: .resource,
            limits: HTTPLimits(bytes: 1_000_000, seconds: 10)
        ) { _ in (fields, body) }
        return Reply(
            status: answer.reply.response.status.code,
            headers: answer.reply.response.headerFields,
            body: answer.reply.body
        )
    }
}
