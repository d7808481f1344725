import Foundation
import PorticoProtocol
import PorticoTestSupport
import Testing

/// The built program, run as a person would run it, in a home of its own that goes with this object.
final class PorticoProcess: Sendable {
    let home: URL

    init() throws {
        home = Guardian.shared.folder
            .appending(path: "portico-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }

    deinit {
        // `try?`: what stays behind goes at the end of the run.
        try? FileManager.default.removeItem(at: home)
    }

    struct Outcome {
        let stdout: String
        let stderr: String
        let status: Int32

        var json: JSONObject {
            get throws { try JSONObject(parsing: Array(stdout.utf8.dropLast())) }
        }
    }

    /// Puts a file into the home.
    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: home.appending(path: path))
    }

    /// Runs a command that must not fail.
    ///
    /// - Returns: Its stdout.
    @discardableResult
    func done(
        _ arguments: [String],
        input: String = "",
        environment: [String: String] = [:],
        at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let outcome = try run(arguments, input: input, environment: environment)
        #expect(outcome.status == 0, "\(arguments): \(outcome.stderr)", sourceLocation: location)
        return outcome.stdout
    }

    @discardableResult
    func done(
        _ line: String,
        input: String = "",
        at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        try done(Scenario.words(line), input: input, at: location)
    }

    /// - Parameter line: Words, as a ``Scenario`` has them.
    func run(_ line: String, input: String = "", environment: [String: String] = [:]) throws
        -> Outcome
    {
        try run(Scenario.words(line), input: input, environment: environment)
    }

    func start(_ line: String) throws -> Running { try start(Scenario.words(line)) }

    /// Runs the program to its end, for a minute at most: one that serves where it should refuse
    /// fails the test and does not hang it.
    func run(
        _ arguments: [String],
        of name: String = "portico",
        input: String = "",
        environment: [String: String] = [:],
        longestFile: Int? = nil,
        output: String? = nil,
        mindsModes: Bool = false
    ) throws -> Outcome {
        let running = try start(
            arguments,
            of: name,
            input: input,
            environment: environment,
            longestFile: longestFile,
            output: output,
            mindsModes: mindsModes
        )
        let deadline = ContinuousClock.now + .seconds(60)
        while running.process.isRunning {
            guard ContinuousClock.now < deadline else {
                running.process.terminate()
                throw TimedOut()
            }
            usleep(2000)
        }
        return Outcome(
            stdout: running.stdout,
            stderr: running.stderr,
            status: running.process.waitUntilExit().status
        )
    }

    /// Starts the program and leaves it running.
    ///
    /// - Parameters:
    ///   - name: Of a program that is built with the tests.
    ///   - longestFile: In bytes; writing more fails, as on a disk that is full.
    ///   - openFiles: The soft and the hard limit, `512:1024`.
    ///   - output: A file that is there for stdout: `/dev/full`.
    ///   - mindsModes: Whether root has no more rights than the modes of files give; it takes
    ///     ``Self/mayMindModes``.
    ///   - hosts: What the program sees as `/etc/hosts`; it takes ``Self/mayChangeHosts``.
    func start(
        _ arguments: [String],
        of name: String = "portico",
        input: String = "",
        environment: [String: String] = [:],
        longestFile: Int? = nil,
        openFiles: String? = nil,
        output: String? = nil,
        mindsModes: Bool = false,
        hosts: String? = nil
    ) throws -> Running {
        let folder = home.appending(path: ".runs/\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = ["in", "out", "err"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        try Data(input.utf8).write(to: files[0])
        let handles = [
            try FileHandle(forReadingFrom: files[0]),
            try FileHandle(forWritingTo: output.map { URL(filePath: $0) } ?? files[1]),
            try FileHandle(forWritingTo: files[2]),
        ]
        defer { for handle in handles { try? handle.close() } }  // `try?`: then it is closed
        var command = [try Self.program(name).path] + arguments
        if let longestFile {
            let limited = ["/usr/bin/prlimit", "--fsize=\(longestFile)"]
            command = ["/usr/bin/env", "--ignore-signal=XFSZ"] + limited + command
        }
        if let openFiles { command = ["/usr/bin/prlimit", "--nofile=\(openFiles)"] + command }
        if mindsModes { command = Self.mindingModes + command }
        if let hosts {
            let file = folder.appending(path: "hosts")
            try Data(hosts.utf8).write(to: file)
            command = Self.withHosts(file.path) + command
        }
        let process = try ChildProgram(
            command[0],
            Array(command.dropFirst()),
            environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 },
            folder: home,
            input: handles[0].fileDescriptor,
            output: handles[1].fileDescriptor,
            errors: handles[2].fileDescriptor
        )
        Guardian.shared.watch(process)
        return Running(process, of: self, output: files[1], errors: files[2])
    }

