import ArgumentParser
import Foundation
import Testing

@testable import PorticoProgram

@Suite("What the documents say of the command line")
struct CommandDocumentTests {
    // MARK: Settings

    @Test("every setting has its line in docs/configuration.md, and no other has")
    func settings() throws {
        let rows = Setting.all.map { setting in
            let description = setting.help + (setting.more.isEmpty ? "" : " \(setting.more)")
            return [
                "`\(setting.key)`", "`\(setting.variable)`", "`--\(setting.option)`", description,
                setting.standard,
            ]
        }
        let table = rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
        let documented = try Markdown("docs/configuration.md").rows(below: "## Settings")
        #expect(documented == rows, "The rows should be:\n\n\(table)\n")
    }

    @Test("every setting is an option of serve")
    func options() {
        let help = Program.helpMessage(for: ServeCommand.self, columns: 200)
        for setting in Setting.all {
            #expect(help.contains("--\(setting.option) "), "\(setting.key)")
        }
    }

    @Test("every default passes the check of its setting, and is shown as it is documented")
    func defaults() {
        for setting in Setting.all where setting.key != "data-directory" {
            var settings = Settings(dataDirectory: "")
            let shown = setting.texts(settings)
            guard !shown.isEmpty else { continue }
            #expect(setting.set(shown, &settings), "\(setting.key)")
            #expect(setting.texts(settings) == shown, "\(setting.key)")
            #expect(setting.standard == "`\(shown.joined())`", "\(setting.key)")
        }
    }

    @Test("every variable and every key of a settings file that a document names is one")
    func names() throws {
        let variables = Set(
            Setting.all.map(\.variable) + ["PORTICO_CONFIG"] + FirstAdministrator.own
        )
        let scripts = Project.scripts.values.joined(separator: "\n")
        let tests = Project.tests.values.joined(separator: "\n")
        let keys = Set(Setting.all.map(\.key))
        for document in try Markdown.all() {
            for match in document.text.matches(of: /\b(?:PORTICO|TEST)_[A-Z_]*[A-Z]/) {
                let isKnown =
                    variables.contains(String(match.0)) || scripts.contains(match.0)
                    || tests.contains("environment[\"\(match.0)\"]")
                #expect(isKnown, "\(document.path): \(match.0)")
            }
            for block in document.blocks where block.language == "yaml" {
                var parent = ""
                for line in block.lines {
                    guard let match = line.firstMatch(of: /^( *)([\w-]+):(.*)$/) else { continue }
                    let key = match.1.isEmpty ? String(match.2) : "\(parent).\(match.2)"
                    if match.3.isEmpty {
                        parent = key
                    } else {
                        #expect(keys.contains(key), "\(key)")
                    }
                }
            }
        }
    }

    // MARK: Commands

    private static func command(_ words: [String]) -> (any ParsableCommand.Type)? {
        words.reduce(Program.self) { command, word in
            command?.configuration.subcommands.first { $0._commandName == word }
        }
    }

