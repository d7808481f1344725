import ArgumentParser
import Portico

/// `portico token`
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a fresh access token, or decode one.",
        subcommands: [Print.self, Inspect.self],
        defaultSubcommand: Print.self
    )

    struct Print: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a fresh access token, and nothing else, on stdout.",
            discussion: """
                The same as portico token alone. The token is refreshed first where it would expire \
                too soon. For example:
                  curl -H "Authorization: Bearer $(portico token)" https://api.example.com/
                """
        )

        @Option(
            name: .customLong("min-ttl"),
            help: .value(
                "time",
                "How long it must still be valid, such as 10m. Otherwise 60s, or half of its life."
            )
        )
        var minimum: DurationText?

        @OptionGroup var session: SessionOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await session.withSession { session, _, _ in
                console.data(
                    try await session.token(validFor: minimum.map { .seconds($0.seconds) })
                )
            }
        }
    }
}
