import ArgumentParser
import PorticoBackend
import PorticoBytes
import PorticoStores

extension AccountCommand {
    struct Delete: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account with its identities and sessions, for good.",
            discussion: """
                Asks each provider to revoke the tokens that it gave us. If a provider does not \
                answer, the account is deleted all the same, and the command says which token was not \
                revoked. Where the server sends mail, a notice goes to the account's verified address.
                """
        )

        @OptionGroup var name: Name
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let account = try await administration.account(name.id)
            let text = account.id.text
            let accounts = administration.accounts
            let providers = joined(try await accounts.identities(of: account.id).map(\.provider))
            let ways = providers ?? "no sign-in method"
            guard administration.mayWrite("deleted account \(text) (\(account.called), \(ways))")
            else { return }
            try confirmation.check(
                text,
                warning: "This deletes \(account.called), who signs in with "
                    + "\(printable(providers ?? "nothing")), and every session, for good.",
                console
            )
            try await administration.depart(
                "Account \(text)",
                done: "Deleted account \(text) (\(account.called)). Only a backup brings it back."
            ) { departure, moment in try await departure.delete(account.id, at: moment) }
        }
    }
}
