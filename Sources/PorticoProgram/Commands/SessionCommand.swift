import ArgumentParser
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `portico session`
struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Manage the sessions of accounts in browsers and apps.",
        subcommands: [ListCommand<Self>.self, Revoke.self, Import.self]
    )

    struct Revoke: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session, or with --all every one of an account.",
            discussion: """
                Ends the session and revokes provider tokens that no other session uses. If a \
                provider does not answer, the session ends all the same, and the command says which \
                token was not revoked.
                """
        )

        @Argument(help: "The id of the session.") var id: String?
        @Option(help: .value("id", "The id of the account.")) var account: String?
        @Flag(help: "Every session of the account, also those that wait for their app.")
        var all = false
        @OptionGroup var options: ChangingOptions

        func validate() throws {
            guard (id == nil) == all else {
                throw ValidationError("Name one session, or --all with --account.")
            }
            guard !all || account != nil else {
                throw ValidationError("--all needs --account.")
            }
        }

        func run(_ administration: Administration) async throws {
            if let id {
                try await end(id, administration)
            } else if let account {
                try await endAll(of: administration.account(account), administration)
            }
        }

        private func end(_ text: String, _ administration: Administration) async throws {
            guard let live = try await live(text, administration) else {
                throw administration.missing(
                    "live session",
                    text,
                    among: [],
                    portico("session list --account \(account ?? "ID")")
                )
            }
            let device = live.session.device
            let subject =
                "the session of \(live.account.called) on "
                + (device.isEmpty ? "an unknown device" : printable(device))
            guard administration.mayWrite("ended \(subject)") else { return }
            try await administration.depart(
                "Session \(live.session.id.text)",
                done: "Ended \(subject). They can sign in again."
            ) { departure, moment in
                try await departure.signOut(
                    live.session.id,
                    of: live.account.id,
                    at: moment.seconds
                )
            }
        }

        /// The session of that id, where it is that account's.
        private func live(_ text: String, _ administration: Administration) async throws
            -> LiveAccountSession?
        {
            let live = try await administration.accounts.live(
                id: try UniqueID(
                    text,
                    of: "a session",
                    find: portico("session list --account ID")
                ),
                at: administration.moment.seconds
            )
            guard let account else { return live }
            let owner = try await administration.account(account)
            return live?.account.id == owner.id ? live : nil
        }

        private func endAll(of account: Account, _ administration: Administration) async throws {
            let count = try await administration.sessions(of: account).count
            let subject = "\(count.counting("session")) of \(account.called)"
            guard administration.mayWrite("ended \(subject)") else { return }
            try await administration.depart(
                "Account \(account.id.text)",
                done: "Ended \(subject). They can sign in again."
            ) { departure, moment in
                try await departure.signOutEverywhere(account.id, at: moment.seconds)
            }
        }
    }
}

extension SessionCommand: ListedResource {
    struct Selection: ParsableArguments {
        @Option(help: .value("id", "The id of the account.")) var account: String
    }

    static let listAbstract = "List the live sessions of an account, the one seen last first."

    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
    {
        let account = try await administration.account(selection.account)
        let time = administration.timeForReading
        return Listing(
            try await administration.sessions(of: account),
            Table("SESSION", "DEVICE", "APP", "ADDRESS", "LAST SEEN", "ENDS"),
            none: "\(account.called) is not signed in anywhere.",
            row: {
                [
                    $0.id.text, $0.device.isEmpty ? nil : $0.device, $0.appName, $0.address,
                    time($0.lastSeenAt), time($0.expiresAt),
                ]
            },
            json: \.item
        )
    }
}
