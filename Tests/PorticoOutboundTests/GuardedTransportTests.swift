import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

/// Answers as it was told, one answer after the other, and counts.
private final class ScriptedResolver: AddressResolver {
    private let answers: Locked<[[[UInt8]]]>
    private let asked = Locked<[String]>([])

    init(_ answers: [[[UInt8]]]) {
        self.answers = Locked(answers)
    }

    var questions: [String] { asked.withLock { $0 } }

    func addresses(of host: String) async throws -> [[UInt8]] {
        asked.withLock { $0.append(host) }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}

private struct SilentResolver: AddressResolver {
    func addresses(of host: String) async throws -> [[UInt8]] {
        try await Task.sleep(for: .seconds(3600))
        return []
    }
}

@Suite("Guarded transport: addresses that strangers choose") struct GuardedTransportTests {
    private static let limits = HTTPLimits(bytes: 10_000, seconds: 10)

    private static func get(_ url: String) throws -> HTTPRequest {
        HTTPRequest(.get, to: try #require(HTTPAddress(url)))
    }

    private func refusal(_ transport: GuardedTransport, _ url: String) async throws
        -> HTTPTransportError?
    {
        let request = try Self.get(url)
        return await #expect(throws: HTTPTransportError.self) {
            try await transport.send(request, body: [], limits: Self.limits)
        }
    }

    @Test(
        "WEB-SSRF-1: no address of this machine, its link, a private network or a protocol is asked",
        arguments: [
            "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255",
            "100.64.0.1", "100.100.100.200", "100.127.255.255", "168.63.129.16", "169.254.0.1",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
            "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.168.255.255",
            "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
            "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            // Spellings that the system's resolver knows.
            "127.1", "2130706433", "0x7f.1", "017700000001", "0",
            "[::]", "[::1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]",
            "[::ffff:8.8.8.8]", "[64:ff9b::7f00:1]", "[64:ff9b::169.254.169.254]",
            "[64:ff9b::10.0.0.1]", "[64:ff9b:1::808:808]", "[100::1]", "[2001::1]",
            "[2001:2::1]", "[2001:10::1]", "[2001:20::1]", "[2001:db8::1]",
            "[2002:7f00:1::]", "[2002:a9fe:a9fe::]", "[2002:808:808::1]", "[2620:4f:8000::1]",
            "[3fff::1]", "[4000::1]", "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]",
            "[fd20:ce::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "localhost",
        ]
    )
    func specialUse(host: String) async throws {
        #expect(try await refusal(GuardedTransport(), "https://\(host)/") == .refused)
        #expect(try await refusal(GuardedTransport(), "https://\(host):443/x?y") == .refused)
    }

    @Test(
        "WEB-SSRF-1: only https on its own port",
        arguments: [
            "http://id.example/", "http://id.example:443/", "https://id.example:80/",
            "https://id.example:8443/", "https://127.0.0.1:8080/", "http://127.0.0.1/",
        ]
    )
    func port(url: String) async throws {
        let resolver = ScriptedResolver([[[8, 8, 8, 8]]])
        #expect(try await refusal(GuardedTransport(resolver: resolver), url) == .refused)
        #expect(resolver.questions.isEmpty)
    }

    @Test(
        "WEB-SSRF-1: one private address among public ones, and none of them is asked",
        arguments: [0, 1, 2]
    )
    func mixed(position: Int) async throws {
        var addresses: [[UInt8]] = [[8, 8, 8, 8], [9, 9, 9, 9]]
        addresses.insert([192, 168, 0, 1], at: position)
        let transport = GuardedTransport(resolver: ScriptedResolver([addresses]))
        #expect(try await refusal(transport, "https://id.example/") == .refused)
    }

    @Test("WEB-SSRF-1: what is no IP address at all is none that may be asked")
    func unknownFamily() async throws {
        let transport = GuardedTransport(resolver: ScriptedResolver([[[1, 2, 3]]]))
        #expect(try await refusal(transport, "https://id.example/") == .refused)
    }

    @Test("WEB-SSRF-1: a name without addresses is not there")
    func noAddress() async throws {
        let transport = GuardedTransport(resolver: ScriptedResolver([[]]))
        #expect(try await refusal(transport, "https://id.example/") == .noSuchHost)
    }

    @Test("A look-up that failed says nothing of the name: it is away, and not missing")
    func failedLookUp() async throws {
        for (answer, expected) in [(nil, .unreachable), ([], .noSuchHost)]
            as [([[UInt8]]?, HTTPTransportError)]
        {
            let transport = GuardedTransport(resolver: SystemResolver(asking: { _ in answer }))
            #expect(try await refusal(transport, "https://id.example/") == expected)
        }
    }

