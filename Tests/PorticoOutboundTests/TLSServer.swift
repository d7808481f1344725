import Foundation
import PorticoTestSupport

/// `openssl s_server` with an untrusted certificate, for `op.example.test`.
final class TLSServer {
    static let program = "/usr/bin/openssl"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    /// The only version that a server speaks.
    enum Version: Sendable {
        case v11
        case v12

        fileprivate var arguments: [String] {
            switch self {
            // OpenSSL 3 has nothing left for it at its usual level.
            case .v11: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
            case .v12: ["-tls1_2"]
            }
        }
    }

    /// Takes from this process what the system says of versions, so that only our own rule is left.
    /// To be called before anything uses TLS, in a process of its own.
    static func forgetLowestVersion() throws {
        let file = Guardian.shared.folder.appending(path: UUID().uuidString)
        let lines = [
            "openssl_conf = init", "[init]", "ssl_conf = ssl", "[ssl]", "system_default = system",
            "[system]", "MinProtocol = TLSv1", "CipherString = DEFAULT@SECLEVEL=0",
            "[req]", "distinguished_name = name", "[name]",
        ]
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        setenv("OPENSSL_CONF", file.path, 1)
    }

    let port: UInt16
    let certificate: String
    private let folder: URL
    private let server: ChildProgram

    /// - Parameters:
    ///   - files: Whole HTTP responses by the path that asks for them. Without any, a page.
    ///   - version: `nil`: whatever the program speaks.
    ///   - protocols: What it speaks above TLS, best first (RFC 7301); `nil`: it does not say.
    init(files: [String: String] = [:], only version: Version? = nil, protocols: String? = nil)
        throws
    {
        folder = Guardian.shared.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        try ChildProgram(
            Self.program,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=op.example.test",
                "-addext", "subjectAltName=DNS:op.example.test",
            ]
        ).waitUntilExit()
        guard let (socket, port) = RawSocket.listen(port: 0) else { throw POSIXError(.EADDRINUSE) }
        RawSocket.close(socket)
        self.port = port
        for (name, response) in files {
            try Data(response.utf8).write(to: folder.appending(path: name))
        }
        server = try ChildProgram(
            Self.program,
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate,
                files.isEmpty ? "-www" : "-HTTP", "-quiet",
            ] + (version?.arguments ?? []) + (protocols.map { ["-alpn", $0] } ?? []),
            folder: folder
        )
        for _ in 0..<500 {
            if let connection = RawSocket.connect(port: port) {
                RawSocket.close(connection)
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw POSIXError(.ETIMEDOUT)
    }

    deinit {
        // Waiting for it would hold one of the few threads that all tests share.
        server.signal(SIGKILL)
        // `try?`: what is left behind lies in the system's folder for such things.
        try? FileManager.default.removeItem(at: folder)
    }
}
