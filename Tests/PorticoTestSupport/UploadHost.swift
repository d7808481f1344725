import Crypto
import Foundation
import PorticoBytes

/// A server on 127.0.0.1 that takes bodies of any length and keeps their hashes.
package final class UploadHost: Sendable {
    package struct Received: Sendable {
        package let head: String
        /// Of the body.
        package let count: Int
        package let hash: [UInt8]

        package var line: String { String(head.prefix { $0 != "\r\n" }) }

        package func field(_ name: String) -> String? {
            let prefix = "\(name.lowercased()): "
            return head.components(separatedBy: "\r\n").first {
                $0.lowercased().hasPrefix(prefix)
            }.map { String($0.dropFirst(prefix.count)) }
        }
    }

    package enum Answer: Sendable {
        case after(String)
        /// Before the body is read; it is read nevertheless.
        case before(String)
        /// The connection ends after so many bytes of the body.
        case breaksOff(Int)
    }

    package let port: UInt16
    private let listener: Int32
    private let all = Locked<[Received]>([])

    /// - Parameter answer: Called with the number of the request and its head.
    package init(_ answer: @escaping @Sendable (Int, String) -> Answer) throws {
        guard let (listener, port) = RawSocket.listen(port: 0) else {
            throw POSIXError(.EADDRINUSE)
        }
        self.listener = listener
        self.port = port
        let all = all
        Thread.detachNewThread {
            var number = 0
            while let connection = RawSocket.accept(listener) {
                let own = number
                number += 1
                Thread.detachNewThread {
                    defer { RawSocket.close(connection) }
                    Self.serve(connection, all) { answer(own, $0) }
                }
            }
            RawSocket.close(listener)
        }
    }

    package var received: [Received] { all.withLock { $0 } }

    package func stop() {
        RawSocket.shutDown(listener)
    }

    package static func reply(_ status: String, _ fields: [String] = [], _ body: String = "{}")
        -> String
    {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
        return head.joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n" + body
    }

    private static func serve(
        _ connection: Int32,
        _ all: Locked<[Received]>,
        _ answer: (String) -> Answer
    ) {
        var start: [UInt8] = []
        var end: Range<String.Index>?
        var text = ""
        while end == nil {
            guard let bytes = RawSocket.receive(connection), !bytes.isEmpty else { return }
            start += bytes
            text = String(decoding: start.prefix(32 * 1024), as: Unicode.ASCII.self)
            end = text.range(of: "\r\n\r\n")
        }
        guard let end else { return }
        let head = String(text[..<end.lowerBound])
        let answer = answer(head)
        if case .before(let text) = answer { RawSocket.send(connection, Array(text.utf8)) }
        var hash = SHA256()
        var count = 0
        let length = Received(head: head, count: 0, hash: []).field("Content-Length")
        let wanted = length.flatMap { Int($0) } ?? 0
        var part = Array(start.dropFirst(text[..<end.upperBound].utf8.count))
        while true {
            hash.update(data: part)
            count += part.count
            if case .breaksOff(let most) = answer, count >= most { return }
            guard count < wanted else { break }
            guard let next = RawSocket.receive(connection), !next.isEmpty else { break }
            part = next
        }
        all.withLock {
            $0.append(Received(head: head, count: count, hash: Array(hash.finalize())))
        }
        if case .after(let text) = answer { RawSocket.send(connection, Array(text.utf8)) }
    }
}

/// A body of any length, made while it is sent.
package struct LongBody: Sendable {
    package let count: Int

    package init(_ count: Int) {
        self.count = count
    }

    /// Parts of 64 KiB, all different.
    package var parts: some Sequence<[UInt8]> {
        (0..<(count + 65_535) / 65_536).lazy.map { index in
            let length = min(65_536, count - index * 65_536)
            var part = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: length)
            part[0] = UInt8(truncatingIfNeeded: index >> 8)
            part[length - 1] ^= 0x5A
            return part
        }
    }

    package var hash: [UInt8] {
        var hash = SHA256()
        for part in parts { hash.update(data: part) }
        return Array(hash.finalize())
    }

    /// Sends it after a head that ends in an empty line, and reads the answer.
    package func post(_ head: String, isChunked: Bool = false, port: Int) async -> RawExchange? {
        await RawExchange.run {
            guard let connection = RawSocket.connect(port: UInt16(port)) else { return nil }
            defer { RawSocket.close(connection) }
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            RawSocket.send(connection, Array("\(head)\(framing)\r\n\r\n".utf8))
            for part in parts {
                let size = String(part.count, radix: 16) + "\r\n"
                let piece =
                    isChunked ? Array(size.utf8) + part + Array("\r\n".utf8) : part
                // Who refuses may not read to the end.
                guard RawSocket.send(connection, piece) else { break }
            }
            if isChunked { RawSocket.send(connection, Array("0\r\n\r\n".utf8)) }
            return RawExchange(from: connection)
        }
    }
}
