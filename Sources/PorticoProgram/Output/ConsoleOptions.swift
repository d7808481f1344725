import ArgumentParser
import PorticoSystem

struct ConsoleOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print errors only.") var quiet = false

    @Flag(help: "Do not use colours.") var noColor = false

    @Flag(help: "Never ask; fail if an answer is needed.") var noInput = false

    var console: Console {
        Console(
            isQuiet: quiet,
            noColour: noColor,
            noInput: noInput,
            environment: ProcessInfo.processInfo.environment
        )
    }
}

struct ReadOptions: ParsableArguments {
    @Flag(help: "Write JSON; fields are added, never removed.") var json = false

    @Flag(help: "Write rows with tabs between the fields, without a header.")
    var plain = false

    func validate() throws {
        guard !json || !plain else {
            throw ValidationError("Use --json or --plain, not both.")
        }
    }
}

struct ListOptions: ParsableArguments {
    @Option(help: .value("count", "Show at most this many.")) var limit = 100

    @Option(help: "Continue where an earlier list ended.") var cursor: String?

    @Option(help: .value("text", "Show only items that contain this text."))
    var filter: String?

    var isPart: Bool { cursor != nil || filter != nil }

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit must be a number from 1 to 10000.")
        }
    }
}

struct ChangeOptions: ParsableArguments {
    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, without doing it.")
    var dryRun = false
}

extension ArgumentHelp {
    /// - Parameter name: What stands for the value in `--help`: `--limit <count>`.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name)
    }
}

struct RealmOptions: ParsableArguments {
    @Option(help: .value("name", "The realm; optional if there is only one."))
    var realm: String?
}

struct RealmListOptions: ParsableArguments {
    @OptionGroup var realm: RealmOptions
    @OptionGroup var list: ListOptions
}

/// The name of what to delete is confirmed: typed at the prompt, or given as an option by a script.
struct ConfirmationOptions: ParsableArguments {
    @Option(help: .value("name", "The name of what to delete, as confirmation.")) var confirm:
        String?

    /// - Throws: where the name was not confirmed. Nothing was done then.
    func check(_ name: String, warning: String, _ console: Console) throws(Failure) {
        if let confirm {
            guard confirm == name else {
                throw Failure(
                    .confirmationMissing,
                    "--confirm names \"\(printable(confirm))\", not \"\(printable(name))\".",
                    "Nothing was deleted."
                )
            }
            return
        }
        guard console.mayAsk else {
            throw Failure(
                .confirmationMissing,
                warning,
                "Nothing was deleted. To go on, add: --confirm \(shellWord(name))"
            )
        }
        console.warn(warning)
        console.ask("Type \(printable(name)) to go on: ")
        guard readLine() == name else {
            throw Failure(.confirmationMissing, "That is a different name.", "Nothing was deleted.")
        }
    }
}
