package import NIOCore

/// The limits of a connection: bytes, fields and time (OWASP ASVS 13, RFC 9110 §2.3).
package struct ConnectionLimits: Sendable {
    /// Bytes of a request target; more is 414 (RFC 9110 §4.1 asks for at least 8,000). The longest token
    /// that we issue fits as a hint, with the longest `state` (docs/decisions/0102).
    package var target = 48 * 1024
    /// Bytes of a request's head: the target, and all names and values of fields; more is 431.
    package var head = 64 * 1024
    /// Bytes of fields that proxies in front of us let through nearly everywhere: our cookies stay within
    /// that.
    package static let usualHeaders = 16 * 1024
    /// Header fields; more is 431.
    package var headerCount = 100
    /// Bytes of a body; more is 413.
    package var body = 64 * 1024
    /// Addresses with a limit of their own, for what only they are sent.
    package var longBodies: [LongBody] = []
    /// `nil`: no row takes long bodies.
    package var uploads: Uploads?
    /// Parts of a body, as chunks and packets divide it; more is 413. Processing a chunk of one
    /// byte costs as much as one of thousands.
    func bodyParts(_ body: Int) -> Int { min(max(1024, body / 16), 4096 + body / 256) }
    /// Bytes of a whole request, with what frames its body (RFC 9112 §7.1.1); more is 413.
    func request(_ body: Int) -> Int { head + body + 16 * bodyParts(body) }
    /// From the connection's start, or a request's first byte, to the end of its head.
    package var headTime: TimeAmount = .seconds(10)
    /// From the end of the head to the end of the body.
    package var bodyTime: TimeAmount = .seconds(10)
    /// Between two requests. Longer than load balancers keep an unused connection (60 s), so that they
    /// send no request on one that we are just closing.
    package var idleTime: TimeAmount = .seconds(75)
    /// How long a peer may take nothing of an answer; see ``UnreadAnswer``.
    package var answerTime: TimeAmount = .seconds(30)
    /// How long further input from a refused peer is read and discarded, so that it receives the
    /// answer instead of a reset (RFC 9112 §9.6).
    package var lingerTime: TimeAmount = .seconds(2)
    /// Connections at one time.
    package var connections: Int

    /// The path that takes bodies of so many bytes, of those who are let in.
    package struct LongBody: Sendable {
        let path: String
        let bytes: Int
        /// Judges the only `Authorization` field, before the body is read; quickly, because it does so
        /// where all requests arrive.
        let admits: @Sendable (String) -> Bool

        package init(path: String, bytes: Int, admits: @escaping @Sendable (String) -> Bool) {
            self.path = path
            self.bytes = bytes
            self.admits = admits
        }
    }

    /// Bytes of a body that is sent to this target with these `Authorization` fields.
    func body(of target: String, _ authorization: @autoclosure () -> [String]) -> Int {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard let long = longBodies.first(where: { path.elementsEqual($0.path.utf8) }) else {
            return body
        }
        let fields = authorization()
        guard fields.count == 1, long.admits(fields[0]) else { return body }
        return max(body, long.bytes)
    }

    package init(connections: Int) {
        self.connections = connections
    }
}
