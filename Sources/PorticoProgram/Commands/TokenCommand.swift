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
                "How long it must still be valid, such as 10m or 4m30s. Otherwise 60s, or half of its life."
            )
        )
        var minimum: DurationText?

        @OptionGroup var session: SessionOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await session.withSession { session, _, _ in
                try console.data(try await token(of: session))
            }
        }

        private func token(of session: Session) async throws -> String {
            do throws(SignInError) {
                return try await session.token(validFor: minimum.map { .seconds($0.seconds) })
            } catch {
                guard error.kind == .misconfigured(.tokenLifeTooShort),
                    let life = session.accessTokenLife.flatMap({ Int64(exactly: $0.rounded(.down)) }
                    )
                else { throw error }
                // One that is just issued has lost a moment by the time it is here.
                throw Failure(
                    .misconfigured,
                    error.description,
                    "Ask for less than \(DurationText(seconds: max(1, life)).text): --min-ttl"
                )
            }
        }
    }
}
