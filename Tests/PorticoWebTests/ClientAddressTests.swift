import HTTPTypes
import NIOCore
import PorticoWeb
import Testing

@Suite("Client address")
struct ClientAddressTests {
    private func headers(_ fields: [(String, String)]) throws -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return headers
    }

    private func proxies(_ ranges: [String]) throws -> TrustedProxies {
        TrustedProxies(try ranges.map { try #require(NetworkRange($0)) })
    }

    private func client(
        from peer: String,
        _ fields: [(String, String)],
        trusting ranges: [String]
    ) throws -> ClientAddress {
        ClientAddress(
            peer: try SocketAddress(ipAddress: peer, port: 1),
            headers: try headers(fields),
            trusting: try proxies(ranges)
        )
    }

    @Test("WEB-HOST-2: X-Forwarded-For from anyone but a trusted proxy is not read")
    func spoofed() throws {
        let fields = [("X-Forwarded-For", "10.0.0.1"), ("X-Forwarded-Proto", "https")]
        for ranges in [[], ["192.0.2.1"]] {
            let client = try client(from: "203.0.113.7", fields, trusting: ranges)
            #expect(client.address == IPAddress("203.0.113.7"))
            #expect(client.isSecure == nil)
            #expect(!client.isForwarded)
        }
    }

    @Test(
        "WEB-HOST-2: behind trusted proxies the client is the right-most address that is not one",
        arguments: [
            (["198.51.100.9"], "198.51.100.9"),
            (["1.1.1.1, 198.51.100.9"], "198.51.100.9"),
            (["1.1.1.1", "198.51.100.9"], "198.51.100.9"),
            (["1.1.1.1, 198.51.100.9, 10.0.0.2"], "198.51.100.9"),
            (["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            (["198.51.100.9:5555"], "198.51.100.9"),
            (["[2001:db8::7]:443"], "2001:db8::7"),
            (["2001:db8::7"], "2001:db8::7"),
            (["::ffff:198.51.100.9"], "198.51.100.9"),
            (["1.1.1.1, unknown"], "10.0.0.1"),
            (["1.1.1.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ([" ,"], "10.0.0.1"),
            ([], "10.0.0.1"),
        ] as [([String], String)]
    )
    func chain(values: [String], expected: String) throws {
        let client = try client(
            from: "10.0.0.1",
            values.map { ("X-Forwarded-For", $0) },
            trusting: ["10.0.0.0/8"]
        )
        #expect(client.address == IPAddress(expected))
        #expect(client.isForwarded)
    }

    @Test(
        "WEB-TLS-2, decision 0103: TLS carried the request if it did to the nearest or the first proxy",
        arguments: [
            (["https"], true), (["HTTPS"], true), (["http"], false), (["https", "http"], true),
            (["http, https"], true), (["https, http"], true), (["httpss"], false), ([], nil),
            (["http, https, http"], false), (["http", "http"], false), (["x, y"], false),
        ] as [([String], Bool?)]
    )
    func proto(values: [String], expected: Bool?) throws {
        let client = try client(
            from: "10.0.0.1",
            values.map { ("X-Forwarded-Proto", $0) },
            trusting: ["10.0.0.1"]
        )
        #expect(client.isSecure == expected)
    }

    @Test("A range holds its own addresses and no others")
    func ranges() throws {
        let table: [(String, [String], [String])] = [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255"],
                ["11.0.0.0", "9.255.255.255", "::a00:1"]
            ),
            ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127"]),
            ("192.0.2.1", ["192.0.2.1", "::ffff:192.0.2.1"], ["192.0.2.0"]),
            ("0.0.0.0/0", ["1.2.3.4"], ["::1"]),
            ("2001:db8::/33", ["2001:db8::1", "2001:db8:7fff::"], ["2001:db8:8000::"]),
            ("::1", ["::1"], ["::2", "127.0.0.1"]),
        ]
        for (range, inside, outside) in table {
            let range = try #require(NetworkRange(range))
            for address in inside { #expect(range.contains(try #require(IPAddress(address)))) }
            for address in outside { #expect(!range.contains(try #require(IPAddress(address)))) }
        }
    }

    @Test(
        "A range that is none, or has bits after its prefix, is refused",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.1/8",
            "10.0.0.0/8/8", "10.0.0/8", "example.com", "::/129", "fe80::1%eth0", "10.0.0.0/ 8",
            "10.0.0.0/99999999999999999999",
        ]
    )
    func notARange(text: String) {
        #expect(NetworkRange(text) == nil)
    }

    @Test("An IPv6 neighbour is a /64, an IPv4 neighbour an address")
    func neighbours() throws {
        let one = try client(from: "2001:db8:1:2:3:4:5:6", [], trusting: [])
        let two = try client(from: "2001:db8:1:2::1", [], trusting: [])
        let three = try client(from: "2001:db8:1:3::1", [], trusting: [])
        #expect(one.limitKey == two.limitKey)
        #expect(one.limitKey != three.limitKey)
        #expect(try client(from: "192.0.2.1", [], trusting: []).limitKey == "192.0.2.1")
        // Of a translator: those behind it are not one household, and none of them is this machine.
        #expect(try client(from: "64:ff9b::192.0.2.1", [], trusting: []).limitKey == "192.0.2.1")
        #expect(IPAddress("64:ff9b::127.0.0.1")?.isLoopback == false)
        let socket = ClientAddress(peer: nil, headers: [:], trusting: .none)
        #expect(socket.limitKey == "local")
        #expect(IPAddress("::1")?.isLoopback == true)
        #expect(IPAddress("127.9.9.9")?.isLoopback == true)
        #expect(IPAddress("::ffff:127.0.0.1")?.isLoopback == true)
        #expect(IPAddress("128.0.0.1")?.isLoopback == false)
    }
}
