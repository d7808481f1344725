import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// `openssl s_server` with a certificate that nobody trusts, for `op.example.test`.
private final class TLSServer {
    static let program = "/usr/bin/openssl"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    let port: UInt16
    let certificate: String
    private let folder: URL
    private let server = Process()

    init() throws {
        folder = Guardian.shared.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        let request = try Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=op.example.test",
            "-addext", "subjectAltName=DNS:op.example.test",
        ])
        request.waitUntilExit()
        guard let (socket, port) = RawSocket.listen(port: 0) else { throw POSIXError(.EADDRINUSE) }
        RawSocket.close(socket)
        self.port = port
        server.executableURL = URL(filePath: Self.program)
        server.arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate, "-www",
            "-quiet",
        ]
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        for _ in 0..<500 {
            if let connection = RawSocket.connect(port: port) {
                RawSocket.close(connection)
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    deinit {
        // Waiting for it would hold one of the few threads that all tests share.
        kill(server.processIdentifier, SIGKILL)
        // `try?`: what is left behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}

@Suite("Certificates", .serialized, .enabled(if: TLSServer.isPossible, "needs openssl"))
struct CertificateTests {
    private static let limits = HTTPLimits(bytes: 100_000, seconds: 10)

    private func request(_ authority: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
    }

    @Test(
        "RFC 8414 §6.1: a certificate that nobody trusts is refused",
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
}
