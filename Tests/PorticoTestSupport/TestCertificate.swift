import Foundation

/// A certificate of an unknown authority, made by `openssl`.
package final class TestCertificate: Sendable {
    private static let program = "/usr/bin/openssl"
    package static let isPossible = FileManager.default.isExecutableFile(atPath: program)

    /// The authority, for those who are to trust it.
    package let authority: String
    package let path: String
    package let keyPath: String
    private let folder: URL

    /// - Parameter names: As `DNS:localhost`, `IP:127.0.0.1`.
    package init(_ names: [String] = ["DNS:localhost"]) async throws {
        let folder = Guardian.shared.folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        authority = folder.appending(path: "authority.pem").path
        path = folder.appending(path: "certificate.pem").path
        keyPath = folder.appending(path: "key.pem").path
        let authorityKey = folder.appending(path: "authority-key.pem").path
        let new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await Self.run(
            ["req", "-x509"] + new + [
                "-keyout", authorityKey, "-out", authority, "-days", "2",
                "-subj", "/CN=Authority of a test",
                "-addext", "basicConstraints=critical,CA:TRUE",
            ]
        )
        try await Self.run(
            ["req", "-x509"] + new + [
                "-CA", authority, "-CAkey", authorityKey, "-keyout", keyPath, "-out", path,
                "-days", "2", "-subj", "/CN=Server of a test",
                "-addext", "basicConstraints=critical,CA:FALSE",
                "-addext", "subjectAltName=" + names.joined(separator: ","),
            ]
        )
    }

    deinit {
        // `try?`: what is left behind lies in a folder that goes at the end.
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) async throws {
        let end = try await ChildProgram(program, arguments).untilExit()
        guard end == .exited(0) else { throw POSIXError(.EINVAL) }
    }
}
