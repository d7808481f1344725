import Foundation
import PorticoTestSupport

/// `openssl s_server` with a certificate that nobody trusts, for `op.example.test`.
final class TLSServer {
    static let program = "/usr/bin/openssl"
    static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    let port: UInt16
    let certificate: String
    private let folder: URL
    private let server = Process()

    /// - Parameter files: Whole HTTP responses by the path that asks for them. Without any, a page.
    init(files: [String: String] = [:]) throws {
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
            "s_server", "-accept", "127.0.0.1:\(port)", "-key", key, "-cert", certificate,
            files.isEmpty ? "-www" : "-HTTP", "-quiet",
        ]
        for (name, response) in files {
            try Data(response.utf8).write(to: folder.appending(path: name))
        }
        server.currentDirectoryURL = folder
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
