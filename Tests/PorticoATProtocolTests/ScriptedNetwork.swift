import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport

@testable import PorticoATProtocol

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
