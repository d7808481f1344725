import Foundation

/// One HTTP/1.1 connection that is kept, with blocking reads: as little work as possible, because
/// the load shares the machine with the server that it measures.
final class Connection {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var filled = 0

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian  // loopback, and nothing else
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(description: "no connection") }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        var limit = timeval(tv_sec: 15, tv_usec: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for its whole answer.
    func exchange(_ request: String) throws -> Answer {
        var request = request
        let isSent = request.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            var sent = 0
            while sent < bytes.count {
                let count = send(
                    descriptor,
                    start + sent,
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
        guard isSent else { throw Failure(description: "the server closed the connection") }
        filled = 0
        var head: Int?
        while true {
            if head == nil { head = endOfHead() }
            if let head {
                let whole = head + contentLength(in: head)
                if filled >= whole { return Answer(Array(buffer[..<whole]), head: head) }
            }
            guard filled < buffer.count else { throw Failure(description: "an endless answer") }
            let count = buffer.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { recv(descriptor, $0 + filled, bytes.count - filled, 0) }
                    ?? 0
            }
            guard count > 0 else { throw Failure(description: "no answer") }
            filled += count
        }
    }

    private func endOfHead() -> Int? {
        guard filled >= 4 else { return nil }
        for end in 4...filled
        where buffer[end - 1] == 10 && buffer[end - 2] == 13 && buffer[end - 3] == 10 {
            return end
        }
        return nil
    }

    private func contentLength(in head: Int) -> Int {
        Answer(Array(buffer[..<head]), head: head).field("content-length").flatMap { Int($0) } ?? 0
    }
}

/// An answer's bytes.
struct Answer {
    let bytes: [UInt8]
    let head: Int

    init(_ bytes: [UInt8], head: Int) {
        self.bytes = bytes
        self.head = head
    }

    /// `HTTP/1.1 200 …`
    var status: Int { Int(String(decoding: bytes[9..<12], as: UTF8.self)) ?? 0 }

    func field(_ name: String) -> String? {
        let name = Array("\n\(name): ".utf8)
        guard let start = position(after: name, in: 0..<head, foldingCase: true) else { return nil }
        let end = bytes[start..<head].firstIndex(of: 13) ?? head
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// All lines of a field, such as `Set-Cookie`.
    func fields(_ name: String) -> [String] {
        String(decoding: bytes[..<head], as: UTF8.self).split(separator: "\r\n").compactMap {
            line in
            line.lowercased().hasPrefix(name + ": ") ? String(line.dropFirst(name.count + 2)) : nil
        }
    }

    var unexpected: Connection.Failure {
        Connection.Failure(
            description: "unexpected: \(String(decoding: bytes.prefix(600), as: UTF8.self))"
        )
    }

    /// The text between `start` and the next `end` byte, anywhere in the answer.
    func text(after start: String, until end: Set<UInt8>) -> String? {
        guard
            let first = position(after: Array(start.utf8), in: 0..<bytes.count, foldingCase: false)
        else { return nil }
        let last = bytes[first...].firstIndex(where: end.contains) ?? bytes.count
        return String(decoding: bytes[first..<last], as: UTF8.self)
    }

    private func position(after text: [UInt8], in range: Range<Int>, foldingCase: Bool) -> Int? {
        guard range.count >= text.count else { return nil }
        for start in range.lowerBound...(range.upperBound - text.count) {
            var index = 0
            while index < text.count {
                let byte = bytes[start + index]
                let isUpper = foldingCase && (0x41...0x5A).contains(byte)
                guard (isUpper ? byte | 0x20 : byte) == text[index] else { break }
                index += 1
            }
            if index == text.count { return start + text.count }
        }
        return nil
    }
}
