import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Operator's exceptions") struct OperatorsExceptionsTests {
    private struct Recording: HTTPTransport {
        let status: Int

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            HTTPReply(response: HTTPResponse(status: .init(code: status)), body: [])
        }
    }

    @Test(
        "WEB-SSRF-1: a named host and port goes by the plain client, everything else by the guarded one",
        arguments: [
            ("https://10.0.0.7:8443/logout", true), ("https://APP.internal/logout", true),
            ("http://127.0.0.1:8080/logout", true), ("http://[::1]:8080/", true),
            // Another port, another host, a name that begins or ends alike.
            ("https://10.0.0.7/logout", false), ("https://10.0.0.7:8444/", false),
            ("https://10.0.0.70:8443/", false), ("https://app.internal:8443/", false),
            ("https://app.internal.evil.example/", false), ("https://xapp.internal/", false),
            ("http://127.0.0.1:8081/", false), ("http://127.0.0.1/", false),
            ("https://id.example/", false),
            // In the clear only to this machine.
            ("http://10.0.0.7:8443/", false), ("http://app.internal:443/", false),
            ("http://localhost:8080/", false),
        ]
    )
    func exact(url: String, isPlain: Bool) async throws {
        let named = try [
            "10.0.0.7:8443", "app.internal:443", "127.0.0.1:8080", "[::1]:8080", "localhost:8080",
        ].map { try #require(NamedHost($0)) }
        let transport = OperatorsExceptions(
            Set(named),
            by: Recording(status: 201),
            otherwise: Recording(status: 202)
        )
        let request = HTTPRequest(.post, to: try #require(HTTPAddress(url)))
        let reply = try await transport.send(
            request,
            body: [],
            limits: HTTPLimits(bytes: 1, seconds: 1)
        )
        #expect(reply.response.status.code == (isPlain ? 201 : 202))
    }

    @Test("Nothing named, nothing private: a loopback server is not asked")
    func nothingNamed() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        let plain = OutboundClient()
        let request = HTTPRequest(
            .post,
            to: try #require(HTTPAddress("http://127.0.0.1:\(server.port)/"))
        )
        let limits = HTTPLimits(bytes: 100, seconds: 10)
        await #expect(throws: HTTPTransportError.refused) {
            let transport = OperatorsExceptions([], by: plain, otherwise: GuardedTransport())
            return try await transport.send(request, body: [], limits: limits)
        }
        #expect(server.requests.isEmpty)
        let named = try #require(NamedHost("127.0.0.1:\(server.port)"))
        let transport = OperatorsExceptions([named], by: plain, otherwise: GuardedTransport())
        let reply = try await transport.send(request, body: [], limits: limits)
        #expect(reply.response.status.code == 200)
        try await plain.shutdown()
    }

    @Test(
        "A host is named with its port, exactly",
        arguments: [
            ("10.0.0.7:8443", true), ("[fd00::1]:443", true), ("a.b:1", true),
            ("10.0.0.7", false), ("[fd00::1]", false), ("a.b:", false), ("a.b:0", false),
            ("a.b:65536", false), ("a.b:08", false), ("https://a.b:1", false), ("a.b:1/", false),
            ("u@a.b:1", false), ("*.b:1", false), ("10.0.0.0/8:1", false), ("", false),
            (":80", false), ("a b:1", false),
        ]
    )
    func names(text: String, isName: Bool) {
        #expect((NamedHost(text) != nil) == isName)
    }
}
