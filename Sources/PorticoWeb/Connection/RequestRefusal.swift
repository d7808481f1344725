package import HTTPTypes
import NIOHTTP1

/// Why the connection itself answers a request and then closes: either the start of the next
/// request is unknown, or waiting for one is not safe.
package enum RequestRefusal: Error, Hashable, Sendable {
    /// Not HTTP/1.1, or ambiguous (RFC 9112 §6.3, §11.2).
    case malformed
    /// The head or the body took too long (RFC 9110 §15.5.9).
    case tooSlow
    /// RFC 9110 §15.5.14.
    case bodyTooLong
    /// RFC 9110 §15.5.15.
    case targetTooLong
    /// RFC 6585 §5.
    case headersTooLarge
    /// Something other than `100-continue` is expected (RFC 9110 §10.1.1).
    case unknownExpectation
    /// A transfer coding other than `chunked` (RFC 9112 §6.1).
    case unknownCoding

    package var status: HTTPResponse.Status {
        switch self {
        case .malformed: .badRequest
        case .tooSlow: .requestTimeout
        case .bodyTooLong: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .unknownExpectation: .expectationFailed
        case .unknownCoding: .notImplemented
        }
    }

    /// The complete answer: nothing follows.
    var answer: HTTPResponseHead {
        HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: status.code),
            headers: ["connection": "close", "content-length": "0", "cache-control": "no-store"]
        )
    }
}
