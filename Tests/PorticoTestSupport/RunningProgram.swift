package import Foundation
import PorticoBytes

/// The program, running as a process of its own.
package final class RunningProgram: Sendable {
    private let process: Locked<Process>
    private let output = Locked<[UInt8]>([])
    private let errors = Locked<[UInt8]>([])
    /// How many of its two pipes may bring more.
    private let openPipes = Locked(2)

    /// The executable that was built with the tests.
    package static let executable: URL = {
        let tests = URL(filePath: ProcessInfo.processInfo.arguments[0])
        let beside = tests.deletingLastPathComponent().appending(path: "portico")
        if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        return URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".build/debug/portico")
    }()

    package struct TimedOut: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// - Parameter environment: Added to ours.
    package init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        // Settings of whoever runs the tests are not the program's.
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PORTICO_") }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipes = [(Pipe(), output), (Pipe(), errors)]
        process.standardOutput = pipes[0].0
        process.standardError = pipes[1].0
        for (pipe, sink) in pipes {
            let openPipes = openPipes
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let bytes = handle.availableData
                guard !bytes.isEmpty else {
                    handle.readabilityHandler = nil
                    openPipes.withLock { $0 -= 1 }
                    return
                }
                sink.withLock { $0.append(contentsOf: bytes) }
            }
        }
        try process.run()
        Guardian.shared.watch(process)
        self.process = Locked(process)
    }

    deinit {
        process.withLock { if $0.isRunning { $0.terminate() } }
    }

    package var stdout: String { output.withLock { String(decoding: $0, as: UTF8.self) } }
    package var stderr: String { errors.withLock { String(decoding: $0, as: UTF8.self) } }
    package var isRunning: Bool { process.withLock { $0.isRunning } }
    package var processID: Int32 { process.withLock { $0.processIdentifier } }

    /// Waits until the standard error holds a match.
    package func match(_ pattern: String, within seconds: Double = 60) async throws -> [String] {
        let regex = try NSRegularExpression(pattern: pattern)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            // What a process wrote before its end may arrive after it.
            let isDone = !isRunning && openPipes.withLock { $0 == 0 }
            let text = stderr + stdout
            let range = NSRange(text.startIndex..., in: text)
            if let match = regex.firstMatch(in: text, range: range) {
                return (0..<match.numberOfRanges).map {
                    Range(match.range(at: $0), in: text).map { String(text[$0]) } ?? ""
                }
            }
            if isDone { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TimedOut(description: "no \(pattern) in:\n\(stderr)\n\(stdout)")
    }

    /// Waits for the end, and returns the exit status.
    package func end(within seconds: Double = 60) async throws -> Int32 {
        let end = ContinuousClock.now + .seconds(seconds)
        while isRunning {
            guard ContinuousClock.now < end else {
                throw TimedOut(description: "still running:\n\(stderr)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        // What is still in the pipes; not for ever, because a program that it started may hold them.
        for _ in 0..<250 where openPipes.withLock({ $0 > 0 }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        return process.withLock { $0.terminationStatus }
    }

    package func terminate() {
        process.withLock { if $0.isRunning { $0.terminate() } }
    }

    /// Runs a command to its end.
    package static func run(_ arguments: [String], environment: [String: String] = [:])
        async throws -> (status: Int32, stdout: String, stderr: String)
    {
        let program = try RunningProgram(arguments, environment: environment)
        let status = try await program.end()
        return (status, program.stdout, program.stderr)
    }
}
