import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

/// An API that answers when it is told to.
private final class HeldAPI: Responder {
    private let isOpen = Locked(false)
    private let arrived = Locked(0)

    var count: Int { arrived.withLock { $0 } }

    func open() { isOpen.withLock { $0 = true } }

    func respond(to request: Request) async -> Response {
        arrived.withLock { $0 += 1 }
        let isQuick = request.head.path?.hasSuffix("/quick") == true
        while !isQuick, !isOpen.withLock({ $0 }) { await Task.yield() }
        return Response(status: .ok, headers: [.contentType: "text/plain"], bytes: [0x61])
    }
}

/// Notes for whom it is asked, and answers with what says when no one has it any more.
private final class NotingTransport: HTTPTransport {
    private final class Kept: Sendable {
        private let isGone: Locked<Bool>

        init(_ isGone: Locked<Bool>) { self.isGone = isGone }

        deinit { isGone.withLock { $0 = true } }
    }

    private let asked = Locked<[String?]>([])
    private let failure = Locked<HTTPTransportError?>(nil)
    private let lastIsGone = Locked(false)

    var persons: [String?] { asked.withLock { $0 } }
    /// Whether the last answer is.
    var isGone: Bool { lastIsGone.withLock { $0 } }

    func fail(with error: HTTPTransportError) { failure.withLock { $0 = error } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        asked.withLock { $0.append(limits.person) }
        if let error = failure.withLock({ $0 }) { throw error }
        var reply = HTTPReply(response: HTTPResponse(status: .ok), body: [0x61])
        lastIsGone.withLock { $0 = false }
        reply.held = Kept(lastIsGone)
        return reply
    }
}

@Suite("What one account gets of the team's APIs") struct ProxyBoundTests {
    private static func call(
        _ path: String,
        _ visitor: TestVisitor,
        at server: BackendUnderTest
    ) async throws -> Response {
        var fields: HTTPFields = [.portico: "1"]
        fields[.cookie] = "__Host-session=\(visitor.cookies["__Host-session"] ?? "")"
        fields[.known("X-Forwarded-For")] = "192.0.2.1"
        fields[.known("X-Forwarded-Proto")] = "https"
        let head = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: BackendUnderTest.host,
            path: path,
            headerFields: fields
        )
        let door = try #require(server.doors[BackendUnderTest.host])
        return try await door.answer(head)
    }

    @Test("decision 0094: an account has twenty calls under way, until their answers are sent")
    func calls() async throws {
        let api = HeldAPI()
        let server = try await BackendUnderTest(
            apis: [try ProxiedAPI("orders=https://orders.example.com,google")],
            further: ["orders.example.com": InProcessServer(api)]
        )
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        _ = try await visitor.signIn("google", as: .ann)
        _ = try await other.signIn("google", as: .ben)
        var slow = (1...20).map { _ in
            Task { try await Self.call("/bff/orders/slow", visitor, at: server) }
        }
        try await waitUntil("twenty calls") { api.count == 20 }
        let refused = try await Self.call("/bff/orders/quick", visitor, at: server)
        #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "1")
        // Others go on.
        #expect(try await Self.call("/bff/orders/quick", other, at: server).status == .ok)
        api.open()
        var held: [Response] = []
        for call in slow { held.append(try await call.value) }
        #expect(held.allSatisfy { $0.status == .ok })
        // They were answered, and no one has read them yet.
        let still = try await Self.call("/bff/orders/quick", visitor, at: server)
        #expect(still.status == .tooManyRequests)
        held = []
        slow = []
        #expect(try await Self.call("/bff/orders/quick", visitor, at: server).status == .ok)
    }

    @Test("decision 0094: the transport knows the person, counts until the end, and may be busy")
    func person() async throws {
        let transport = NotingTransport()
        let server = try await BackendUnderTest(
            apis: [try ProxiedAPI("orders=https://orders.example.com,google")],
            askingAPIsBy: transport
        )
        let (visitor, other) = (TestVisitor(server), TestVisitor(server))
        _ = try await visitor.signIn("google", as: .ann)
        _ = try await other.signIn("google", as: .ben)
        for visitor in [visitor, visitor, other] {
            var answers = [try await Self.call("/bff/orders/x", visitor, at: server)]
            #expect(answers.map(\.status) == [.ok])
            // It was answered, and no one has read it yet.
            #expect(!transport.isGone)
            answers = []
            #expect(transport.isGone)
        }
        let persons = transport.persons
        #expect(persons.count == 3 && persons[0] == persons[1] && persons[0] != persons[2])
        let accounts = try await server.accounts()
        #expect(Set(persons.compactMap(\.self)) == Set(accounts.map(\.id)))
        for (error, word) in [
            (HTTPTransportError.busy, "busy"), (.noRoom, "busy"),
            (.unreachable, "provider_unreachable"),
        ] {
            transport.fail(with: error)
            let reply = try await visitor.program(.get, "/bff/orders/x")
            #expect(reply.status == 503 && reply.json.string("error") == word)
        }
    }
}