    /// A program that is told to stop with this object, if it has not ended by then.
    final class Running: Sendable {
        let process: ChildProgram
        private let portico: PorticoProcess
        private let output: URL
        private let errors: URL

        fileprivate init(
            _ process: ChildProgram,
            of portico: PorticoProcess,
            output: URL,
            errors: URL
        ) {
            self.process = process
            self.portico = portico
            self.output = output
            self.errors = errors
        }

        deinit { process.terminate() }

        var stdout: String { Self.text(output) }
        var stderr: String { Self.text(errors) }

        /// Waits until the program has written what `pattern` matches.
        func wait(forOutput pattern: Regex<Substring>) async throws -> String {
            try await wait { stdout.firstMatch(of: pattern).map { String($0.output) } }
        }

        func wait(forErrors pattern: Regex<Substring>) async throws -> String {
            try await wait { stderr.firstMatch(of: pattern).map { String($0.output) } }
        }

        /// Waits until it has ended.
        func ended() async throws -> Int32 {
            try await wait { process.ended?.status }
        }

        private func wait<Value>(_ found: () -> Value?) async throws -> Value {
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                if let value = found() { return value }
                try await Task.sleep(for: .milliseconds(20))
            }
            Issue.record("the program did not do it in time:\n\(stdout)\n\(stderr)")
            throw TimedOut()
        }

        private static func text(_ file: URL) -> String {
            // `try?`: a file that cannot be read holds nothing that a test expects.
            (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        }
    }

    struct TimedOut: Error {}

    private static func withHosts(_ file: String) -> [String] {
        let script = #"mount --bind "$0" /etc/hosts && exec "$@""#
        return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, file]
    }

    private static let mindingModes = [
        "/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search",
    ]

    /// Whether a program can be given names of its own, which takes root.
    static var mayChangeHosts: Bool { succeeds(withHosts("/etc/hosts") + ["/bin/true"]) }

    /// Whether files can be given to others, and root kept out of them.
    static var mayMindModes: Bool { geteuid() == 0 && succeeds(mindingModes + ["/bin/true"]) }

    private static func succeeds(_ command: [String]) -> Bool {
        // `try?`: what cannot be started cannot change anything.
        let program = try? ChildProgram(
            command[0],
            Array(command.dropFirst()),
            environment: ["PATH": "/usr/bin:/bin"]
        )
        return program?.waitUntilExit().status == 0
    }

    /// It stands beside the tests.
    private static func program(_ name: String) throws -> URL {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: name)
        try #require(FileManager.default.isExecutableFile(atPath: program.path))
        return program
    }
}

@Suite("What tests leave behind")
struct GuardianTests {
    @Test("a program that a killed run has started is told to stop, and its folder goes")
    func ends() async throws {
        let sleep = URL(filePath: "/bin/sleep")
        let guardian = Guardian(of: sleep)
        let process = try ChildProgram(sleep.path, ["300"])
        guardian.watch(process)
        // Another program, whose number it might be by then.
        let input = Pipe()
        let other = try ChildProgram("/bin/cat", input: input.fileHandleForReading.fileDescriptor)
        guardian.watch(other)
        #expect(FileManager.default.fileExists(atPath: guardian.folder.path))
        #expect(process.isRunning)

        guardian.endNow()
        for _ in 0..<1000 where process.isRunning || isThere(guardian) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(!process.isRunning)
        #expect(!isThere(guardian))
        #expect(other.isRunning)
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
    }

    private func isThere(_ guardian: Guardian) -> Bool {
        FileManager.default.fileExists(atPath: guardian.folder.path)
    }
}
