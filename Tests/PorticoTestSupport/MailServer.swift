import Foundation
import PorticoBytes

/// aiosmtpd, a mail server that is not ours, on a loopback port of its own.
package final class MailServer: Sendable {
    /// The Python that has it, as `scripts/smtpd` says.
    private static let python = ProcessInfo.processInfo.environment["TEST_SMTPD"] ?? ""
    package static let isPossible = FileManager.default.isExecutableFile(atPath: python)

    package enum Security: String, Sendable {
        case none
        case starttls
        case implicit
    }

    package let port: UInt16
    private let input: Locked<FileHandle>
    private let output: ChildOutput

    /// - Parameter certificate: Needed but for `.none`.
    package init(
        _ security: Security = .none,
        certificate: TestCertificate? = nil,
        user: String? = nil,
        password: String? = nil
    ) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Peers/mail_server.py")
        var arguments = [script.path, "--tls", security.rawValue]
        if let certificate {
            arguments += ["--certificate", certificate.path, "--key", certificate.keyPath]
        }
        if let user, let password { arguments += ["--user", user, "--password", password] }
        let input = Pipe()
        output = try ChildOutput { output in
            _ = try ChildProgram(
                Self.python,
                arguments,
                input: input.fileHandleForReading.fileDescriptor,
                output: output
            )
        }
        try input.fileHandleForReading.close()
        self.input = Locked(input.fileHandleForWriting)
        let first = try await Self.line(0, of: output)
        port = UInt16(clamping: first["port"] as? Int ?? 0)
    }

    deinit {
        // It ends with its input. `try?`: closed before, it is closed.
        input.withLock { try? $0.close() }
    }

    /// What has come so far.
    package var count: Int {
        max(0, output.bytes.count { $0 == 0x0A } - 1)
    }

    /// A mail by its place in the order in which they came. Waits for it.
    package func mail(_ index: Int = 0, within seconds: Double = 30) async throws -> ReceivedMail {
        ReceivedMail(try await Self.line(index + 1, of: output, within: seconds))
    }

    private static func line(
        _ index: Int,
        of output: ChildOutput,
        within seconds: Double = 30
    ) async throws -> [String: Any] {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let lines = output.bytes
                .split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
            // The last one has no end yet.
            if lines.count > index + 1 {
                let object = try JSONSerialization.jsonObject(with: Data(lines[index]))
                return object as? [String: Any] ?? [:]
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RunningProgram.TimedOut(description: "no mail \(index)")
    }
}

/// A mail as Python's parser reads it.
package struct ReceivedMail: Sendable {
    package let from: String
    package let to: [String]
    /// Who signed in.
    package let user: String
    package let isEncrypted: Bool
    /// Decoded, names in lower case.
    package let headers: [String: String]
    package let text: String
    package let html: String
    package let source: String
    /// What the parser finds wrong.
    package let defects: [String]

    fileprivate init(_ line: [String: Any]) {
        from = line["from"] as? String ?? ""
        to = line["to"] as? [String] ?? []
        user = line["user"] as? String ?? ""
        isEncrypted = line["encrypted"] as? Bool ?? false
        let pairs = (line["headers"] as? [[String]] ?? []).filter { $0.count == 2 }
        headers = Dictionary(pairs.map { ($0[0].lowercased(), $0[1]) }) { "\($0)\n\($1)" }
        text = line["text"] as? String ?? ""
        html = line["html"] as? String ?? ""
        source = line["source"] as? String ?? ""
        defects = line["defects"] as? [String] ?? []
    }
}
