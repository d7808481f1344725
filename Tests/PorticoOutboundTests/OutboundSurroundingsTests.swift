import Foundation
import HTTPTypes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Each in a process of its own: the environment is the whole process's, and other tests read it on
/// other threads.
@Suite("HTTP transports: what the surroundings say")
struct OutboundSurroundingsTests {
    @Test("A proxy that the environment names gets no request")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LocalServer { _ in LocalServer.reply("403 Forbidden") }
            defer { proxy.stop() }
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            let server = try LocalServer { _ in LocalServer.reply() }
            defer { server.stop() }
            let reply = try await get("http://127.0.0.1:\(server.port)/", by: OutboundClient())
            try #require(reply.response.status == .ok)
            let target = GuardedTransport.ConnectTarget(
                address: "127.0.0.1",
                port: Int(server.port)
            )
            let transport = GuardedTransport(connectTo: ["id.example": target])
            // The server does not speak TLS.
            _ = try? await get("https://id.example/", by: transport)
            try #require(proxy.requests.isEmpty)
        }
    }

    @Test("A password in a home folder goes to no server")
    func netrc() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            // `try?`: what is left behind lies in the system's folder for such things.
            // `try?`: what stays behind is in the system's temporary folder.
            defer { try? FileManager.default.removeItem(at: home) }
            try Data("machine 127.0.0.1 login ann password horse\n".utf8)
                .write(to: home.appending(path: ".netrc"))
            setenv("HOME", home.path, 1)
            unsetenv("NETRC")
            let server = try LocalServer { _ in LocalServer.reply() }
            defer { server.stop() }
            _ = try await get("http://127.0.0.1:\(server.port)/", by: OutboundClient())
            let head = try #require(server.requests.first)
            try #require(!head.lowercased().contains("authorization"))
        }
    }
}

private func get(_ url: String, by transport: some HTTPTransport) async throws -> HTTPReply {
    try await transport.send(
        HTTPRequest(.get, to: try #require(HTTPAddress(url))),
        body: [],
        limits: HTTPLimits(bytes: 1000, seconds: 10)
    )
}
