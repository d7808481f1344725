import Foundation
import PorticoBytes
import PorticoTestSupport

/// A name server on a loopback port, which answers over UDP and TCP as it was told.
final class NameServer: Sendable {
    /// - Returns: The messages to send for a question; none for silence.
    typealias Answer = @Sendable (_ question: [UInt8], _ isTCP: Bool) -> [[UInt8]]

    let port: UInt16
    private let datagrams: Int32
    private let listener: Int32
    private let isOver = Locked(false)
    private let asked = Locked<[String]>([])

    init?(_ answer: @escaping Answer) {
        guard let (listener, port) = RawSocket.listen(port: 0), let datagrams = Self.bind(port)
        else { return nil }
        self.listener = listener
        self.port = port
        self.datagrams = datagrams
        Thread.detachNewThread { [self] in run(answer) }
    }

    /// `UDP` or `TCP`, for each question in order.
    var questions: [String] { asked.withLock { $0 } }

    func stop() { isOver.withLock { $0 = true } }

    private func run(_ answer: Answer) {
        var entries = [datagrams, listener].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while !isOver.withLock({ $0 }) {
            guard poll(&entries, 2, 50) > 0 else { continue }
            if entries[0].revents != 0 { answerDatagram(answer) }
            if entries[1].revents != 0 { answerConnection(answer) }
        }
        RawSocket.close(datagrams)
        RawSocket.close(listener)
    }

    private func answerDatagram(_ answer: Answer) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let count = recvfrom(datagrams, &buffer, buffer.count, 0, peer, &length)
                guard count > 12 else { return }
                asked.withLock { $0.append("UDP") }
                for message in answer(Array(buffer[..<count]), false) {
                    _ = sendto(datagrams, message, message.count, 0, peer, length)
                }
            }
        }
    }

    private func answerConnection(_ answer: Answer) {
        guard let connection = RawSocket.accept(listener) else { return }
        defer { RawSocket.close(connection) }
        var received: [UInt8] = []
        while received.count < 2 || received.count < 2 + (Int(received[0]) << 8 | Int(received[1]))
        {
            guard let bytes = RawSocket.receive(connection), !bytes.isEmpty else { return }
            received += bytes
        }
        asked.withLock { $0.append("TCP") }
        for message in answer(Array(received.dropFirst(2)), true) {
            let length = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)]
            RawSocket.send(connection, length + message)
        }
    }

    private static func bind(_ port: UInt16) -> Int32? {
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        var hints = addrinfo()
        hints.ai_flags = Int32(AI_NUMERICHOST | AI_NUMERICSERV)
        hints.ai_socktype = kind
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo("127.0.0.1", String(port), &hints, &found) == 0, let found else {
            return nil
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return nil }
        guard Foundation.bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0
        else {
            RawSocket.close(descriptor)
            return nil
        }
        return descriptor
    }
}

/// Messages of the DNS, as bytes (RFC 1035 §4).
enum NameMessage {
    /// The strings of one TXT record.
    typealias Strings = [[UInt8]]

    static func texts(_ records: [Strings], to question: [UInt8]) -> [UInt8] {
        message(records.map { record(data: $0.flatMap { [UInt8($0.count)] + $0 }) }, to: question)
    }

    /// - Parameters:
    ///   - code: 0 for an answer, 2 for a failure, 3 for a name that does not exist.
    ///   - isCut: Whether the message says that there is more.
    static func message(
        _ records: [[UInt8]],
        to question: [UInt8],
        code: UInt8 = 0,
        isCut: Bool = false
    ) -> [UInt8] {
        var end = 12
        while question[end] != 0 { end += Int(question[end]) + 1 }
        let count = [UInt8(records.count >> 8), UInt8(records.count & 0xFF)]
        let flags: [UInt8] = [isCut ? 0x87 : 0x85, 0x80 | code]
        return Array(question[..<2]) + flags + [0, 1] + count + [0, 0, 0, 0]
            + Array(question[12..<end + 5]) + records.flatMap(\.self)
    }

    /// - Parameters:
    ///   - name: A pointer to the name that was asked for.
    ///   - type: 16 for TXT, 5 for CNAME.
    static func record(
        name: [UInt8] = [0xC0, 12],
        type: UInt8 = 16,
        length: Int? = nil,
        data: [UInt8]
    ) -> [UInt8] {
        let length = length ?? data.count
        return name + [0, type, 0, 1, 0, 0, 0, 60, UInt8(length >> 8), UInt8(length & 0xFF)] + data
    }
}
