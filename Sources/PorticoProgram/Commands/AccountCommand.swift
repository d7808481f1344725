import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `portico account`
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Manage accounts: people who registered with the backend.",
        subcommands: [List.self, Show.self, Block.self, Unblock.self, Delete.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the accounts, the oldest first."
        )

        @Option(help: ArgumentHelp("Those with this address only.", valueName: "address"))
        var email: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let time = administration.timeForReading
                console.show(
                    try await page(administration),
                    Table("ACCOUNT", "NAME", "EMAIL", "STATE", "LAST SIGN-IN"),
                    read,
                    none: email == nil
                        ? "No one has registered yet."
                        : "No account has that address. See all: portico account list",
                    row: {
                        [$0.id.text, $0.name, $0.markedEmail, $0.state, time($0.lastSignInAt)]
                    },
                    json: { .object($0.item) }
                )
            }
        }

        /// Reads on until the page is full: a filter may leave little of what is read.
        private func page(_ administration: Administration) async throws -> Listing<Account> {
            var cursor: UniqueID?
            if let text = list.cursor {
                guard let id = UniqueID(text) else {
                    throw Failure(.wrongValue, "--cursor is not one from an earlier list.")
                }
                cursor = id
            }
            let accounts = administration.installation.accounts
            var found: [Account] = []
            let step = 500
            while found.count <= list.limit {
                let read = try await accounts.accounts(after: cursor, email: email, limit: step)
                found += read.filter {
                    Listing<Account>.matches(
                        list.filter,
                        [$0.id.text, $0.name, $0.email?.address]
                    )
                }
                guard read.count == step, let last = read.last else { break }
                cursor = last.id
            }
            let items = Array(found.prefix(list.limit))
            return Listing(
                items: items,
                next: found.count > list.limit ? items.last?.id.text : nil,
                list
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one account.")

        @Argument(help: "Its id.") var id: String
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let account = try await administration.account(id)
                let accounts = administration.installation.accounts
                let live = try await accounts.sessions(
                    of: account.id,
                    at: administration.moment.seconds,
                    limit: .max
                )
                console.show(
                    account.description(
                        try await accounts.identities(of: account.id),
                        try await accounts.registration(of: account.id),
                        sessions: live.count
                    ),
                    read
                )
            }
        }
    }

    struct Block: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Block an account and sign it out everywhere."
        )

        @Argument(help: "Its id.") var id: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            try await AccountCommand.setBlocked(id, true, change, place, output.console)
        }
    }

    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Unblock an account.")

        @Argument(help: "Its id.") var id: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            try await AccountCommand.setBlocked(id, false, change, place, output.console)
        }
    }

    fileprivate static func setBlocked(
        _ id: String,
        _ isBlocked: Bool,
        _ change: ChangeOptions,
        _ place: DataDirectoryOptions,
        _ console: Console
    ) async throws {
        let (done, undo) = isBlocked ? ("blocked", "unblock") : ("unblocked", "block")
        try await Administration.run(place, changing: change, console) { administration in
            let account = try await administration.account(id)
            let text = account.id.text
            guard account.isBlocked != isBlocked else {
                return console.say("Nothing to change: account \(text) is \(account.state).")
            }
            guard !change.dryRun else { return administration.dryRun("\(done) account \(text)") }
            try administration.expectChanged(
                await administration.installation.accounts.block(
                    account.id,
                    isBlocked,
                    at: administration.moment.seconds
                ),
                "Account \(text)"
            )
            console.done(
                "\(isBlocked ? "Blocked" : "Unblocked") account \(text) (\(account.called)). "
                    + "Undo: portico account \(undo) \(text)"
            )
        }
    }
}

extension Administration {
    /// Times relative to now on a person's screen, RFC 3339 elsewhere.
    var timeForReading: (Int64) -> String {
        let now = moment.seconds
        return console.showsDataOnTerminal
            ? { Times.relative($0, at: now) } : { Times.standard($0) }
    }
}
