package import HTTPTypes
import PorticoBytes
package import PorticoProtocol

/// The sites of clients with a document, for a Provider under test. What is fetched is noted.
package final class DocumentSites: HTTPTransport {
    package struct Answer: Sendable {
        package var status: Int
        package var type: String?
        package var body: [UInt8]

        package init(status: Int = 200, type: String? = "application/json", _ body: [UInt8]) {
            self.status = status
            self.type = type
            self.body = body
        }

        package init(_ json: JSONObject) {
            self.init(json.serialized())
        }
    }

    private struct State: Sendable {
        var answers: [String: Answer] = [:]
        var fetched: [String] = []
        var limits: [HTTPLimits] = []
        var isHeld = false
        var isFull = false
        var heldAddress: String?
        var freeAddress: String?
        var others: (any HTTPTransport)?
    }

    private let state = Locked(State())

    package init() {}

    /// What is answered at an address; nothing is there where it is `nil`.
    package subscript(address: String) -> Answer? {
        get { state.withLock { $0.answers[address] } }
        set { state.withLock { $0.answers[address] = newValue } }
    }

    /// The addresses that were asked, in order.
    package var fetched: [String] { state.withLock { $0.fetched } }
    /// What each of them was given.
    package var limits: [HTTPLimits] { state.withLock { $0.limits } }

    /// While it is set, nothing is answered, for a minute.
    package var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set { state.withLock { $0.isHeld = newValue } }
    }

    /// While it is set, nothing goes out.
    package var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// The address where nothing is answered while it is set, for a minute.
    package var heldAddress: String? {
        get { state.withLock { $0.heldAddress } }
        set { state.withLock { $0.heldAddress = newValue } }
    }

    /// The address that answers also while ``isHeld`` is set.
    package var freeAddress: String? {
        get { state.withLock { $0.freeAddress } }
        set { state.withLock { $0.freeAddress = newValue } }
    }

    /// What asks where nothing is answered.
    package var others: (any HTTPTransport)? {
        get { state.withLock { $0.others } }
        set { state.withLock { $0.others = newValue } }
    }

    package func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        if isFull { throw .busy }
        let address = "https://\(request.authority ?? "")\(request.path ?? "")"
        state.withLock { state in
            state.fetched.append(address)
            state.limits.append(limits)
        }
        let begin = ContinuousClock.now
        while isHeld && freeAddress != address || heldAddress == address {
            guard ContinuousClock.now - begin < .seconds(60) else { throw .timedOut }
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                throw .cancelled
            }
        }
        guard let answer = self[address] else {
            guard let others else { throw .unreachable }
            return try await others.send(request, body: body, limits: limits)
        }
        var response = HTTPResponse(status: .init(code: answer.status))
        response.headerFields[.contentType] = answer.type
        guard answer.body.count <= limits.bytes else { throw .tooLarge }
        return HTTPReply(response: response, body: answer.body)
    }
}
