import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

/// An authorization server that gives one answer after the other, the last one for good, and keeps
/// what it was sent.
final class ScriptedServer: HTTPTransport {
    struct Request: Sendable {
        let address: String
        let fields: HTTPFields
        let body: [UInt8]
        let limits: HTTPLimits

        /// `name=value`, in order, without the client assertion.
        var form: [String] {
            get throws {
                try FormParameters(decoding: body).all
                    .filter { $0.name != "client_assertion" }.map { "\($0.name)=\($0.value)" }
            }
        }

        var assertion: JWT? {
            get throws {
                try FormParameters(decoding: body)["client_assertion"].map { try JWT(parsing: $0) }
            }
        }

        /// The claims of its one proof, which is right for its address.
        func proof(at now: Int64) throws -> (claims: JSONObject, key: JWKThumbprint) {
            let fields = self.fields[values: try #require(HTTPField.Name("DPoP"))]
            let request = DPoPJudge.Request(method: .post, address: address)
            let proof = try #require(try DPoPJudge(nonce: nil)(fields, for: request, at: now))
            return (try JWT(parsing: fields[0]).uncheckedClaims(), proof.thumbprint)
        }
    }

    private let replies: Locked<[Result<HTTPReply, HTTPTransportError>]>
    private let received = Locked<[Request]>([])

    init(_ replies: [Result<HTTPReply, HTTPTransportError>] = []) {
        self.replies = Locked(replies)
    }

    var requests: [Request] { received.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address?.text else { throw .malformed }
        received.withLock {
            $0.append(
                Request(address: address, fields: request.headerFields, body: body, limits: limits)
            )
        }
        let answer = replies.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
        let reply = try (answer ?? .failure(.unreachable)).get()
        guard reply.body.count <= limits.bytes else { throw .tooLarge }
        return reply
    }
}

extension Result where Success == HTTPReply, Failure == HTTPTransportError {
    /// An answer of an authorization server: with a nonce, unless there is none.
    static func server(
        _ status: Int,
        _ body: String,
        _ type: String? = "application/json",
        nonce: String? = "n-1"
    ) -> Self {
        answer(body, type, status: status).map { reply in
            var reply = reply
            if let name = HTTPField.Name("DPoP-Nonce") {
                reply.response.headerFields[name] = nonce
            }
            return reply
        }
    }

    static func refusal(_ code: String, status: Int = 400, nonce: String? = "n-1") -> Self {
        server(status, #"{"error":"\#(code)","error_description":"words"}"#, nonce: nonce)
    }

    static let pushed = server(
        201,
        #"{"request_uri":"urn:ietf:params:oauth:request_uri:req-1","expires_in":299}"#
    )

    /// Tokens of Alice's, with other members where they are given.
    static func tokens(
        _ changes: JSONObject = [:],
        without: String? = nil,
        nonce: String? = "n-1"
    ) -> Self {
        var json: JSONObject = [
            "access_token": "access-1", "token_type": "DPoP", "refresh_token": "refresh-1",
            "scope": "atproto transition:generic", "expires_in": 3599,
            "sub": .string(ScriptedWorld.alice),
        ]
        for (name, value) in changes { json[name] = value }
        if let without { json[without] = nil }
        return server(200, String(decoding: json.serialized(), as: UTF8.self), nonce: nonce)
    }
}

/// Our client, and a server that keeps to the profile.
struct ClientWorld {
    let clock = StoppedClock()
    let server: AuthorizationServer
    let key: DPoPKey
    let signingKey: SigningKey
    let memory = DPoPNonceMemory()

    init(revokes: Bool = true) throws {
        key = try DPoPKey(random: .system)
        signingKey = try SigningKey(generating: .es256, keyID: "key-1", random: .system)
        let profile = ServerDiscoveryTests.World.profile()
        var json = try JSONObject(parsing: Array(profile.utf8))
        if !revokes { json["revocation_endpoint"] = nil }
        server = try AuthorizationServer(
            parsing: json.serialized(),
            of: try ServerOrigin("https://as.example.com")
        )
    }

    var now: Int64 { Clock { [clock] in clock.now }.moment().seconds }
    var alice: DID { get throws { try DID(ScriptedWorld.alice) } }
    let verifier = CodeVerifier(random: .system)

    /// Confidential, unless said otherwise.
    func identity(isPublic: Bool = false) -> ATClientIdentity {
        ATClientIdentity(
            clientID: "https://app.example.com/oauth-client-metadata.json",
            redirectURI: "https://app.example.com/oauth/callback",
            key: isPublic ? nil : signingKey
        )
    }

    func client(_ transport: ScriptedServer, nonceInAnswers: Bool = true) -> ATClient {
        ATClient(
            sender: DPoPSender(
                transport: transport,
                nonces: memory,
                clock: Clock { [clock] in clock.now }
            ),
            nonceInAnswers: nonceInAnswers
        )
    }

    /// The four requests that there are.
    enum Call: CaseIterable { case push, redeem, refresh, revoke }

