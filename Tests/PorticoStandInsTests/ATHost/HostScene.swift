import Crypto
import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

/// The stand-in of a host in front of an authorization server, and our client at the other end.
struct HostScene: Sendable {
    static let origin = "https://pds.handles.test"
    static let ann = ATHostPerson.ann
    static let bob = ATHostPerson.bob

    let clock = StoppedClock()
    let host: ATHost
    let log = RequestLog<ATHostCall>()
    let behind: PlainAuthorizationServer
    let transport: InProcessTransport
    let rules: IdentityRules
    /// Of the client's session.
    let key: DPoPKey
    private let door: InProcessServer
    private let nonces = DPoPNonceMemory()

    init(longestBlob: Int = 5_242_880) throws {
        let clock = clock
        let shared = DPoPNonces(keys: [SymmetricKey(size: .bits256)])
        host = try ATHost(
            baseURL: Self.origin,
            clock: Clock { clock.now },
            nonces: shared,
            longestBlob: longestBlob,
            hook: log.hook()
        )
        behind = try PlainAuthorizationServer(Self.origin, clock, shared)
        let door = InProcessServer(host.responder(authorizationServer: behind), peer: "127.0.0.1")
        self.door = door
        let names = ["pds", "ann", "bob", "nobody"].map { "\($0).handles.test" }
        transport = InProcessTransport(Dictionary(uniqueKeysWithValues: names.map { ($0, door) }))
        var rules = IdentityRules()
        rules.allowsTest = true
        self.rules = rules
        key = try DPoPKey(random: .system)
    }

    // MARK: The client

    var resolver: IdentityResolver {
        get throws { try resolver(texts: [:]) }
    }

    func resolver(texts: [String: [String]]) throws -> IdentityResolver {
        IdentityResolver(
            transport: transport,
            names: HostTexts(texts: texts),
            directory: try ServerOrigin(Self.origin, rules),
            cache: AnswerCache(seconds: IdentityResolver.freshness),
            rules: rules,
            clock: Clock { [clock] in clock.now }
        )
    }

    func server() async throws -> AuthorizationServer {
        try await ServerDiscovery(
            transport: transport,
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            rules: rules,
            clock: Clock { [clock] in clock.now }
        ).server(of: try ServerOrigin(Self.origin, rules), wasNamed: false)
    }

    private var sender: DPoPSender {
        DPoPSender(transport: transport, nonces: nonces, clock: Clock { [clock] in clock.now })
    }

    var client: ATClient { ATClient(sender: sender, rules: rules) }

    let identity = ATClientIdentity(
        clientID: "https://app.example.com/client.json",
        redirectURI: "https://app.example.com/callback",
        key: nil
    )

    func push() async throws -> String {
        let verifier = try #require(CodeVerifier(String(repeating: "v", count: 43)))
        return try await client.push(
            ATAuthorization(
                state: "s",
                challenge: verifier.challenge,
                scope: try Scope("atproto"),
                start: .did(try DID(Self.ann.did, rules))
            ),
            to: await server(),
            as: identity,
            key: key
        )
    }

    func signIn(_ scope: String = "atproto transition:generic", as person: ATHostPerson = .ann)
        async throws -> ATTokens
    {
        try await client.redeem(
            PlainAuthorizationServer.code(of: person.did, scope),
            verifier: try #require(CodeVerifier(String(repeating: "v", count: 43))),
            of: try DID(person.did, rules),
            at: await server(),
            as: identity,
            key: key
        )
    }

    func refresh(_ tokens: ATTokens) async throws -> ATTokens {
        try await client.refresh(
            try #require(tokens.refresh),
            of: tokens.subject,
            at: await server(),
            as: identity,
            key: key
        )
    }

    func revoke(_ token: SecretText) async throws -> Bool {
        await client.revoke(token, at: try await server(), as: identity, key: key)
    }

    /// A method of the PDS with a token, sent again where a nonce is asked for.
    func call(
        _ method: String,
        by verb: HTTPRequest.Method = .get,
        _ token: SecretText,
        key other: DPoPKey? = nil,
        body: [UInt8] = [],
        type: String? = nil
    ) async throws -> Reply {
        let fields: HTTPFields = if let type { [.contentType: type] } else { [:] }
        let answer = try await sender.send(
            verb,
            to: try #require(HTTPAddress("\(Self.origin)/xrpc/\(method)")),
            with: other ?? key,
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

    func session(_ tokens: ATTokens) async throws -> Reply {
        try await call("com.atproto.server.getSession", tokens.access)
    }

    // MARK: By hand

    func send(
        _ verb: HTTPRequest.Method = .get,
        _ path: String,
        at authority: String = "pds.handles.test",
        headers: HTTPFields = [:],
        body: [UInt8] = []
    ) async throws -> Reply {
        var request = HTTPRequest(method: verb, scheme: "https", authority: authority, path: path)
        request.headerFields = headers
        return try await door.send(request, body: body)
    }

    /// `getSession` with a token and a proof, as a test wants them.
    func session(
        _ token: String,
        scheme: String = "DPoP",
        proof: String?,
        again: String? = nil
    ) async throws -> Reply {
        var headers: HTTPFields = [.authorization: "\(scheme) \(token)"]
        for field in [proof, again].compactMap(\.self) {
            headers.append(HTTPField(name: .known("DPoP"), value: field))
        }
        return try await send(.get, "/xrpc/com.atproto.server.getSession", headers: headers)
    }

    /// A proof for `getSession` that is right but for what a test says.
    func proof(
        _ verb: HTTPRequest.Method = .get,
        at address: String = HostScene.origin + "/xrpc/com.atproto.server.getSession",
        token: String?,
        nonce: String?,
        by other: DPoPKey? = nil
    ) throws -> String {
        try (other ?? key).proof(
            verb,
            try #require(HTTPAddress(address)),
            token: token.map { SecretText($0) },
            nonce: nonce,
            at: Moment(now: clock.now, random: .system)
        )
    }

    /// The one that the server gives out now.
    func nonce() async throws -> String {
        let reply = try await session("x", proof: nil)
        return try #require(reply.nonce)
    }

    /// The refresh token, sent with a right proof and without another try.
    func refreshOnce(_ tokens: ATTokens, nonce: String) async throws -> Reply {
        let proof = try proof(.post, at: Self.origin + "/token", token: nil, nonce: nonce)
        return try await send(
            .post,
            "/token",
            headers: [.contentType: "application/x-www-form-urlencoded", .known("DPoP"): proof],
            body: FormEncoding.encode([
                (name: "grant_type", value: "refresh_token"),
                (name: "refresh_token", value: try #require(tokens.refresh).reveal()),
                (name: "client_id", value: identity.clientID),
            ])
        )
    }
}

struct HostTexts: TextRecordResolver {
    let texts: [String: [String]]

    func texts(at name: String) async throws(TextRecordError) -> [String] { texts[name] ?? [] }
}

extension Reply {
    var nonce: String? { headers[.known("DPoP-Nonce")] }
}
