import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

/// Everything that is on the other side of a transport: answers by address, and what was asked.
final class World: HTTPTransport {
    struct Request: Sendable {
        let method: String
        /// Without the query.
        let address: String
        let query: FormParameters
        let form: FormParameters
        let fields: HTTPFields
        let limits: HTTPLimits
    }

    typealias Answer = @Sendable (Request) throws(HTTPTransportError) -> HTTPReply

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [Request] = []
    }

    private let state = Locked(State())

    func answer(_ address: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[address] = answer }
    }

    func answer(of address: String) -> Answer? {
        state.withLock { $0.answers[address] }
    }

    var requests: [Request] { state.withLock { $0.requests } }

    func requests(_ address: String) -> [Request] {
        requests.filter { $0.address == address }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        guard let address = request.address,
            // `try?`: a body that is no form has no parameters.
            let form = try? FormParameters(decoding: body),
            let query = try? FormParameters(decoding: (address.query ?? "").utf8)
        else { throw .malformed }
        let received = Request(
            method: request.method.rawValue,
            address: String(address.text.prefix { $0 != "?" }),
            query: query,
            form: form,
            fields: request.headerFields,
            limits: limits
        )
        let answer = state.withLock { state in
            state.requests.append(received)
            return state.answers[received.address]
        }
        guard let answer else { throw .unreachable }
        return try answer(received)
    }
}

extension HTTPReply {
    static func json(_ object: JSONObject, status: Int = 200, _ fields: HTTPFields = [:])
        -> HTTPReply
    {
        var response = HTTPResponse(status: .init(code: status), headerFields: fields)
        response.headerFields[.contentType] = "application/json"
        return HTTPReply(response: response, body: object.serialized())
    }
}
