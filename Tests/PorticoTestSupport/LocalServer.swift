import Foundation
import PorticoBytes

/// A server on 127.0.0.1 that answers each connection with bytes as they are given, good or bad.
package final class LocalServer: Sendable {
    package enum Answer: Sendable {
        case bytes([UInt8])
        /// One byte after the other.
        case trickle([UInt8], every: Double)
        /// Bytes, and then the others, once they may go: a minute later at most.
        case halves([UInt8], [UInt8], after: @Sendable () -> Bool)
        /// Bytes, and then others again and again, until the other side goes or the server stops.
        case flood([UInt8], [UInt8])
        /// Nothing, until the other side goes.
        case silence
    }

    package let port: UInt16
    /// `nil` once it is closed.
    private let listener: Locked<Int32?>
    private let heads = Locked<[String]>([])
    private let accepted = Locked(0)

    /// - Parameters:
    ///   - port: 0 for one that is free.
    ///   - takesBodies: Whether a body of a known length is part of the request.
    ///   - answer: Called with the head of each request.
    package init(
        port: UInt16 = 0,
        takesBodies: Bool = false,
        answer: @escaping @Sendable (String) -> Answer
    ) throws {
        guard let (listener, port) = RawSocket.listen(port: port) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
        }
        let open = Locked<Int32?>(listener)
        self.listener = open
        self.port = port
        let (heads, accepted) = (heads, accepted)
        Thread.detachNewThread {
            while let connection = RawSocket.accept(listener) {
                accepted.withLock { $0 += 1 }
                Thread.detachNewThread {
                    Self.serve(connection, takesBodies, heads, open, answer)
                }
            }
            // Only here: closed elsewhere, its number might be another server's before the loop
            // above asks again.
            open.withLock { open in
                RawSocket.close(listener)
                open = nil
            }
        }
    }

    deinit {
        stop()
    }

    /// The requests that came in; of each the head, and the body where it is taken.
    package var requests: [String] { heads.withLock { $0 } }

    /// How many connections came in, also of those who asked nothing.
    package var connections: Int { accepted.withLock { $0 } }

    package func stop() {
        listener.withLock { if let open = $0 { RawSocket.shutDown(open) } }
    }

    /// An answer with a length.
    package static func reply(
        _ status: String = "200 OK",
        _ fields: [String] = [],
        _ body: String = ""
    ) -> Answer {
        let length = "Content-Length: \(body.utf8.count)"
        let head = ["HTTP/1.1 \(status)"] + fields + [length, "Connection: close"]
        return .bytes(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    }

    private static func isComplete(_ request: String, _ takesBodies: Bool) -> Bool {
        guard let end = request.firstRange(of: "\r\n\r\n") else { return false }
        guard takesBodies, let field = request.firstMatch(of: /(?i)Content-Length: (\d+)/) else {
            return true
        }
        return request[end.upperBound...].utf8.count >= Int(field.1) ?? 0
    }

    private static func serve(
        _ connection: Int32,
        _ takesBodies: Bool,
        _ heads: Locked<[String]>,
        _ open: Locked<Int32?>,
        _ answer: @Sendable (String) -> Answer
    ) {
        defer { RawSocket.close(connection) }
        var received: [UInt8] = []
        while !isComplete(String(decoding: received, as: UTF8.self), takesBodies) {
            guard let bytes = RawSocket.receive(connection), !bytes.isEmpty else { return }
            received += bytes
        }
        let head = String(decoding: received, as: UTF8.self)
        heads.withLock { $0.append(head) }
        switch answer(head) {
        case .bytes(let bytes): RawSocket.send(connection, bytes)
        case .trickle(let bytes, let pause):
            for byte in bytes {
                guard RawSocket.send(connection, [byte]) else { return }
                Thread.sleep(forTimeInterval: pause)
            }
        case .halves(let bytes, let others, let mayGo):
            guard RawSocket.send(connection, bytes) else { return }
            waitBlocked(mayGo)
            RawSocket.send(connection, others)
        case .flood(let bytes, let more):
            guard RawSocket.send(connection, bytes) else { return }
            while open.withLock({ $0 != nil }), RawSocket.send(connection, more) {}
        case .silence: while let bytes = RawSocket.receive(connection), !bytes.isEmpty {}
        }
    }
}
