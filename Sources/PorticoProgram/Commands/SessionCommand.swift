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
        subcommands: [List.self, Revoke.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the live sessions of an account, the one seen last first."
        )

        @Option(help: ArgumentHelp("The id of the account.", valueName: "id"))
        var account: String
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let account = try await administration.account(account)
                let sessions = try await administration.installation.accounts.sessions(
                    of: account.id,
                    at: administration.moment.seconds,
                    limit: .max
                )
                let time = administration.timeForReading
                var table = Table("SESSION", "DEVICE", "APP", "ADDRESS", "LAST SEEN", "ENDS")
                table.rows = sessions.map {
                    [
                        $0.id.text, $0.device, $0.appName, $0.address, time($0.lastSeenAt),
                        time($0.expiresAt),
                    ]
                }
                guard !sessions.isEmpty || read.json else {
                    return console.say("\(account.called) is not signed in anywhere.")
                }
                console.show(
                    table,
                    .object(["items": .array(sessions.map { .object($0.item) })]),
                    read
                )
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a session, or with --all every one of an account.",
            discussion: """
                Ends the session and revokes provider tokens that no other session uses. If a \
                provider does not answer, the session ends all the same, and the command says which \
                token was not revoked.
                """
        )

        @Argument(help: "The id of the session.") var id: String?
        @Option(help: ArgumentHelp("The id of the account.", valueName: "id"))
        var account: String?
        @Flag(help: "Every session of the account, also those that wait for their app.")
        var all = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func validate() throws {
            guard (id == nil) == all else {
                throw ValidationError("Name one session, or --all with --account.")
            }
            guard !all || account != nil else {
                throw ValidationError("--all needs --account.")
            }
        }

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                if let id {
                    try await end(id, administration)
                } else if let account {
                    try await endAll(of: administration.account(account), administration)
                }
            }
        }

        private func end(_ text: String, _ administration: Administration) async throws {
            guard let live = try await live(text, administration) else {
                throw administration.missing(
                    "live session",
                    text,
                    among: [],
                    "portico session list --account \(account.map(printable) ?? "ID")"
                )
            }
            let device = printable(live.session.device)
            guard !change.dryRun else {
                return administration.dryRun(
                    "ended the session of \(live.account.called) on \(device)"
                )
            }
            let report = try await administration.depart { departure, moment in
                try await departure.signOut(
                    live.session.id,
                    of: live.account.id,
                    at: moment.seconds
                )
            }
            guard let report else {
                return try administration.expectChanged(
                    .notFound,
                    "Session \(live.session.id.text)"
                )
            }
            administration.console.done(
                "Ended the session of \(live.account.called) on \(device). They can sign in again."
            )
            administration.console.say(report)
        }

        /// The session of that id, where it is that account's.
        private func live(_ text: String, _ administration: Administration) async throws
            -> LiveAccountSession?
        {
            guard let id = UniqueID(text) else {
                throw Failure(
                    .wrongValue,
                    "\"\(printable(text))\" is no id of a session.",
                    "Find it: portico session list --account ID"
                )
            }
            let live = try await administration.installation.accounts.live(
                id: id,
                at: administration.moment.seconds
            )
            guard let account else { return live }
            let owner = try await administration.account(account)
            return live?.account.id == owner.id ? live : nil
        }

        private func endAll(of account: Account, _ administration: Administration) async throws {
            let accounts = administration.installation.accounts
            let now = administration.moment.seconds
            let count = try await accounts.sessions(of: account.id, at: now, limit: .max).count
            let sessions = count == 1 ? "1 session" : "\(count) sessions"
            guard !change.dryRun else {
                return administration.dryRun("ended \(sessions) of \(account.called)")
            }
            let report = try await administration.depart { departure, moment in
                try await departure.signOutEverywhere(account.id, at: moment.seconds)
            }
            guard let report else {
                return try administration.expectChanged(.notFound, "Account \(account.id.text)")
            }
            administration.console.done(
                "Ended \(sessions) of \(account.called). They can sign in again."
            )
            administration.console.say(report)
        }
    }
}
