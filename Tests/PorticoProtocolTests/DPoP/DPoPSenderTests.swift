import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Requests with proofs of possession")
struct DPoPSenderTests {
    /// Answers one after the other, the last one for good.
    private final class Server: HTTPTransport {
        private let replies: Locked<[HTTPReply]>
        private let received = Locked<[HTTPRequest]>([])
        private let contents = Locked<[[UInt8]]>([])

        init(_ replies: [HTTPReply]) {
            self.replies = Locked(replies)
        }

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            received.withLock { $0.append(request) }
            contents.withLock { $0.append(body) }
            let reply = replies.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            guard let reply else { throw .unreachable }
            return reply
        }

        var requests: [HTTPRequest] { received.withLock { $0 } }
        var bodies: [[UInt8]] { contents.withLock { $0 } }
    }

    private static let limits = HTTPLimits(bytes: 1 << 20, seconds: 10)
    private let memory = DPoPNonceMemory()
    private let key: DPoPKey
    private let server: HTTPAddress

    init() throws {
        key = try DPoPKey(random: .system)
        server = try #require(HTTPAddress("https://op.example.com/token"))
    }

    private func reply(
        _ status: Int,
        _ body: String = "",
        nonce: String? = nil,
        challenge: String? = nil
    ) throws -> HTTPReply {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.contentType] = "application/json; charset=utf-8"
        response.headerFields[.wwwAuthenticate] = challenge
        response.headerFields[try #require(HTTPField.Name("DPoP-Nonce"))] = nonce
        return HTTPReply(response: response, body: Array(body.utf8))
    }

    private func asking(_ status: Int = 400, nonce: String?) throws -> HTTPReply {
        try reply(status, #"{"error":"use_dpop_nonce"}"#, nonce: nonce)
    }

    private func send(
        to transport: Server,
        token: SecretText? = nil,
        at place: DPoPSender.Place = .authorizationServer
    ) async throws -> DPoPSender.Answer {
        let clock = Clock { Date(timeIntervalSince1970: 1_800_000_000) }
        let sender = DPoPSender(transport: transport, nonces: memory, clock: clock)
        return try await sender.send(
            .post,
            to: server,
            with: key,
            token: token,
            at: place,
            limits: Self.limits
        ) { moment in
            ([.accept: "application/json"], Array(moment.random.text(16).utf8))
        }
    }

    /// The one proof of each request.
    private func proofs(_ transport: Server) throws -> [JSONObject] {
        let name = try #require(HTTPField.Name("DPoP"))
        return try transport.requests.map { request in
            let fields = request.headerFields[values: name]
            #expect(fields.count == 1)
            return try JWT(parsing: try #require(fields.first)).uncheckedClaims()
        }
    }

    @Test("RFC9449-4.1-1, RFC9449-5-1: a request has one proof, for its method and address")
    func proof() async throws {
        let transport = Server([try reply(200, "{}")])
        let answer = try await send(to: transport)
        #expect(answer.tries == 1)
        #expect(!answer.gaveNonce)
        let claims = try #require(try proofs(transport).first)
        #expect(claims.string("htm") == "POST")
        #expect(claims.string("htu") == "https://op.example.com/token")
        #expect(claims["ath"] == nil)
        #expect(claims["nonce"] == nil)
        let request = try #require(transport.requests.first)
        #expect(request.headerFields[.authorization] == nil)
        #expect(request.headerFields[.accept] == "application/json")
        #expect(request.address?.text == "https://op.example.com/token")
    }

    @Test("RFC9449-7.1-1: a token goes with the scheme DPoP, and the proof has its hash")
    func token() async throws {
        let transport = Server([try reply(200)])
        _ = try await send(to: transport, token: SecretText("token-1"), at: .resource)
        #expect(transport.requests.first?.headerFields[.authorization] == "DPoP token-1")
        let judge = DPoPJudge(nonce: nil)
        let request = DPoPJudge.Request(
            method: .post,
            address: "https://op.example.com/token",
            token: "token-1"
        )
        let name = try #require(HTTPField.Name("DPoP"))
        let fields = transport.requests.flatMap { $0.headerFields[values: name] }
        #expect(try judge(fields, for: request, at: 1_800_000_000)?.thumbprint == key.thumbprint)
    }

    @Test(
        "RFC9449-7.3-1, RFC9449-8-3: asked for a nonce, the client tries once more, all of it new",
        arguments: [400, 401]
    )
    func retry(status: Int) async throws {
        let transport = Server([try asking(status, nonce: "n-1"), try reply(200, nonce: "n-2")])
        let answer = try await send(to: transport)
        #expect(answer.reply.response.status == .ok)
        #expect(answer.tries == 2)
        #expect(answer.gaveNonce)
        let claims = try proofs(transport)
        #expect(claims.map { $0.string("nonce") } == [nil, "n-1"])
        #expect(Set(claims.map { $0.string("jti") }).count == 2)
        // What may be sent only once was made again.
        #expect(Set(transport.bodies).count == 2)
        // RFC9449-8.2-1: the newest is that of the success.
        #expect(memory.nonce(for: server, at: 1_800_000_000) == "n-2")
        _ = try await send(to: transport)
        #expect(try proofs(transport).last?.string("nonce") == "n-2")
    }

    @Test("attack G12: a server that always asks gets two requests, and its refusal is the answer")
    func endless() async throws {
        let transport = Server(
            try (1...5).map { try asking(nonce: "n-\($0)") }
        )
        let answer = try await send(to: transport)
        #expect(answer.reply.response.status == .badRequest)
        #expect(answer.tries == 2)
        #expect(transport.requests.count == 2)
    }

    @Test("without a nonce, or with the one that was used, nothing is sent again")
    func noNewNonce() async throws {
        let silent = Server([try asking(nonce: nil)])
        #expect(try await send(to: silent).tries == 1)
        try memory.note(reply(200, nonce: "n-1"), from: server, at: 0)
        let repeating = Server([try asking(nonce: "n-1")])
        let answer = try await send(to: repeating)
        #expect(answer.tries == 1)
        #expect(answer.gaveNonce)
        #expect(repeating.requests.count == 1)
        let improper = Server([try asking(nonce: "a b")])
        #expect(try await send(to: improper).tries == 1)
    }

    @Test("RFC9449-8-1: at an authorization server nothing but the error asks for a nonce")
    func otherErrors() async throws {
        let others = [
            try reply(400, #"{"error":"invalid_dpop_proof"}"#, nonce: "n"),
            try reply(400, #"{"error":"use_dpop_nonce2"}"#, nonce: "n"),
            try reply(400, "use_dpop_nonce", nonce: "n"),
            try reply(403, #"{"error":"use_dpop_nonce"}"#, nonce: "n"),
            try reply(200, #"{"error":"use_dpop_nonce"}"#, nonce: "n"),
            try reply(500, #"{"error":"use_dpop_nonce"}"#, nonce: "n"),
            try reply(401, nonce: "n", challenge: #"DPoP error="use_dpop_nonce""#),
        ]
        for (index, other) in others.enumerated() {
            let transport = Server([other])
            #expect(try await send(to: transport).tries == 1, "\(index)")
            #expect(transport.requests.count == 1, "\(index)")
        }
    }

    @Test("RFC9449-9-1: a resource asks by its challenge, wherever among others it stands")
    func challenges() async throws {
        let token = SecretText("t")
        for (index, challenge) in [
            #"DPoP error="use_dpop_nonce", error_description="x""#,
            #"dpop error=use_dpop_nonce"#,
            #"Bearer realm="r", DPoP algs="ES256", error="use_dpop_nonce""#,
        ].enumerated() {
            let transport = Server(
                [try reply(401, nonce: "c-\(index)", challenge: challenge), try reply(200)]
            )
            let answer = try await send(to: transport, token: token, at: .resource)
            #expect(answer.tries == 2, "\(challenge)")
            #expect(try proofs(transport).last?.string("nonce") == "c-\(index)")
        }
        let inBody = Server([try asking(401, nonce: "b"), try reply(200)])
        #expect(try await send(to: inBody, token: token, at: .resource).tries == 2)
        for other in [
            try reply(401, nonce: "o-1", challenge: #"Bearer error="use_dpop_nonce""#),
            try reply(401, nonce: "o-2", challenge: #"DPoP error="invalid_token""#),
            try reply(403, nonce: "o-3", challenge: #"DPoP error="use_dpop_nonce""#),
            // A 400 of a resource may be its own error.
            try asking(400, nonce: "o-4"),
        ] {
            let transport = Server([other])
            #expect(try await send(to: transport, token: token, at: .resource).tries == 1)
        }
    }

    @Test("what fails before an answer is thrown, and nothing is sent again")
    func failures() async throws {
        let away = Server([])
        await #expect(throws: HTTPTransportError.unreachable) { try await send(to: away) }
        #expect(away.requests.count == 1)
        struct Unprepared: Error {}
        let transport = Server([try reply(200)])
        let sender = DPoPSender(transport: transport, nonces: memory, clock: .system)
        await #expect(throws: Unprepared.self) {
            try await sender.send(
                .post,
                to: server,
                with: key,
                at: .authorizationServer,
                limits: Self.limits
            ) { _ in throw Unprepared() }
        }
        #expect(transport.requests.isEmpty)
    }
}
