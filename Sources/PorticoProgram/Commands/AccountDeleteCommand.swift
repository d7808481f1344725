import ArgumentParser
import PorticoBackend
import PorticoBytes
import PorticoStores

extension AccountCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account with its identities and sessions, for good.",
            discussion: """
                Asks each provider to revoke the tokens that it gave us. If a provider does not \
                answer, the account is deleted all the same, and the command says which token was not \
                revoked. Where the server sends mail, a notice goes to the account's verified address.
                """
        )

        @Argument(help: "Its id.") var id: String
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let account = try await administration.account(id)
                let text = account.id.text
                let accounts = administration.installation.accounts
                let ways = joined(try await accounts.identities(of: account.id).map(\.provider))
                guard !change.dryRun else {
                    return administration.dryRun(
                        "deleted account \(text) (\(account.called), \(ways ?? "no sign-in method"))"
                    )
                }
                try confirmation.check(
                    text,
                    warning: "This deletes \(account.called), who signs in with "
                        + "\(printable(ways ?? "nothing")), and every session, for good.",
                    console
                )
                let report = try await administration.depart { departure, moment in
                    try await departure.delete(account.id, at: moment)
                }
                guard let report else {
                    return try administration.expectChanged(.notFound, "Account \(text)")
                }
                console.done(
                    "Deleted account \(text) (\(account.called)). Only a backup brings it back."
                )
                console.say(report)
            }
        }
    }
}
