import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

/// Answers as recorded, in order. Where the recorded client had no nonce yet and ours has one, it
/// answers what it answered to the next try.
private final class Player: HTTPTransport {
    private let exchanges: Locked<ArraySlice<RecordedExchange>>
    private let wrong = Locked<[String]>([])

    init(_ exchanges: [RecordedExchange]) {
        self.exchanges = Locked(exchanges[...])
    }

    var next: RecordedExchange? { exchanges.withLock { $0.first } }
    var differences: [String] { wrong.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        // `try?`: a proof that cannot be read has no nonce.
        let proof = request.headerFields[.proof]
            .flatMap { try? JWT(parsing: $0).uncheckedClaims() }
        let hasNonce = proof?["nonce"] != nil
        let exchange = exchanges.withLock { exchanges in
            if exchanges.first?.error == "use_dpop_nonce", hasNonce { exchanges.removeFirst() }
            return exchanges.popFirst()
        }
        guard let exchange else { throw .unreachable }
        // `try?`: what is no form has no lines.
        let sent = Self.lines(try? FormParameters(decoding: body))
        let recorded = Self.lines(exchange.form)
        if request.address?.text != exchange.url || sent != recorded {
            wrong.withLock { $0.append("\(exchange.number): \(sent) instead of \(recorded)") }
        }
        return exchange.reply
    }

    /// In any order; without what is new each time, and what says only what is the default.
    private static func lines(_ form: FormParameters?) -> Set<String> {
        let left = (form?.all ?? []).filter {
            !["client_assertion", "response_mode", "prompt"].contains($0.name)
        }
        return Set(left.map { "\($0.name)=\($0.value)" })
    }
}

@Suite(
    "Our client at a real server",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedClientTests {
    private let world: ClientWorld
    private let server: AuthorizationServer

    init() throws {
        world = try ClientWorld()
        let profile = ServerDiscoveryTests.World.profile("https://pds.example.com")
        server = try AuthorizationServer(
            parsing: Array(profile.utf8),
            of: ServerOrigin("https://pds.example.com")
        )
    }

    private func client(_ transport: any HTTPTransport) -> ATClient {
        ATClient(
            sender: DPoPSender(
                transport: transport,
                nonces: DPoPNonceMemory(),
                clock: Clock { [world] in world.clock.now }
            )
        )
    }

    /// Does what a recorded request was for, with what stood in it.
    private func play(_ exchange: RecordedExchange, by client: ATClient) async throws -> Outcome {
        let form = exchange.form
        let identity = ATClientIdentity(
            clientID: form?["client_id"] ?? "https://app.example.com/client",
            redirectURI: form?["redirect_uri"] ?? "https://app.example.com/callback",
            key: form?["client_assertion"] == nil ? nil : world.signingKey
        )
        do {
            switch (exchange.path, form?["grant_type"]) {
            case ("/oauth/par", _):
                let scope = form?["scope"].flatMap { try? Scope($0) } ?? .none
                let challenge = form?["code_challenge"].flatMap(CodeChallenge.init)
                let authorization = ATAuthorization(
                    state: form?["state"] ?? "",
                    challenge: challenge ?? world.verifier.challenge,
                    scope: scope,
                    start: try start(form?["login_hint"])
                )
                return .pushed(
                    try await client.push(authorization, to: server, as: identity, key: world.key)
                )
            case ("/oauth/revoke", _):
                return .revoked(
                    await client.revoke(
                        SecretText(form?["token"] ?? ""),
                        at: server,
                        as: identity,
                        key: world.key
                    )
                )
            case (_, "refresh_token"):
                let did = try DID(exchange.json?.string("sub") ?? ScriptedWorld.alice)
                return .tokens(
                    try await client.refresh(
                        SecretText(form?["refresh_token"] ?? ""),
                        of: did,
                        at: server,
                        as: identity,
                        key: world.key
                    )
                )
            default:
                return .tokens(
                    try await client.redeem(
                        SecretText(form?["code"] ?? ""),
                        verifier: form?["code_verifier"].flatMap(CodeVerifier.init)
                            ?? world.verifier,
                        of: nil,
                        at: server,
                        as: identity,
                        key: world.key
                    )
                )
            }
        } catch let error as ATError {
            return .failed(error)
        }
    }

    private enum Outcome {
        case pushed(String)
        case tokens(ATTokens)
        case revoked(Bool)
        case failed(ATError)
    }

    private func start(_ hint: String?) throws -> HandleInput.Start {
        guard let hint else { return .server(server.issuer) }
        // `try?`: what is wrong on purpose is not sent by us.
        if let did = try? DID(hint) { return .did(did) }
        return (try? Handle(hint)).map { .handle($0) } ?? .server(server.issuer)
    }

    @Test("ATP-CA-2, ATP-CB-5, ATP-CB-7: every recorded answer is read as what it is")
    func answers() async throws {
        var kinds: [String: Int] = [:]
        for exchange in try RecordedExchange.all() where exchange.isOfServer {
            let fixed = ScriptedServer([.success(exchange.reply)])
            let outcome = try await play(exchange, by: client(fixed))
            let what = "\(exchange.number)"
            switch outcome {
            case .pushed(let address):
                let requestURI = try #require(exchange.json?.string("request_uri"), "\(what)")
                let query = try #require(HTTPAddress(address)?.query)
                let form = try FormParameters(decoding: query.utf8)
                #expect(form["request_uri"] == requestURI)
                #expect(exchange.status == 201)
                kinds["pushed", default: 0] += 1
            case .tokens(let tokens):
                let json = try #require(exchange.json)
                #expect(tokens.access.reveal() == json.string("access_token"))
                #expect(tokens.refresh?.reveal() == json.string("refresh_token"))
                #expect(tokens.subject.text == json.string("sub"))
                #expect(tokens.scope.text == json.string("scope"))
                #expect(tokens.expiresIn == json.int64("expires_in"))
                #expect(exchange.status == 200)
                kinds["tokens", default: 0] += 1
            case .revoked(let isDone):
                #expect(isDone, "\(what)")
                kinds["revoked", default: 0] += 1
            case .failed(let error):
                let code = try #require(exchange.error, "\(what): \(error)")
                let expected: ATError =
                    switch code {
                    case "use_dpop_nonce": .nonce
                    case "invalid_grant": .invalidGrant
                    case "invalid_client", "invalid_client_metadata":
                        .client(OAuthError.Code(rawValue: code))
                    default: .refused(OAuthError.Code(rawValue: code))
                    }
                #expect(error == expected, "\(what)")
                #expect(error.isDefinite)
                #expect(error.endsSession == (code == "invalid_grant"), "\(what)")
                kinds[code, default: 0] += 1
            }
        }
        #expect(
            kinds == [
                "pushed": 45, "tokens": 22, "revoked": 6, "use_dpop_nonce": 16,
                "invalid_grant": 29, "invalid_client": 1, "invalid_client_metadata": 3,
                "invalid_request": 11, "invalid_scope": 5, "unsupported_response_type": 1,
                "invalid_dpop_proof": 1,
            ]
        )
    }

    @Test(
        "ATP-AR-1, ATP-CB-2, ATP-DP-4: our client sends what the recorded clients sent, and gets as far",
        arguments: [
            ("02-public-loopback.jsonl", 6), ("03-confidential.jsonl", 6),
            ("04-native-scheme.jsonl", 4), ("05-deny.jsonl", 1),
            ("40-oauth-client-node-confidential.jsonl", 13),
        ]
    )
    func flows(name: String, calls: Int) async throws {
        let exchanges = try RecordedExchange.all(in: name).filter(\.isOfServer)
        let player = Player(exchanges)
        let client = client(player)
        var count = 0
        while let exchange = player.next {
            let outcome = try await play(exchange, by: client)
            count += 1
            if case .failed(let error) = outcome {
                // Tokens that were revoked before, and a scope that the client has not.
                let isExpected = error == .invalidGrant || error == .refused(.invalidScope)
                #expect(isExpected, "\(exchange.number): \(error)")
            }
        }
        #expect(count == calls)
        #expect(player.differences == [])
    }

    @Test("RFC9449-9-1: every recorded answer of a resource leads to as many requests as it must")
    func resources() async throws {
        var kinds: [Int: Int] = [:]
        for exchange in try RecordedExchange.all() where exchange.path.hasPrefix("/xrpc/") {
            guard exchange.fields[.authorization]?.hasPrefix("DPoP ") == true else { continue }
            let fixed = ScriptedServer([.success(exchange.reply)])
            let sender = DPoPSender(
                transport: fixed,
                nonces: DPoPNonceMemory(),
                clock: Clock { [world] in world.clock.now }
            )
            let answer = try await sender.send(
                exchange.method,
                to: try #require(HTTPAddress(exchange.url)),
                with: world.key,
                token: SecretText("access-1"),
                at: .resource,
                limits: HTTPLimits(bytes: 1 << 20, seconds: 10)
            ) { _ in ([:], []) }
            #expect(
                answer.tries == (exchange.error == "use_dpop_nonce" ? 2 : 1),
                "\(exchange.number)"
            )
            kinds[exchange.status, default: 0] += 1
        }
        #expect(kinds == [200: 11, 401: 23, 502: 1])
    }
}