    @Test("every command that a document shows is there, with the options it shows")
    func commands() throws {
        var count = 0
        for document in try Markdown.all() {
            for line in document.commands {
                // `portico` may stand within a line: `curl … "$(portico token)"`.
                for match in line.matches(of: /(?:^|[ (\/])portico ([a-z-][^`$)|>]*)/) {
                    let words = match.1.split(separator: " ").map(String.init)
                    let names = words.prefix {
                        $0.wholeMatch(of: /[a-z-]+/) != nil && $0.first != "-"
                    }
                    // The arguments of a command look like its subcommands.
                    let known = (1...max(1, names.count)).reversed()
                        .map { Array(names.prefix($0)) }.first { Self.command($0) != nil }
                    let place = "\(document.path): \(line)"
                    guard let known, let command = Self.command(known) else {
                        #expect(match.1.first == "-", "\(place)")
                        continue
                    }
                    count += 1
                    let help = Program.helpMessage(for: command, includeHidden: true, columns: 200)
                    for option in words.compactMap({ $0.firstMatch(of: /^--?[a-z][a-z-]*/)?.0 }) {
                        #expect(help.contains(option), "\(place)")
                    }
                    // A word that is neither a subcommand nor an argument is a mistake.
                    let rest = words.dropFirst(known.count).prefix { $0.first != "-" }
                    let isFull = !rest.isEmpty && command.configuration.subcommands.count > 0
                    let hasDefault = command.configuration.defaultSubcommand != nil
                    #expect(!isFull || hasDefault || rest.first == "…", "\(place)")
                }
            }
        }
        #expect(count > 20)
    }

    @Test("a data folder in a home that a document names is the default one, or that of a demo")
    func folders() throws {
        let setting = try #require(Setting.all.first { $0.key == "data-directory" })
        let own = setting.standard.replacing("`", with: "")
            .replacing("$XDG_DATA_HOME", with: "~/.local/share")
        var count = 0
        for document in try Markdown.all() {
            for match in document.text.matches(of: /--data-directory (~\S+)/) {
                count += 1
                #expect([own, own + "/demo"].contains(String(match.1)), "\(document.path)")
            }
        }
        #expect(count > 0)
    }

    @Test("every option that a document names belongs to a command or a script")
    func flags() throws {
        let scripts = Project.scripts.values.joined(separator: "\n")
        let help = Self.all(below: Program.self)
            .map { Program.helpMessage(for: $0, includeHidden: true, columns: 200) }.joined()
        let products = try ClientProduct.all()
            .flatMap { $0.configuration.flatMap { [$0.place, $0.text] } + $0.notes + $0.ran }
            .joined()
        for document in try Markdown.all() {
            for match in document.text.matches(of: /(?:^|[\s`(])(--[a-z][a-z-]+)/) {
                let isKnown = help.contains(match.1) || scripts.contains(match.1)
                // Products have options of their own.
                let isForeign =
                    document.path == "docs/clients.md" && products.contains(match.1)
                    // Of Keycloak's own `kc.sh export`.
                    || document.path == "docs/migrating-from-keycloak.md"
                        && ["--file", "--users"].contains(match.1)
                #expect(isKnown || isForeign, "\(document.path): \(match.1)")
            }
        }
    }

    private static func all(below command: any ParsableCommand.Type)
        -> [any ParsableCommand.Type]
    {
        [command] + command.configuration.subcommands.flatMap(all(below:))
    }

    // MARK: Scripts

    @Test("every target of make and every script that a document names is there")
    func scripts() throws {
        let makefile = try Project.text("Makefile")
        for document in try Markdown.all() {
            for line in document.commands {
                if let match = line.wholeMatch(of: /make ([a-z]+)/) {
                    let isThere = makefile.contains(
                        try Regex("(?m)^([a-z]+ )*\(match.1)( [a-z]+)*:")
                    )
                    #expect(isThere, "\(document.path): \(line)")
                }
                if let match = line.firstMatch(of: /^(scripts\/[a-z-]+)(?: (.*))?$/),
                    match.1 != "scripts/mutations"
                {
                    let path = String(match.1)
                    try #require(Project.exists(path), "\(document.path): \(line)")
                    let folder = ["kill-nine", "power-cut"].contains { path.hasSuffix($0) }
                    let text =
                        try Project.text(path)
                        + (folder
                            ? Project.scripts.filter { $0.key.contains("PowerCut") }.values.joined()
                            : "")
                    let flags = (match.2 ?? "").matches(of: /--[a-z-]+/).map(\.0)
                    for flag in flags where flag != "--filter" {
                        #expect(text.contains(flag), "\(document.path): \(line)")
                    }
                }
            }
        }
    }

    @Test("CONTRIBUTING tells of every script that is not called by another one")
    func everyScript() throws {
        let documents = try Markdown("CONTRIBUTING.md").text
        for path in Project.files(below: "scripts", ending: "") where !path.contains("mutations") {
            let name = path.dropFirst("scripts/".count)
            let isCalled = Project.scripts.contains { $0.key != path && $0.value.contains(path) }
            let isTold = documents.contains(path) || documents.contains("make \(name)")
            #expect(isTold || isCalled, "\(path)")
        }
    }
}
