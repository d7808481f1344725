import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A user can choose any person, so only users of this machine are served.
@Suite("The door of the stand-ins")
struct StandInDoorTests {
    @Test("under any other name there is nothing: a page whose name was led here gets 421")
    func host() async throws {
        try await Wire.run { wire in
            let base = try #require(HTTPAddress(wire.standIns.baseURL))
            let port = try #require(UInt16(exactly: base.port))
            let expected = [
                ("localhost:\(port)", 200), ("127.0.0.1:\(port)", 200), ("[::1]:\(port)", 200),
                ("LOCALHOST:\(port)", 200), ("evil.example", 421), ("evil.example:\(port)", 421),
                ("localhost", 421), ("localhost:1", 421), ("localhost.evil.example:\(port)", 421),
            ]
            for (host, status) in expected {
                let exchange = await RawExchange.run {
                    RawExchange(
                        "GET /google/oauth2/v3/certs HTTP/1.1\r\nHost: \(host)\r\n"
                            + "Connection: close\r\n\r\n",
                        port: port
                    )
                }
                #expect(exchange?.status == status, "\(host)")
            }
            #expect(wire.log.count(.keys, at: .google) == 4)
        }
    }

    @Test(
        "who comes from another machine is refused, whatever the listener lets in",
        .enabled(if: OwnAddress.beyondLoopback != nil, "needs an address beyond loopback")
    )
    func peers() async throws {
        let address = try #require(OwnAddress.beyondLoopback)
        try await withStandIns(listeningOn: "0.0.0.0") { scripted in
            let standIns = scripted.standIns
            let port = try #require(UInt16(exactly: HTTPAddress(standIns.baseURL)?.port ?? 0))
            for (target, status) in [("127.0.0.1", 200), (address, 403)] {
                let exchange = await RawExchange.run {
                    RawExchange(
                        "GET /google/oauth2/v3/certs HTTP/1.1\r\nHost: localhost:\(port)\r\n"
                            + "Connection: close\r\n\r\n",
                        to: target,
                        port: port
                    )
                }
                #expect(exchange?.status == status, "\(target)")
            }
            #expect(scripted.log.count(.keys, at: .google) == 1)
        }
    }

    @Test("what a proxy forwards comes from elsewhere and is refused")
    func proxies() async throws {
        try await Wire.run { wire in
            for name in ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"] {
                var headers = HTTPFields()
                headers[try #require(HTTPField.Name(name))] = "127.0.0.1"
                let reply = try await wire.get(wire.address(.google), headers: headers)
                #expect(reply.status == 403 && reply.body.isEmpty)
            }
            #expect(wire.log.all.isEmpty)
        }
    }

    @Test("RFC 9110 §15.5.5, §15.5.6: another path is 404, another method 405")
    func routes() async throws {
        try await Wire.run { wire in
            let base = wire.standIns.baseURL
            for path in ["/", "/microsoft/token", "/google", "/google/token/x", "/apple/token"] {
                #expect(try await wire.get(base + path).status == 404, "\(path)")
            }
            let reply = try await wire.get(wire.addresses(.google).token)
            #expect(reply.status == 405 && reply.headers[.allow] == "POST")
            let apple = try await wire.send(.put, wire.addresses(.apple).authorization)
            #expect(apple.status == 405)
            // Facebook's key set ends with a slash, and its token endpoint takes GET.
            #expect(try await wire.get(wire.addresses(.facebook).keys).status == 200)
            #expect(try await wire.get(wire.addresses(.facebook).token).status == 400)
            let json = try await wire.send(
                .post,
                wire.addresses(.google).token,
                headers: [.contentType: "application/json"]
            )
            #expect(json.status == 400)
        }
    }

    @Test(
        "the base URL is an origin",
        arguments: ["localhost:1", "http://localhost:1/", "ftp://x"]
    )
    func baseURL(text: String) {
        #expect(throws: StandIns.Refusal.notAnOrigin) { try StandIns(baseURL: text) }
    }
}

/// An IPv4 address of this machine that others might reach it under.
enum OwnAddress {
    static let beyondLoopback: String? = {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let interface = next {
            next = interface.pointee.ifa_next
            guard let address = interface.pointee.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            let bytes = UnsafeRawPointer(address).loadUnaligned(
                fromByteOffset: 4,
                as: UInt32.self
            )
            let text = withUnsafeBytes(of: bytes) { $0.map { String($0) }.joined(separator: ".") }
            if !text.hasPrefix("127.") { return text }
        }
        return nil
    }()
}
