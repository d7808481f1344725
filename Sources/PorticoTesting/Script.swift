import HTTPTypes
import PorticoBytes
public import PorticoProtocol

/// What the person does at the next sign-in of a ``FakeProvider`` or a ``FakeBackend``.
public enum PersonAct: Hashable, Sendable {
    /// Signs in as this person, whatever the app expects.
    case signsIn(as: FakePerson)
    /// Says no on the provider's page (`access_denied`).
    case denies
    /// Closes the browser.
    case closesBrowser
    /// Does not finish in time.
    case takesTooLong
}

/// What a test has told a fake to do, and what the fake was asked.
struct Script<Step: Hashable & Sendable>: Sendable {
    var isOffline = false
    private var failures: [Step: [FakeFailure]] = [:]
    private var counts: [Step: Int] = [:]
    private var acts: [PersonAct] = []

    mutating func add(_ failure: FakeFailure, to step: Step) {
        failures[step, default: []].append(failure)
    }

    mutating func add(_ act: PersonAct) {
        acts.append(act)
    }

    /// Counts the step, and says how it fails.
    mutating func failure(of step: Step) -> FakeFailure? {
        counts[step, default: 0] += 1
        if isOffline { return .offline }
        guard failures[step]?.isEmpty == false else { return nil }
        return failures[step]?.removeFirst()
    }

    mutating func act() -> PersonAct? {
        acts.isEmpty ? nil : acts.removeFirst()
    }

    func count(_ step: Step) -> Int {
        counts[step] ?? 0
    }
}

/// How a step fails at a ``FakeProvider`` or a ``FakeBackend``.
public enum FakeFailure: Hashable, Sendable {
    /// There is no network: the request does not arrive.
    case offline
    /// The request arrives and is answered, but its answer is lost.
    case lostAnswer
    /// The time limit passes, and the request does not arrive.
    case timeout
    /// The server's certificate is not trusted.
    case untrusted
    /// Status 503.
    case serverError
    /// Status 429, with this pause in `Retry-After`, in whole seconds.
    case tooManyRequests(retryAfter: Duration? = nil)
    /// A web page instead of the answer, as from the sign-in of a hotel's network.
    case otherPage
    /// An error code of the protocol, such as `invalid_grant`; in a redirect, where the step is one.
    case refused(_ code: String, _ description: String? = nil)
    /// An answer that looks right and is not the provider's own. The library must refuse it.
    case forged
}

extension FakeFailure {
    /// What comes back in place of the usual answer.
    ///
    /// - Parameters:
    ///   - isBearer: Whether the request carries an access token.
    ///   - usual: Answers the request.
    func reply(isBearer: Bool, usual: () async -> HTTPReply) async throws(HTTPTransportError)
        -> HTTPReply
    {
        switch self {
        case .offline: throw .unreachable
        case .lostAnswer:
            _ = await usual()
            throw .unreachable
        case .timeout: throw .timedOut
        case .untrusted: throw .untrusted
        case .serverError: return .status(503)
        case .tooManyRequests(let pause):
            var reply = HTTPReply.status(429)
            reply.response.headerFields[.retryAfter] = pause.map { "\($0.components.seconds)" }
            return reply
        case .otherPage:
            var reply = HTTPReply.status(200)
            reply.response.headerFields[.contentType] = "text/html"
            reply.body = Array("<title>Welcome to our network</title>".utf8)
            return reply
        case .refused(let code, let description):
            return isBearer ? .refusedToken(code) : .error(code, description)
        case .forged: return await usual()
        }
    }
}

extension HTTPReply {
    /// An answer of a fake API, in JSON.
    ///
    /// - Parameters:
    ///   - object: The body.
    ///   - status: The status code.
    public static func json(_ object: JSONObject, status: Int = 200) -> HTTPReply {
        var reply = HTTPReply.status(status)
        reply.response.headerFields[.contentType] = "application/json"
        reply.body = object.serialized()
        return reply
    }

    /// An answer of a fake API, without a body.
    public static func status(_ status: Int) -> HTTPReply {
        HTTPReply(response: HTTPResponse(status: .init(code: status)), body: [])
    }

    /// RFC 6749 §5.2.
    static func error(_ code: String, _ description: String? = nil) -> HTTPReply {
        var error: JSONObject = ["error": .string(code)]
        if let description { error["error_description"] = .string(description) }
        return json(error, status: 400)
    }

    /// RFC 6750 §3.1.
    static func refusedToken(_ code: String = "invalid_token") -> HTTPReply {
        var reply = json(["error": .string(code)], status: 401)
        reply.response.headerFields[.wwwAuthenticate] = "Bearer error=\"\(code)\""
        return reply
    }

    /// A request that nothing of the test answers.
    static func unserved(_ address: String) -> HTTPReply {
        var reply = HTTPReply.status(501)
        reply.response.headerFields[.contentType] = "text/plain"
        reply.body = Array("PorticoTesting: nothing answers \(address). Call serve first.".utf8)
        return reply
    }
}
