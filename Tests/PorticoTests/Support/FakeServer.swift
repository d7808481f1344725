import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A server in memory, behind the door that a client sends its requests through, which can be told to
/// answer wrongly.
protocol FakeServer: HTTPTransport {
    var traffic: Locked<FakeTraffic> { get }

    func usualAnswer(_ request: FakeProvider.Request) -> HTTPReply
}

/// What came, and what is answered in another way, by path.
struct FakeTraffic: Sendable {
    fileprivate var requests: [FakeProvider.Request] = []
    fileprivate var secondsAllowed = 0
    fileprivate var answers: [String: FakeProvider.Answer] = [:]
}

extension FakeServer {
    /// Answers the requests for a path in another way; `nil` from it means as usual.
    func answer(_ path: String, _ answer: @escaping FakeProvider.Answer) {
        traffic.withLock { $0.answers[path] = answer }
    }

    func answerAsUsual(_ path: String) {
        traffic.withLock { $0.answers[path] = nil }
    }

    /// The next request for a path is obeyed, and its answer is lost.
    func loseAnswer(_ path: String) {
        answer(path) { request throws(HTTPTransportError) in
            self.answerAsUsual(path)
            _ = self.usualAnswer(request)
            throw .unreachable
        }
    }

    var requests: [FakeProvider.Request] { traffic.withLock { $0.requests } }

    /// How long all requests could have taken, by their limits.
    var secondsAllowed: Int { traffic.withLock { $0.secondsAllowed } }

    func requests(_ path: String) -> [FakeProvider.Request] {
        traffic.withLock { $0.requests.filter { $0.path == path } }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address,
            // `try?`: a body that is no form has no parameters.
            let form = try? FormParameters(decoding: body)
        else { throw .malformed }
        let received = FakeProvider.Request(
            method: request.method.rawValue,
            address: address.text,
            fields: request.headerFields,
            form: form
        )
        let answer = traffic.withLock { traffic in
            traffic.requests.append(received)
            traffic.secondsAllowed += limits.seconds
            return traffic.answers[address.path]
        }
        if let reply = try await answer?(received) {
            guard reply.body.count <= limits.bytes else { throw .tooLarge }
            return reply
        }
        return usualAnswer(received)
    }
}
