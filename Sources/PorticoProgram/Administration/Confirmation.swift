import ArgumentParser

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
