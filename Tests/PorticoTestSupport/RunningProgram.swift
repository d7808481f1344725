package import Foundation
import PorticoBytes

/// The program, running as a process of its own.
package final class RunningProgram: Sendable {
    private let child: ChildProgram
    private let output: ChildOutput
    private let errors: ChildOutput

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
        var child: ChildProgram?
        var errors: ChildOutput?
        output = try ChildOutput { output in
            errors = try ChildOutput { errors in
                child = try ChildProgram(
                    Self.executable.path,
                    arguments,
                    // The settings of the person who runs the tests are not the program's.
                    environment: ProcessInfo.processInfo.environment
                        .filter { !$0.key.hasPrefix("PORTICO_") }.merging(environment) { $1 },
                    output: output,
                    errors: errors
                )
            }
        }
        guard let child, let errors else { throw POSIXError(.ENOENT) }
        self.child = child
        self.errors = errors
        Guardian.shared.watch(child)
    }

    deinit {
        child.terminate()
    }

    package var stdout: String { output.text }
    package var stderr: String { errors.text }
    /// The end of what it said; after a crash, from where that is told: what failed stands first there.
    package var lastWords: Substring {
        let text = stderr
        guard let crash = text.range(of: "Program crashed") else { return text.suffix(8192) }
        return text[crash.lowerBound...].prefix(8192)
    }
    package var isRunning: Bool { child.isRunning }
    package var processID: Int32 { child.id }

    /// Waits until the standard error holds a match.
    package func match(_ pattern: String, within seconds: Double = 60) async throws -> [String] {
        let regex = try NSRegularExpression(pattern: pattern)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            // What a process wrote before its end may arrive after it.
            let isDone = !isRunning && !output.isOpen && !errors.isOpen
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
        while child.isRunning {
            guard ContinuousClock.now < end else {
                throw TimedOut(description: "still running:\n\(stderr)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        // What is still in the pipes; not for ever, because a program that it started may hold them.
        for _ in 0..<250 where output.isOpen || errors.isOpen {
            try await Task.sleep(for: .milliseconds(20))
        }
        return child.waitUntilExit().status
    }

    package func terminate() {
        child.terminate()
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
