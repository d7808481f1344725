import PorticoTestSupport
import Testing

@testable import PorticoProgram

@Suite("The port that the server will listen on") struct HeldPortTests {
    #if os(Linux)
        @Test(
            "it is no one else's meanwhile, and the server is let in",
            arguments: ["127.0.0.1", "::1"]
        )
        func held(host: String) throws {
            let held = try ReservedPort(ListenAddress(host: host, port: 0))
            let port = UInt16(clamping: held.address.port)
            #expect(port > 0)
            #expect(RawSocket.listen(host, port: port) == nil)
            #expect(RawSocket.connect(host, port: port) == nil)
            let server = try #require(RawSocket.listen(host, port: port, sharing: true))
            defer { RawSocket.close(server.socket) }
            let visitor = try #require(RawSocket.connect(host, port: port))
            RawSocket.close(visitor)
            withExtendedLifetime(held) {}
        }
    #endif

    @Test("it is given back")
    func released() throws {
        let port = try ReservedPort(ListenAddress(host: "127.0.0.1", port: 0)).address.port
        let listener = try #require(RawSocket.listen(port: UInt16(clamping: port)))
        RawSocket.close(listener.socket)
    }

    @Test("a port in use is refused by name")
    func taken() throws {
        let listener = try #require(RawSocket.listen(port: 0, sharing: true))
        defer { RawSocket.close(listener.socket) }
        do throws(Failure) {
            _ = try ReservedPort(ListenAddress(host: "127.0.0.1", port: Int(listener.port)))
            Issue.record("it was taken")
        } catch {
            #expect(error.problem == .portInUse)
            let address = "127.0.0.1:\(listener.port)"
            #expect(error.what == "Another program is already listening on \(address).")
        }
    }
}
