import Foundation
import PorticoMail
import Testing

@Suite("Mail to a command", .serialized)
struct SendmailCommandTests {
    /// A folder with a program in it, which is a line of shell.
    private final class Program {
        let folder: URL
        var path: String { folder.appending(path: "sendmail").path }

        init(_ line: String) throws {
            folder = FileManager.default.temporaryDirectory
                .appending(path: "portico mail \(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let text = "#!/bin/sh\ncd \"${0%/*}\"\n\(line)\n"
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }

        deinit {
            // `try?`: what is left behind lies in the system's folder for such things.
            try? FileManager.default.removeItem(at: folder)
        }

        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
        }
    }

    private func send(
        _ program: String,
        to: String = "ann@example.net",
        lines: [String] = ["text"],
        environment: [String: String] = [:],
        limit: Int = 20
    ) async throws -> DeliveryFailure? {
        let command = SendmailCommand(program, environment: environment, limit: limit)
        defer { Task { await command.shutDown() } }
        return await outcome(of: try sample(to: to, lines: lines), over: command)
    }

    @Test("The mail comes in, lines as the system has them, the recipient as the last argument")
    func handedOver() async throws {
        let program = try Program("cat > mail; for a in \"$@\"; do echo \"$a\"; done > arguments")
        #expect(try await send(program.path, to: "o'neil$HOME@example.net") == nil)
        #expect(
            try program.text("arguments")
                == "-i\n-f\nportico@example.com\n--\no'neil$HOME@example.net\n"
        )
        let expected = String(
            decoding: try sample(to: "o'neil$HOME@example.net", lines: ["text"]).bytes,
            as: UTF8.self
        )
        #expect(try program.text("mail") == expected.replacingOccurrences(of: "\r\n", with: "\n"))
    }

    @Test("It sees what mail programs need of the environment, and none of our open files")
    func surroundings() async throws {
        // As a listening socket of the server's: any program that is started would have it.
        let file = open("/dev/null", O_RDONLY)
        let inherited = fcntl(file, F_DUPFD, 200)
        defer {
            close(file)
            close(inherited)
        }
        try #require(inherited >= 200)
        let program = try Program("cat > /dev/null; env | sort > variables; ls /proc/$$/fd > files")
        let environment = ["HOME": "/home-of-nobody", "PORTICO_LISTEN": "x", "LD_PRELOAD": "y"]
        #expect(try await send(program.path, environment: environment) == nil)
        let variables = try program.text("variables")
        #expect(variables.contains("HOME=/home-of-nobody\n"))
        #expect(!variables.contains("PORTICO") && !variables.contains("LD_PRELOAD"))
        let files = try program.text("files").split(separator: "\n")
        #expect(files.starts(with: ["0", "1"]) && files.contains("2"))
        #expect(!files.contains("\(inherited)"))
    }

    @Test(
        "sysexits.h: statuses that are about the mail are final, others are not",
        arguments: [
            (65, true), (67, true), (68, true), (1, false), (64, false), (69, false), (75, false),
            (78, false), (127, false),
        ] as [(Int32, Bool)]
    )
    func status(status: Int32, isPermanent: Bool) async throws {
        let program = try Program("cat > /dev/null; echo secret >&2; exit \(status)")
        let failure = try #require(try await send(program.path))
        #expect(failure.reason == .commandFailed)
        #expect(failure.exitStatus == status)
        #expect(failure.isPermanent == isPermanent)
        #expect(failure.logText.contains("exit status \(status)"))
        #expect(!failure.logText.contains("secret"))
    }

    @Test("A command that hangs is killed with what it has started")
    func hanging() async throws {
        let program = try Program("sleep 600 & echo $! > child; wait")
        let failure = try #require(try await send(program.path, limit: 1))
        #expect(failure.reason == .timedOut)
        #expect(!failure.isPermanent)
        let child = try #require(Int32(try program.text("child").dropLast()))
        // Killed: gone, or a zombie that was not waited for.
        var state = ""
        for _ in 0..<500 {
            // `try?`: gone, it has no status.
            let status = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            state = status.flatMap { $0.components(separatedBy: ") ").last } ?? ""
            if state.isEmpty || state.hasPrefix("Z") || state.hasPrefix("X") { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(state.isEmpty || state.hasPrefix("Z") || state.hasPrefix("X"), "\(state)")
    }

    @Test("A command that does not read, or prints endlessly, does no harm")
    func hostile() async throws {
        let lines = Array(repeating: String(repeating: "a", count: 4000), count: 200)
        let deaf = try Program("exec 0<&-; exit 75")
        #expect(try await send(deaf.path, lines: lines)?.exitStatus == 75)
        let stopped = try Program("kill -9 $$")
        #expect(try await send(stopped.path, lines: lines)?.reason == .commandFailed)
        let loud = try Program(
            "cat > /dev/null; head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2"
        )
        #expect(try await send(loud.path, lines: lines) == nil)
        let slow = try Program("sleep 0.2; cat > mail")
        #expect(try await send(slow.path, lines: lines) == nil)
        #expect(try slow.text("mail").utf8.count > 800_000)
    }

    @Test("What cannot be started is told, and no name is looked for")
    func missing() async throws {
        for path in ["/nowhere/sendmail", "cat", "/tmp", ""] {
            #expect(try await send(path)?.reason == .notStarted, "\(path)")
        }
    }
}
