import Foundation
import Testing

/// A walk along the command line, as text.
///
/// ```
/// # A sentence about what follows.
/// = portico.yaml
/// | listen: 127.0.0.1:9000          a file of that name, made before
/// $ NAME=value portico config show  a command, run in a fresh home; earlier lines still hold
/// < text                            its input
/// text                              a line of stdout
/// ! text                            a line of stderr
/// [2]                               the exit code, where it is not 0
/// ```
///
/// `…` stands for anything within a line, and a line of `…` alone for any number of lines.
struct Scenario: CustomTestStringConvertible {
    let name: String
    let steps: [Step]

    enum Step {
        case file(name: String, text: String)
        case command(Command)
    }

    struct Command {
        let line: Int
        let environment: [String: String]
        let arguments: [String]
        var input = ""
        var stdout: [String] = []
        var stderr: [String] = []
        var status: Int32 = 0
    }

    var testDescription: String { name }

    static let all: [Scenario] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Scenarios"
        )
        // `try?`: where there are none, a test says so.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.sorted().compactMap { file in
            let text = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
            return text.map { Scenario(name: file, text: $0) }
        }
    }()

    init(name: String, text: String) {
        self.name = name
        var steps: [Step] = []
        var command: Command?
        var file: (name: String, text: String)?
        func finish() {
            if let command { steps.append(.command(command)) }
            if let file { steps.append(.file(name: file.name, text: file.text)) }
            command = nil
            file = nil
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let rest = String(line.dropFirst(2))
            if line.hasPrefix("$ ") {
                finish()
                command = Self.command(rest, line: index + 1)
            } else if line.hasPrefix("= ") {
                finish()
                file = (rest, "")
            } else if line.hasPrefix("| ") || line == "|" {
                file?.text += rest + "\n"
            } else if line.hasPrefix("# ") {
                continue
            } else if line.hasPrefix("< ") {
                command?.input += rest + "\n"
            } else if line.hasPrefix("! ") {
                command?.stderr.append(rest)
            } else if line.hasPrefix("["), line.hasSuffix("]"),
                let status = Int32(line.dropFirst().dropLast())
            {
                command?.status = status
            } else if !line.isEmpty {
                command?.stdout.append(String(line))
            }
        }
        finish()
        self.steps = steps
    }

    /// Words are separated by spaces; those in single quotes are one.
    static func words(_ text: String) -> [String] {
        var words: [String] = []
        for (index, part) in text.split(separator: "'", omittingEmptySubsequences: false)
            .enumerated()
        {
            if index.isMultiple(of: 2) {
                words += part.split(separator: " ").map(String.init)
            } else {
                words.append(String(part))
            }
        }
        return words
    }

    private static func command(_ text: String, line: Int) -> Command {
        var words = words(text)
        var environment: [String: String] = [:]
        while let word = words.first, word != "portico", let equals = word.firstIndex(of: "=") {
            environment[String(word[..<equals])] = String(word[word.index(after: equals)...])
            words.removeFirst()
        }
        return Command(line: line, environment: environment, arguments: Array(words.dropFirst()))
    }
}

/// Whether lines are what a scenario expects.
func matches(_ lines: [String], _ expected: [String]) -> Bool {
    guard let first = expected.first else { return lines.isEmpty }
    if first == "…" {
        return (0...lines.count).contains {
            matches(Array(lines[$0...]), Array(expected.dropFirst()))
        }
    }
    guard let line = lines.first,
        matches(line[...], first.split(separator: "…", omittingEmptySubsequences: false))
    else { return false }
    return matches(Array(lines.dropFirst()), Array(expected.dropFirst()))
}

/// Whether a line consists of `parts` with anything between.
private func matches(_ line: Substring, _ parts: [Substring]) -> Bool {
    guard let first = parts.first, line.hasPrefix(first) else { return false }
    guard parts.count > 1 else { return line.count == first.count }
    var rest = line.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
}

@Suite("Commands")
struct ScenarioTests {
    @Test(
        "a command writes what its scenario says, and ends with that code",
        arguments: Scenario.all
    )
    func runs(scenario: Scenario) throws {
        let portico = try PorticoProcess()
        for step in scenario.steps {
            switch step {
            case .file(let name, let text):
                let file = portico.home.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            case .command(let command): try expect(command, portico, scenario)
            }
        }
    }

    private func expect(
        _ command: Scenario.Command,
        _ portico: PorticoProcess,
        _ scenario: Scenario
    )
        throws
    {
        let outcome = try portico.run(
            command.arguments,
            input: command.input,
            environment: command.environment
        )
        let place =
            "\(scenario.name):\(command.line) portico \(command.arguments.joined(separator: " "))"
        let stdout = lines(outcome.stdout)
        let stderr = lines(outcome.stderr)
        if !matches(stdout, command.stdout) {
            Issue.record(
                "\(place)\nstdout is:\n\(outcome.stdout)\nexpected:\n\(text(command.stdout))"
            )
        }
        if !matches(stderr, command.stderr) {
            Issue.record(
                "\(place)\nstderr is:\n\(outcome.stderr)\nexpected:\n\(text(command.stderr))"
            )
        }
        if outcome.status != command.status {
            Issue.record(
                "\(place)\nexit code \(outcome.status), expected \(command.status)\n\(outcome.stderr)"
            )
        }
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    private func text(_ lines: [String]) -> String {
        lines.joined(separator: "\n")
    }

    @Test("there are scenarios")
    func present() {
        #expect(Scenario.all.count >= 8)
    }
}
