import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

/// What a client offers (RFC 8446 §4.1.2).
private struct ClientHello {
    var suites: [Int] = []
    var groups: [Int] = []

    /// - Parameter bytes: `nil` where they are not the whole of one.
    init?(_ bytes: [UInt8]) {
        var record = Reader(rest: bytes[...])
        // Type and version; version and random; session and compression are not looked at.
        guard record.take(3) != nil, var handshake = record.vector(2), handshake.take(1) != nil,
            var hello = handshake.vector(3), hello.take(2 + 32) != nil, hello.vector(1) != nil,
            var suites = hello.vector(2), hello.vector(1) != nil, var extensions = hello.vector(2)
        else { return nil }
        self.suites = suites.numbers()
        while let kind = extensions.number(2), var content = extensions.vector(2) {
            // supported_groups (§4.2.7)
            if kind == 10, var groups = content.vector(2) { self.groups = groups.numbers() }
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func number(_ size: Int) -> Int? {
            take(size)?.reduce(0) { $0 << 8 | Int($1) }
        }

        /// What comes after its length.
        mutating func vector(_ size: Int) -> Reader? {
            guard let length = number(size), let content = take(length) else { return nil }
            return Reader(rest: content)
        }

        mutating func numbers() -> [Int] {
            var numbers: [Int] = []
            while let number = number(2) { numbers.append(number) }
            return numbers
        }
    }
}

@Suite("What is offered to hosts that strangers name") struct ClientHelloTests {
    /// The first bytes of a client, until they are a whole message or it goes.
    private static func listen(into heard: Locked<[UInt8]>) throws -> UInt16 {
        guard let (listener, port) = RawSocket.listen(port: 0) else {
            throw POSIXError(.EADDRINUSE)
        }
        Thread.detachNewThread {
            defer { RawSocket.close(listener) }
            guard let connection = RawSocket.accept(listener) else { return }
            defer { RawSocket.close(connection) }
            while let bytes = RawSocket.receive(connection), !bytes.isEmpty {
                let all = heard.withLock { heard in
                    heard += bytes
                    return heard
                }
                if ClientHello(all) != nil { return }
            }
        }
        return port
    }

    @Test("decision 0067: no host chooses how large the numbers of a key exchange are")
    func groups() async throws {
        let heard = Locked<[UInt8]>([])
        let port = try Self.listen(into: heard)
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(port))
        let transport = GuardedTransport(connectTo: ["pds.example.com": target])
        let address = try #require(HTTPAddress("https://pds.example.com/"))
        await #expect(throws: HTTPTransportError.self) {
            try await transport.send(
                HTTPRequest(.get, to: address),
                body: [],
                limits: HTTPLimits(bytes: 1000, seconds: 15)
            )
        }
        let bytes = heard.withLock { $0 }
        let hello = try #require(ClientHello(bytes))
        // ECDHE with AES-128-GCM, and X25519.
        #expect(hello.suites.contains(0xC02F) && hello.groups.contains(0x001D))
        // DHE, whose field the server says.
        let finite: Set = [0x0033, 0x0039, 0x0067, 0x006B, 0x009E, 0x009F, 0xCCAA]
        #expect(finite.isDisjoint(with: hello.suites))
        // RFC 7919 §2: ffdhe2048 to ffdhe8192, and what may come.
        #expect(hello.groups.allSatisfy { $0 < 0x0100 || $0 > 0x01FF })
    }
}
