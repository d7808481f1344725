import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite("TXT records, as the system's library reads them") struct TextRecordTests {
    private static let name = "_atproto.alice.example.com"

    /// What is read of the answers, and how they were asked for.
    private func texts(_ answer: @escaping NameServer.Answer) async throws
        -> (texts: Result<[String], TextRecordError>, questions: [String])
    {
        let server = try #require(NameServer(answer))
        defer { server.stop() }
        let records = SystemTextRecords(server: .init(address: "127.0.0.1", port: server.port))
        do {
            let texts = try await records.texts(at: Self.name)
            return (.success(texts), server.questions)
        } catch {
            return (.failure(error), server.questions)
        }
    }

    private func texts(_ records: [NameMessage.Strings]) async throws
        -> Result<[String], TextRecordError>
    {
        try await texts { question, _ in [NameMessage.texts(records, to: question)] }.texts
    }

    @Test("RFC 1035 §3.3.14: the strings of a record are one text, and records stay apart")
    func strings() async throws {
        let records: [NameMessage.Strings] = [
            [Array("did=did:plc:".utf8), Array("abc".utf8), [], Array("def".utf8)],
            [Array("v=spf1 -all".utf8)], [[]],
        ]
        #expect(try await texts(records) == .success(["did=did:plc:abcdef", "v=spf1 -all", ""]))
    }

    @Test("RFC 1035 §4.2.1: an answer that was cut is asked for again over TCP")
    func cut() async throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 255)
        let found = try await texts { question, isTCP in
            isTCP
                ? [NameMessage.texts([[Array("did=".utf8)], [long, long, long]], to: question)]
                : [NameMessage.message([], to: question, isCut: true)]
        }
        #expect(found.texts == .success(["did=", String(repeating: "x", count: 765)]))
        #expect(found.questions == ["UDP", "TCP"])
    }

    @Test("RFC 1035 §4.1.1: a name that does not exist, and one without TXT records, have none")
    func none() async throws {
        let missing = try await texts { question, _ in
            [NameMessage.message([], to: question, code: 3)]
        }
        #expect(missing.texts == .success([]))
        let empty = try await texts { question, _ in [NameMessage.message([], to: question)] }
        #expect(empty.texts == .success([]))
    }

    @Test("RFC 1034 §3.6.2: what leads to another name is no text of it")
    func alias() async throws {
        let found = try await texts { question, _ in
            let alias = NameMessage.record(type: 5, data: [1, UInt8(ascii: "a"), 0])
            let text = NameMessage.record(
                name: [1, UInt8(ascii: "a"), 0],
                data: [3] + Array("did".utf8)
            )
            return [NameMessage.message([alias, text], to: question)]
        }
        #expect(found.texts == .success(["did"]))
    }

    @Test("WEB-INPUT-1: what is not ASCII is left out, and what is too much is no answer")
    func bounds() async throws {
        let ascii = Array("did=x".utf8)
        #expect(try await texts([[[0xC3, 0xA4]], [ascii]]) == .success(["did=x"]))
        #expect(
            try await texts([NameMessage.Strings](repeating: [ascii], count: 64))
                == .success([String](repeating: "did=x", count: 64))
        )
        for count in [65, 300] {
            // Too much for a datagram of old.
            let found = try await texts { question, isTCP in
                let records = [NameMessage.Strings](repeating: [ascii], count: count)
                return [
                    isTCP
                        ? NameMessage.texts(records, to: question)
                        : NameMessage.message([], to: question, isCut: true)
                ]
            }
            #expect(found.texts == .failure(.malformed), "\(count)")
        }
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 128)
        for (count, expected) in [
            (32, .success([String(repeating: "x", count: 4096)])), (33, .failure(.malformed)),
        ] as [(Int, Result<[String], TextRecordError>)] {
            let found = try await texts { question, isTCP in
                let text = NameMessage.Strings(repeating: long, count: count)
                return [
                    isTCP
                        ? NameMessage.texts([text], to: question)
                        : NameMessage.message([], to: question, isCut: true)
                ]
            }
            #expect(found.texts == expected, "\(count)")
        }
    }

    @Test("WEB-INPUT-1: an answer that is not well-formed is none, and no byte behind it is read")
    func malformed() async throws {
        let broken: [[UInt8]] = [
            // A string that is longer than its record.
            NameMessage.record(data: [200] + Array("did=".utf8)),
            // A record that is longer than the message.
            NameMessage.record(length: 500, data: [4] + Array("did=".utf8)),
            // A name that points to itself, behind the head and the question of 32 bytes.
            NameMessage.record(name: [0xC0, 44], data: [1, 0x61]),
            [0xC0], [],
        ]
        for record in broken {
            let found = try await texts { question, _ in
                [NameMessage.message([record], to: question)]
            }
            #expect(found.texts == .failure(.malformed), "\(record)")
        }
    }

    @Test("RFC 5452 §9.1: an answer to another question is passed over")
    func otherQuestion() async throws {
        let found = try await texts { question, _ in
            var other = NameMessage.texts([[Array("did=evil".utf8)]], to: question)
            other[0] ^= 0xFF
            return [other, NameMessage.texts([[Array("did=good".utf8)]], to: question)]
        }
        #expect(found.texts == .success(["did=good"]))
    }

    @Test("RFC 1035 §4.1.1: a server that fails or says nothing leaves it unknown")
    func unknown() async throws {
        let failing = try await texts { question, _ in
            [NameMessage.message([], to: question, code: 2)]
        }
        #expect(failing.texts == .failure(.unreachable))
        let silent = try await texts { _, _ in [] }
        #expect(silent.texts == .failure(.unreachable))
        // One that has more to say, and then ends the connection.
        let ending = try await texts { question, isTCP in
            isTCP ? [] : [NameMessage.message([], to: question, isCut: true)]
        }
        #expect(ending.texts == .failure(.unreachable))
    }

    @Test("WEB-INPUT-1: a name that C would read otherwise is not asked for")
    func names() async throws {
        let records = SystemTextRecords(server: .init(address: "127.0.0.1", port: 9))
        for name in ["a\0b.com", "a b.com", "ä.com", String(repeating: "a.", count: 127)] {
            await #expect(throws: TextRecordError.malformed) { try await records.texts(at: name) }
        }
    }
}

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