    func make(
        _ call: Call,
        by client: ATClient,
        isPublic: Bool = false,
        start: HandleInput.Start? = nil,
        of did: DID? = nil
    ) async throws {
        let identity = identity(isPublic: isPublic)
        switch call {
        case .push:
            let authorization = ATAuthorization(
                state: "state-1",
                challenge: verifier.challenge,
                scope: try Scope("atproto transition:generic"),
                start: try start ?? .handle(Handle("alice.example.com"))
            )
            _ = try await client.push(authorization, to: server, as: identity, key: key)
        case .redeem:
            _ = try await client.redeem(
                SecretText("code-1"),
                verifier: verifier,
                of: did,
                at: server,
                as: identity,
                key: key
            )
        case .refresh:
            _ = try await refresh(by: client, isPublic: isPublic)
        case .revoke:
            _ = await client.revoke(SecretText("refresh-1"), at: server, as: identity, key: key)
        }
    }

    func refresh(by client: ATClient, isPublic: Bool = false) async throws -> ATTokens {
        try await client.refresh(
            SecretText("refresh-0"),
            of: try alice,
            at: server,
            as: identity(isPublic: isPublic),
            key: key
        )
    }

    /// What a refresh ends with where the server gives this answer.
    func failure(
        of call: Call = .refresh,
        _ answer: Result<HTTPReply, HTTPTransportError>,
        of did: DID? = nil
    ) async -> ATError? {
        do {
            try await make(call, by: client(ScriptedServer([answer])), of: did)
            return nil
        } catch {
            return error as? ATError
        }
    }
}

/// Answers as it was told, by address, and keeps what it was asked. What it was not told is
/// unreachable.
final class ScriptedNetwork: HTTPTransport {
    typealias Answer = Result<HTTPReply, HTTPTransportError>

    private let answers: Locked<[String: Answer]>
    private let asked = Locked<[String]>([])
    private let longest = Locked<[String: Int]>([:])

    init(_ answers: [String: Answer] = [:]) {
        self.answers = Locked(answers)
    }

    var questions: [String] { asked.withLock { $0 } }

    /// How many seconds the last answer of each address might have taken.
    var seconds: [String: Int] { longest.withLock { $0 } }

    subscript(url: String) -> Answer? {
        get { answers.withLock { $0[url] } }
        set { answers.withLock { $0[url] = newValue } }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let url = request.address?.text else { throw .malformed }
        asked.withLock { $0.append(url) }
        longest.withLock { $0[url] = limits.seconds }
        let answer = answers.withLock { $0[url] } ?? .failure(.unreachable)
        let reply = try answer.get()
        guard reply.body.count <= limits.bytes else { throw .tooLarge }
        return reply
    }
}

extension Result where Success == HTTPReply, Failure == HTTPTransportError {
    static func answer(
        _ body: String,
        _ type: String? = "application/json",
        status: Int = 200,
        location: String? = nil
    ) -> Self {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = type
        response.headerFields[.location] = location
        return .success(HTTPReply(response: response, body: Array(body.utf8)))
    }

    static func status(_ status: Int, location: String? = nil) -> Self {
        answer("", nil, status: status, location: location)
    }
}

/// TXT records as they were told, by name; none elsewhere.
final class ScriptedTexts: TextRecordResolver {
    private let answers: Locked<[String: Result<[String], TextRecordError>]>
    private let asked = Locked<[String]>([])

    init(_ answers: [String: Result<[String], TextRecordError>] = [:]) {
        self.answers = Locked(answers)
    }

    var questions: [String] { asked.withLock { $0 } }

    subscript(name: String) -> Result<[String], TextRecordError>? {
        get { answers.withLock { $0[name] } }
        set { answers.withLock { $0[name] = newValue } }
    }

    func texts(at name: String) async throws(TextRecordError) -> [String] {
        asked.withLock { $0.append(name) }
        return try (answers.withLock { $0[name] } ?? .success([])).get()
    }
}

/// Alice and her host, in a network of their own.
struct ScriptedWorld {
    static let alice = "did:plc:alicealicealicealicealic"
    static let mallory = "did:plc:mallorymallorymallorymal"

    let network = ScriptedNetwork()
    let names = ScriptedTexts()
    let clock = StoppedClock()
    let resolver: IdentityResolver

    init() throws {
        resolver = IdentityResolver(
            transport: network,
            names: names,
            directory: try ServerOrigin("https://plc.example.com"),
            cache: AnswerCache(seconds: IdentityResolver.freshness),
            clock: Clock { [clock] in clock.now }
        )
        names["_atproto.alice.example.com"] = .success(["did=\(Self.alice)"])
        network[Self.entry(Self.alice)] = .answer(
            Self.document(Self.alice),
            "application/did+ld+json; charset=utf-8"
        )
    }

    /// The address of a document in the directory.
    static func entry(_ did: String) -> String { "https://plc.example.com/\(did)" }

    static func site(_ handle: String) -> String { "https://\(handle)/.well-known/atproto-did" }

    static func document(
        _ did: String,
        names: String = #""at://alice.example.com""#,
        service: String = "#atproto_pds",
        type: String = "AtprotoPersonalDataServer",
        endpoint: String = "https://pds.example.com"
    ) -> String {
        #"""
        {"id":"\#(did)","alsoKnownAs":[\#(names)],"service":[{"id":"\#(service)",
        "type":"\#(type)","serviceEndpoint":"\#(endpoint)"}]}
        """#
    }

    func identity(of handle: String) async throws -> ATIdentity {
        try await resolver.identity(of: try Handle(handle))
    }

    func identity(ofDID did: String) async throws -> ATIdentity {
        try await resolver.identity(of: try DID(did))
    }
}
