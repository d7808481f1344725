import Foundation
import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Certificates", .serialized, .enabled(if: TLSServer.isPossible, "needs openssl"))
struct CertificateTests {
    private static let limits = HTTPLimits(bytes: 100_000, seconds: 10)

    private func request(_ authority: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
    }

    @Test(
        "RFC 8414 §6.1: an untrusted certificate is refused",
        arguments: TransportKind.allCases
    )
    func untrusted(kind: TransportKind) async throws {
        let server = try TLSServer()
        let error = await #expect(throws: HTTPTransportError.self) {
            try await kind.with {
                try await $0.send(
                    request("127.0.0.1:\(server.port)"),
                    body: [],
                    limits: Self.limits
                )
            }
        }
        #expect(error == .untrusted)
    }

    @Test("A root that the program trusts is good for the name in the certificate, and no other")
    func trusted() async throws {
        let server = try TLSServer()
        let hosts = ["op.example.test": "127.0.0.1", "evil.example.test": "127.0.0.1"]
        let roots = server.certificate
        let reply = try await TransportKind.outbound.with(trustedRoots: roots, connectTo: hosts) {
            try await $0.send(
                request("op.example.test:\(server.port)"),
                body: [],
                limits: Self.limits
            )
        }
        #expect(reply.response.status.code == 200)
        await #expect(throws: HTTPTransportError.untrusted) {
            try await TransportKind.outbound.with(trustedRoots: roots, connectTo: hosts) {
                try await $0.send(
                    request("evil.example.test:\(server.port)"),
                    body: [],
                    limits: Self.limits
                )
            }
        }
    }

    @Test(
        "Only HTTP/1.1 is offered: the gate for what is no status stands in no other way",
        .timeLimit(.minutes(1))
    )
    func protocols() async throws {
        // It would speak HTTP/2 as well as it can, which is not at all.
        let server = try TLSServer(protocols: "h2,http/1.1")
        let reply = try await TransportKind.outbound.with(
            trustedRoots: server.certificate,
            connectTo: ["op.example.test": "127.0.0.1"]
        ) {
            try await $0.send(
                request("op.example.test:\(server.port)"),
                body: [],
                limits: Self.limits
            )
        }
        #expect(reply.response.status.code == 200)
    }

    @Test("RFC 9325 §3.1.1: a server that speaks TLS 1.1 and nothing newer is refused")
    func oldVersion() async {
        await #expect(processExitsWith: .success) {
            try TLSServer.forgetLowestVersion()
            func status(_ version: TLSServer.Version) async throws -> Int {
                let server = try TLSServer(only: version)
                return try await TransportKind.outbound.with(
                    trustedRoots: server.certificate,
                    connectTo: ["op.example.test": "127.0.0.1"]
                ) {
                    try await $0.send(
                        CertificateTests().request("op.example.test:\(server.port)"),
                        body: [],
                        limits: CertificateTests.limits
                    )
                }.response.status.code
            }
            try #require(await status(.v12) == 200)
            await #expect(throws: HTTPTransportError.untrusted) { try await status(.v11) }
        }
    }
}
