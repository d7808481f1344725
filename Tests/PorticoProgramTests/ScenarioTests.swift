import Foundation
import Testing

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
