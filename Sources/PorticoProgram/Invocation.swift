import ArgumentParser
import PorticoBytes
import PorticoSystem

/// One call of the program: parses, runs, and says how it went.
struct Invocation {
    let arguments: [String]

    func run() async -> ExitStatus {
        do {
            var command = try Program.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .ok
        } catch {
            return report(error)
        }
    }

    /// Never so few that a line of an example is wrapped.
    private static var columns: Int { max(80, Table.terminalWidth ?? 80) }

    private func report(_ error: any Error) -> ExitStatus {
        if let failure = Failure(translating: error) {
            console.report(failure)
            return failure.exitStatus
        }
        switch Program.exitCode(for: error) {
        case .success where CommandPath(helped).unknown != nil:
            // The library would show the help of what is there.
            let failure = unknownCommand(CommandPath(helped))
            console.report(failure)
            return failure.problem.exitStatus
        case .success:
            // Help and version were asked for: they are the data.
            do throws(Failure) {
                try console.data(Program.fullMessage(for: error, columns: Self.columns))
                return .ok
            } catch {
                console.report(error)
                return error.exitStatus
            }
        case .validationFailure:
            let failure = usage(Program.message(for: error))
            console.report(failure)
            return failure.problem.exitStatus
        default:
            console.report(
                Failure(.unexpected, "Something unexpected happened.", printable("\(error)"))
            )
            return .failed
        }
    }

    private func usage(_ message: String) -> Failure {
        let place = CommandPath(arguments)
        let help = (["portico"] + place.names + ["--help"]).joined(separator: " ")
        let isCommandLate = arguments.contains { !$0.hasPrefix("-") }
        if arguments.first?.hasPrefix("-") == true, isCommandLate {
            // The value of an option would be taken for a command.
            return Failure(.usage, "Options come after the command.", "See: \(help)")
        }
        guard place.unknown == nil else { return unknownCommand(place) }
        // For people who look for the option: others can read what is on a command line.
        let isSecret = ["password", "secret"].contains { message.contains("option '--\($0)'") }
        return Failure(
            .usage,
            printable(withoutTokens(Self.inOneLine(Self.likely(message)), at: place)),
            advice: (isSecret
                ? ["A secret is never an argument: it comes from a file, or stdin."] : [])
                + (message.contains("is invalid for") && message.contains(" <time>'")
                    ? ["Expected: a time such as 90s, 3m, 12h or 30d."] : [])
                + ["See: \(help)"]
        )
    }

    /// Values that the parser lists below each other.
    private static func inOneLine(_ message: String) -> String {
        let lines = message.split(separator: "\n").map { String($0).trimmingBlanks }
        guard lines.count > 1 else { return message }
        let values = lines.dropFirst().map { $0.dropping("- ").map { String($0) } ?? $0 }
        return lines[0] + " " + values.joined(separator: ", ")
    }

    /// Without a suggestion that is far from what was typed: the parser names the nearest of all options.
    private static func likely(_ message: String) -> String {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[2] == ". Did you mean ",
            Suggestion.nearest(
                to: String(parts[1].drop { $0 == "-" }),
                among: [String(parts[3].drop { $0 == "-" })]
            ) == nil
        else { return message }
        return "\(parts[0])'\(parts[1])'"
    }

    /// A parser's message, without what may be a token: whatever is one by its form, and below
    /// `portico token` every long word.
    private func withoutTokens(_ message: String, at place: CommandPath) -> String {
        let isAboutTokens = place.names.first == "token"
        let words = arguments.flatMap { argument in
            // A value may stand in one word with its option, or a token be taken for the option.
            argument.hasPrefix("-")
                ? argument.drop { $0 == "-" }.split(separator: "=", maxSplits: 1)
                    .filter { !$0.utf8.allSatisfy(Self.isOfOptionName) } : [argument[...]]
        }
        return
            words
            .filter { isAboutTokens && $0.utf8.count >= 16 || TokenForm.isToken($0) }
            .reduce(message) { $0.replacing($1, with: "…") }
    }

