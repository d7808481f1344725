import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// XRPCTests and XRPCRefreshTests have answers of their own of each kind.
@Suite(
    "Calls of a real host",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedHostTests {
    private static let path = "/xrpc/com.atproto.server.getSession"

    /// The answers to calls of methods, errors too.
    private func answers() throws -> [(number: Int64, reply: HTTPReply)] {
        try RecordedExchange.all()
            .filter { $0.method != .options && $0.path.hasPrefix("/xrpc/") }
            .map { ($0.number, $0.reply) }
    }

    @Test("A nonce is used, a refused token is refreshed, and all else passes as it came")
    func played() async throws {
        let answers = try answers()
        var (nonces, refreshes) = (0, 0)
        for (number, answer) in answers {
            let what: Comment = "n=\(number)"
            let server = try await HostedBackend()
            let (session, seal) = try await server.signedIn()
            server.network.answer(.success(answer))
            let reply = try await server.call(Self.path, seal)
            let error = answer.challenges.first { $0.scheme == "dpop" }?.parameters["error"]
            let calls = server.network.calls
            switch error {
            case "use_dpop_nonce":
                nonces += 1
                let given = answer.response.headerFields[.known("DPoP-Nonce")]
                #expect(reply.status == 200 && calls.count == 2, what)
                #expect(calls.last?.claims.string("nonce") == given, what)
                #expect(server.network.refreshes.isEmpty, what)
            case "invalid_token":
                refreshes += 1
                #expect(reply.status == 200 && calls.count == 2, what)
                #expect(server.network.refreshes.count == 1, what)
                #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"], what)
            default:
                #expect(reply.status == answer.response.status.code && calls.count == 1, what)
                #expect(reply.body == answer.body, what)
                #expect(server.network.refreshes.isEmpty, what)
                #expect(try await server.scene.stored(session.sessionID) == ["A1", "R1"], what)
            }
            #expect(reply.headers[.wwwAuthenticate] == nil, what)
            #expect(reply.headers[.accessControlAllowOrigin] == nil, what)
            #expect(reply.headers[.known("DPoP-Nonce")] == nil, what)
            #expect(try await server.call("/api/auth/session", seal).status == 200, what)
        }
        #expect(answers.count > 40 && nonces > 5 && refreshes > 5)
    }

    @Test("ATP-TL-5, ATP-TL-7: of the recorded refusals invalid_grant alone ends a session")
    func refusals() async throws {
        var (ended, kept) = (0, 0)
        for exchange in try RecordedExchange.all() where exchange.path == "/oauth/token" {
            guard exchange.method == .post, exchange.status >= 400 else { continue }
            let what: Comment = "n=\(exchange.number)"
            let server = try await HostedBackend()
            let (session, seal) = try await server.signedIn(accessLives: 0)
            server.network.state.withLock { $0.refusal = exchange.reply }
            let reply = try await server.call(Self.path, seal)
            let isOver = exchange.error == "invalid_grant"
            #expect(reply.status == (isOver ? 401 : 503), what)
            #expect(server.network.calls.isEmpty, what)
            let read = try await server.call("/api/auth/session", seal)
            #expect(read.status == (isOver ? 401 : 200), what)
            guard !isOver else {
                ended += 1
                continue
            }
            kept += 1
            server.network.state.withLock { $0.refusal = nil }
            server.clock.advance(by: 60)
            #expect(try await server.call(Self.path, seal).status == 200, what)
            #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"], what)
        }
        #expect(ended == 29 && kept > 1)
    }

    @Test("/oauth/callback: of the recorded ends the person's word alone is told as such")
    func ends() async throws {
        var (told, untold) = (0, 0)
        var isRejected = false
        for exchange in try RecordedExchange.all() {
            // What the button on the host's page asks.
            if exchange.path.hasSuffix("/reject") { isRejected = true }
            if exchange.path == "/oauth/par" { isRejected = false }
            let location = exchange.reply.response.headerFields[.location] ?? ""
            let answer = Reply(status: 303, headers: [.location: location], body: []).redirected
            guard let error = answer["error"] else { continue }
            let server = try await BackendUnderTest.withHandles()
            let visitor = TestVisitor(server)
            let begun = try await visitor.begin("ann.example.com", TestApp().start)
            let reply = try await visitor.request(
                server.hosts.refuse(begun.location, error, answer["error_description"] ?? "")
            )
            #expect((reply.redirected["error"] == "access_denied") == isRejected)
            #expect((reply.status == 403) != isRejected, "n=\(exchange.number)")
            if isRejected { told += 1 } else { untold += 1 }
        }
        #expect(told > 1 && untold > 1)
    }
}

/// The hosts of everybody: a directory of DIDs, a host, and its authorization server. It keeps what
/// it is asked, and judges every proof. Access token `A1` works, until the refresh token `R1` is
/// exchanged, once, for `A2` and `R2`, and so on.
final class HostNetwork: StoredBodyTransport {
    struct Asked: Sendable {
        let method: String
        let url: String
        let fields: HTTPFields
        let body: [UInt8]
        let limits: HTTPLimits
        /// Of its proof; `nil` without a right one.
        let proof: DPoPProof?
        /// Of that proof.
        let claims: JSONObject

        var form: [String: String] {
            // `try?`: what is no form has no parameters, and the test says so.
            let all = (try? FormParameters(decoding: body))?.all ?? []
            return Dictionary(all.map { ($0.name, $0.value) }) { first, _ in first }
        }
    }

    struct State: Sendable {
        var asked: [Asked] = []
        var generation = 1
        /// Proofs at the host need it, if there is one.
        var nonce: String?
        /// What the host answers, one after the other, before it answers as it should.
        var answers: [Result<HTTPReply, HTTPTransportError>] = []
        /// What the token endpoint answers instead of tokens.
        var refusal: HTTPReply?
        /// Where everybody's account is.
        var host = "pds.example.com"
        /// Whose `ann.example.com` is, by its site, which does not answer otherwise.
        var owner: String?
        /// Whose host has become another.
        var issuer = "https://as.example.com"
    }

    let clock = Locked<StoppedClock?>(nil)
    let state = Locked(State())
    /// Happens before a token is revoked.
    let beforeRevocation = Locked<(@Sendable () async -> Void)?>(nil)

    func asked(_ part: String) -> [Asked] {
        state.withLock { $0.asked.filter { $0.url.contains(part) } }
    }

    /// Whether no one was asked anything.
    var isUntouched: Bool { state.withLock(\.asked.isEmpty) }
    /// The answers that are left.
    var answersLeft: Int { state.withLock(\.answers.count) }
    var calls: [Asked] { asked("/xrpc/") }
    var refreshes: [Asked] { asked("/oauth/token") }
    var revocations: [Asked] { asked("/oauth/revoke") }

    func answer(_ answers: Result<HTTPReply, HTTPTransportError>...) {
        state.withLock { $0.answers = answers }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address else { throw .malformed }
        let asked = asked(request, address, body, limits)
        state.withLock { $0.asked.append(asked) }
        switch address.host {
        case "plc.directory": return Self.identity(host)
        case "ann.example.com":
            guard let owner = state.withLock(\.owner) else { throw .unreachable }
            return HTTPReply(response: HTTPResponse(status: .ok), body: Array(owner.utf8))
        case host where address.path.hasPrefix("/xrpc/"):
            return try state.withLock { Self.call(asked, &$0) }.get()
        case host where address.path == "/.well-known/oauth-protected-resource":
            return .json(
                200,
                #"{"resource":"https://\#(host)","authorization_servers":["\#(issuer)"]}"#
            )
        case "as.example.com", "other.example.com":
            if address.path == "/oauth/revoke" {
                await beforeRevocation.withLock { $0 }?()
                return .json(200, "{}", nonce: "n-as")
            }
            guard address.path == "/oauth/token" else { return Self.metadata(address.host) }
            return state.withLock { Self.tokens(asked, &$0) }
        default: return .json(404, "{}")
        }
    }

    func send(_ request: HTTPRequest, stored: any StoredBytes, limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        var body = [UInt8](repeating: 0, count: stored.count)
        let count = body.withUnsafeMutableBytes { stored.read(at: 0, into: $0) }
        guard count == stored.count else { throw .unreachable }
        return try await send(request, body: body, limits: limits)
    }

    private var host: String { state.withLock(\.host) }
    private var issuer: String { state.withLock(\.issuer) }

    private func asked(
        _ request: HTTPRequest,
        _ address: HTTPAddress,
        _ body: [UInt8],
        _ limits: HTTPLimits
    ) -> Asked {
        let proofs = request.headerFields[values: .known("DPoP")]
        let token = request.headerFields[.authorization].flatMap { $0.dropping("DPoP ") }
        let judged = DPoPJudge.Request(
            method: request.method,
            address: address.text,
            token: token.map { String($0) }
        )
        let now = clock.withLock { $0?.seconds ?? 0 }
        // `try?`: the test asks whether there was a right proof.
        let proof = (try? DPoPJudge(nonce: nil)(proofs, for: judged, at: now)) ?? nil
        let claims = proofs.first.flatMap { try? JWT(parsing: $0).uncheckedClaims() }
        return Asked(
            method: request.method.rawValue,
            url: address.text,
            fields: request.headerFields,
            body: body,
            limits: limits,
            proof: proof,
            claims: claims ?? [:]
        )
    }
}

extension HostNetwork {
    private static func call(_ asked: Asked, _ state: inout State)
        -> Result<HTTPReply, HTTPTransportError>
    {
        if !state.answers.isEmpty { return state.answers.removeFirst() }
        guard asked.proof != nil else { return .success(.challenge("invalid_dpop_proof")) }
        if let nonce = state.nonce, asked.claims.string("nonce") != nonce {
            return .success(.challenge("use_dpop_nonce", nonce: nonce))
        }
        guard asked.fields[.authorization] == "DPoP A\(state.generation)" else {
            return .success(.challenge("invalid_token", nonce: state.nonce))
        }
        return .success(.json(200, #"{"ok":true}"#, nonce: state.nonce))
    }

    private static func tokens(_ asked: Asked, _ state: inout State) -> HTTPReply {
        if let refusal = state.refusal { return refusal }
        guard asked.proof != nil, asked.form["refresh_token"] == "R\(state.generation)" else {
            return .json(400, #"{"error":"invalid_grant"}"#, nonce: "n-as")
        }
        state.generation += 1
        let (access, refresh) = ("A\(state.generation)", "R\(state.generation)")
        let tokens: JSONObject = [
            "access_token": .string(access), "refresh_token": .string(refresh),
            "token_type": "DPoP", "expires_in": 900, "scope": "atproto transition:generic",
            "sub": .string(HandleScene.did),
        ]
        return .json(200, String(decoding: tokens.serialized(), as: UTF8.self), nonce: "n-as")
    }

    private static func identity(_ host: String) -> HTTPReply {
        let document: JSONObject = [
            "id": .string(HandleScene.did),
            "alsoKnownAs": ["at://ann.example.com"],
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string("https://\(host)"),
                ]
            ],
        ]
        return .json(200, String(decoding: document.serialized(), as: UTF8.self))
    }

    private static func metadata(_ host: String) -> HTTPReply {
        .json(200, String(decoding: TestHosts.metadata(host).serialized(), as: UTF8.self))
    }
}

extension HTTPReply {
    static func json(
        _ status: Int,
        _ body: String,
        nonce: String? = nil,
        _ fields: HTTPFields = [:]
    ) -> HTTPReply {
        var response = HTTPResponse(status: .init(code: status), headerFields: fields)
        response.headerFields[.contentType] = "application/json"
        if let nonce { response.headerFields[.known("DPoP-Nonce")] = nonce }
        return HTTPReply(response: response, body: Array(body.utf8))
    }

    /// As a host of the AT Protocol says it: in the challenge, and in the body.
    static func challenge(_ error: String, nonce: String? = nil) -> HTTPReply {
        json(
            401,
            #"{"error":"\#(error)","message":"words"}"#,
            nonce: nonce,
            [.wwwAuthenticate: #"DPoP algs="ES256", error="\#(error)""#]
        )
    }
}
