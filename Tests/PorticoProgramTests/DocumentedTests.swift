import ArgumentParser
import Foundation
import Testing

@testable import PorticoProgram

@Suite("What the documents say of the command line")
struct DocumentedTests {
    private func document(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/\(name)"), encoding: .utf8)
    }

    @Test("every setting has its line in docs/configuration.md, and no other has")
    func settings() throws {
        let text = try document("configuration.md")
        let lines = text.split(separator: "\n").filter { $0.contains("| `PORTICO_") }
        #expect(lines.count == Setting.all.count)
        for (line, setting) in zip(lines, Setting.all) {
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            try #require(cells.count == 5, "\(line)")
            #expect(cells[0] == setting.key)
            #expect(cells[1] == setting.variable)
            #expect(cells[2] == "--\(setting.option)")
            #expect(cells[4].replacing("`", with: "") == setting.standard, "\(setting.key)")
        }
    }

    @Test("every setting is an option of serve")
    func options() {
        let help = Program.helpMessage(for: ServeCommand.self, columns: 200)
        for setting in Setting.all {
            #expect(help.contains("--\(setting.option) "), "\(setting.key)")
        }
    }

    @Test("every problem has its row in docs/errors.md, with its exit code")
    func problems() throws {
        let text = try document("errors.md")
        for problem in Problem.allCases {
            let row = "| `\(problem.rawValue)` | \(problem.exitStatus.rawValue) |"
            #expect(text.contains(row), "\(row)")
        }
        for status in ExitStatus.allCases {
            #expect(text.contains("\n| \(status.rawValue) | "))
        }
    }

    @Test("the defaults that are documented are those that hold")
    func defaults() {
        let settings = Settings(dataDirectory: "")
        for setting in Setting.all where setting.key != "data-directory" {
            let shown = setting.show(settings)
            if !shown.isEmpty { #expect(shown == [setting.standard], "\(setting.key)") }
        }
    }
}