@Suite(
    "Identities of a real host",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedIdentityTests {
    /// What each address answered, the first time.
    private func network() throws -> ScriptedNetwork {
        let network = ScriptedNetwork()
        for exchange in try RecordedExchange.all(in: "01-identity.jsonl") {
            let url = "https://\(exchange.host)\(exchange.target)"
            guard network[url] == nil else { continue }
            network[url] = .answer(
                String(decoding: exchange.reply.body, as: UTF8.self),
                exchange.reply.response.headerFields[.contentType],
                status: exchange.status
            )
        }
        return network
    }

    @Test("ATP-ID-1: a real handle and a real DID lead to the same account and host")
    func identity() async throws {
        let network = try network()
        let resolver = IdentityResolver(
            transport: network,
            names: ScriptedTexts(),
            directory: try ServerOrigin("https://plc.example.com"),
            cache: AnswerCache(seconds: IdentityResolver.freshness),
            clock: Clock { StoppedClock().now }
        )
        let identity = try await resolver.identity(of: try Handle("alice.pds.example.com"))
        #expect(identity.handle?.text == "alice.pds.example.com")
        #expect(identity.host.text == "https://pds.example.com")
        #expect(try await resolver.identity(of: identity.did) == identity)
        await #expect(throws: IdentityError.didNotFound) {
            try await resolver.identity(of: try DID("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))
        }
        // This host has no document of its own.
        await #expect(throws: IdentityError.didNotFound) {
            try await resolver.identity(of: try DID("did:web:pds.example.com"))
        }
    }

    @Test("ATP-AS-2: a real host names its server, which keeps to the profile")
    func server() async throws {
        let host = try ServerOrigin("https://pds.example.com")
        let discovery = ServerDiscovery(
            transport: try network(),
            cache: AnswerCache(seconds: ServerDiscovery.freshness),
            clock: Clock { StoppedClock().now }
        )
        let server = try await discovery.server(of: host, wasNamed: false)
        #expect(server.issuer == host)
    }
}