    private static func isOfOptionName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
    }

    private func unknownCommand(_ place: CommandPath) -> Failure {
        let unknown = place.unknown ?? ""
        let longest = place.names.first == "token" ? 15 : 31
        guard unknown.utf8.count <= longest, !TokenForm.isToken(unknown) else {
            let command = (["portico"] + place.names).joined(separator: " ")
            return Failure(
                .usage,
                "There is no such command below \"\(command)\".",
                "See: \(command) --help"
            )
        }
        let nearest = Suggestion.nearest(to: unknown, among: place.candidates)
        let command = (["portico"] + place.names).joined(separator: " ")
        return Failure(
            .usage,
            "There is no command \"\(command) \(printable(unknown))\".",
            advice: (nearest.map { ["Did you mean \"\(command) \($0)\"?"] } ?? [])
                + ["See: \(command) --help"]
        )
    }

    /// What `portico help …` is asked about; nothing where it is another command.
    private var helped: [String] {
        arguments.first == "help" ? Array(arguments.dropFirst()) : []
    }

    /// The options are not parsed yet, or could not be.
    private var console: Console {
        Console(
            isQuiet: false,
            noColour: arguments.contains("--no-color"),
            noInput: true,
            environment: ProcessInfo.processInfo.environment
        )
    }
}

/// How far down the tree of commands some arguments lead.
struct CommandPath {
    /// The commands that are there, from the first below the root.
    private(set) var names: [String] = []
    /// The first word that should have been a command and is none.
    private(set) var unknown: String?
    private(set) var candidates: [String] = []

    init(_ arguments: [String]) {
        var commands = Program.configuration.subcommands
        var hasDefault = false
        for argument in arguments {
            guard !commands.isEmpty else { return }
            guard !argument.hasPrefix("-") else {
                // It is an option of the command that needs no name, and a value may follow.
                if hasDefault { return }
                continue
            }
            guard let command = commands.first(where: { $0._commandName == argument }) else {
                if argument != "help" { unknown = argument }
                candidates = commands.map { $0._commandName } + (names.isEmpty ? ["help"] : [])
                return
            }
            names.append(argument)
            commands = command.configuration.subcommands
            hasDefault = command.configuration.defaultSubcommand != nil
        }
    }
}

/// Tells by its form whether a word of a command line is a token: other users can read command
/// lines, and logs must not repeat it.
enum TokenForm {
    /// Whether `text` is what a JWS or JWE looks like (RFC 7515 §7.1, RFC 7516 §7.1): three or five parts
    /// in base64url, the first of them a JSON object. No file is called that by chance.
    static func isToken(_ text: some StringProtocol) -> Bool {
        var parts = 1
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                parts += 1
            } else if !isBase64URL(byte) {
                return false
            }
        }
        return (parts == 3 || parts == 5) && isBrace(text.utf8.prefix(2))
    }

    /// Whether the first octet that these characters encode is `{`.
    private static func isBrace(_ characters: some Sequence<UInt8>) -> Bool {
        var characters = characters.makeIterator()
        guard characters.next() == UInt8(ascii: "e"), let second = characters.next() else {
            return false
        }
        return UInt8(ascii: "w")...UInt8(ascii: "z") ~= second
            || second.isDigit || second == UInt8(ascii: "-") || second == UInt8(ascii: "_")
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-_".utf8.contains(byte)
    }
}

enum Suggestion {
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        if word.count > 1, let whole = candidates.first(where: { $0.hasPrefix(word) }) {
            return whole
        }
        let word = Array(word.lowercased().unicodeScalars.prefix(64))
        let ranked = candidates.map { candidate in
            (candidate, distance(word, Array(candidate.lowercased().unicodeScalars)))
        }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        // One typo in a short word, a third of the letters of a long one.
        return best.1 <= max(1, (word.count + 1) / 3) ? best.0 : nil
    }

    /// How many letters must be added, removed, replaced or swapped with their neighbour
    /// (optimal string alignment).
    static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var previous = Array(0...other.count)
        for row in one.indices {
            var current = [row + 1]
            for column in other.indices {
                let isSame = one[row] == other[column]
                var best = min(
                    previous[column] + (isSame ? 0 : 1),
                    previous[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, one[row] == other[column - 1],
                    one[row - 1] == other[column]
                {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, previous) = (previous, current)
        }
        return previous[other.count]
    }
}
