public import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A request to an API of the app, with a token that is live.
public struct FakeCall: Sendable {
    /// Method, path and fields.
    public let request: HTTPRequest
    /// Empty if there is none.
    public let body: [UInt8]
    /// Whose token it is.
    public let person: FakePerson
}

/// The APIs that a test serves, by origin.
struct FakeServices: Sendable {
    typealias Answer = @Sendable (FakeCall) async -> HTTPReply

    private var answers: [String: Answer] = [:]

    mutating func serve(_ origin: String, _ answer: @escaping Answer) {
        answers[HTTPAddress(origin)?.origin ?? origin] = answer
    }

    subscript(address: HTTPAddress) -> Answer? { answers[address.origin] }
}