    @Test("WEB-SSRF-1: a name is resolved once; the checked address is the one connected to")
    func rebinding() async throws {
        // 2d00::/8 is not allocated, so no host is contacted.
        let nowhere: [UInt8] = [0x2D] + [UInt8](repeating: 0, count: 14) + [1]
        let resolver = ScriptedResolver([[nowhere], [[127, 0, 0, 1]]])
        let request = try Self.get("https://id.example/")
        let error = await #expect(throws: HTTPTransportError.self) {
            try await GuardedTransport(resolver: resolver).send(
                request,
                body: [],
                limits: HTTPLimits(bytes: 100, seconds: 1)
            )
        }
        #expect(error == .unreachable || error == .timedOut)
        #expect(resolver.questions == ["id.example"])
        // And the other way round: what is private at the check stays refused.
        let other = ScriptedResolver([[[127, 0, 0, 1]], [nowhere]])
        #expect(
            try await refusal(GuardedTransport(resolver: other), "https://id.example/") == .refused
        )
        #expect(other.questions == ["id.example"])
    }

    @Test("WEB-SSRF-1: a resolver or a server that says nothing is given up")
    func silence() async throws {
        let request = try Self.get("https://id.example/")
        let second = HTTPLimits(bytes: 100, seconds: 1)
        await #expect(throws: HTTPTransportError.timedOut) {
            try await GuardedTransport(resolver: SilentResolver()).send(
                request,
                body: [],
                limits: second
            )
        }
        let server = try LocalServer { _ in .silence }
        defer { server.stop() }
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(server.port))
        await #expect(throws: HTTPTransportError.timedOut) {
            try await GuardedTransport(connectTo: ["id.example": target]).send(
                request,
                body: [],
                limits: second
            )
        }
    }

    @Test("WEB-SSRF-1: no request gets more time or bytes than foreign servers may use")
    func granted() {
        let most = HTTPLimits(bytes: 1024 * 1024, seconds: 15)
        #expect(GuardedTransport.granted(HTTPLimits(bytes: .max, seconds: .max)) == most)
        #expect(GuardedTransport.granted(most) == most)
        let less = HTTPLimits(bytes: 1, seconds: 1)
        #expect(GuardedTransport.granted(less) == less)
        #expect(GuardedTransport.granted(HTTPLimits(bytes: 1, seconds: .min)).seconds == 0)
        let wide = HTTPLimits(bytes: 1 << 24, seconds: 30)
        #expect(GuardedTransport.granted(HTTPLimits(bytes: .max, seconds: .max), of: wide) == wide)
    }

    @Test("A missing listener is reported as such")
    func nobody() async throws {
        let (socket, port) = try #require(RawSocket.listen(port: 0))
        RawSocket.close(socket)
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(port))
        let transport = GuardedTransport(connectTo: ["id.example": target])
        #expect(try await refusal(transport, "https://id.example/") == .unreachable)
    }
}

@Suite("The head of a reply") struct ReplyHeadTests {
    @Test("RFC 9110 §15.2.2: a change of protocols, which is not asked for, is no interim answer")
    func switching() throws {
        var head = ReplyHead()
        #expect(throws: HTTPTransportError.malformed) {
            try head.append(Array("HTTP/1.1 101 Switching Protocols\r\n".utf8))
        }
        var interim = ReplyHead()
        try interim.append(Array("HTTP/1.1 103 Early Hints\r\n".utf8))
        try interim.append(Array("\r\n".utf8))
        #expect(interim.response == nil)
    }

    /// How many lines are read before one is refused.
    private func read(_ start: [String], then line: String) -> Int {
        var (head, count) = (ReplyHead(), 0)
        do throws(HTTPTransportError) {
            for line in start {
                try head.append(Array("\(line)\r\n".utf8))
                count += 1
            }
            while count < 10_000 {
                try head.append(Array("\(line)\r\n".utf8))
                count += 1
            }
        } catch {
            #expect(error == .malformed)
        }
        return count
    }

    @Test("attack E19: interim answers, head and trailers have 512 lines and 80 KiB at most")
    func size() {
        let start = "HTTP/1.1 200 OK"
        #expect(read([start], then: "X-A:") == 512)
        #expect(read([start, ""], then: "X-A:") == 512)
        #expect(read(["HTTP/1.1 103 Early Hints", "", start], then: "X-A:") == 512)
        // 79 lines of 1 KiB after the first one.
        #expect(read([start], then: "X-A: " + String(repeating: "a", count: 1017)) == 80)
    }
}
