import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `portico account`
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Manage accounts: people who registered with the backend.",
        subcommands: [
            ListCommand<Self>.self, ShowCommand<Self>.self, Block.self, Unblock.self, Delete.self,
        ]
    )

    struct Name: ParsableArguments {
        @Argument(help: "Its id.") var id: String
    }

    struct Block: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Block an account and sign it out everywhere."
        )

        @OptionGroup var name: Name
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await administration.setBlocked(true, name.id)
        }
    }

    struct Unblock: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Unblock an account.")

        @OptionGroup var name: Name
        @OptionGroup var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await administration.setBlocked(false, name.id)
        }
    }
}

extension AccountCommand: ListedResource {
    struct Selection: ParsableArguments {
        @Option(help: .value("address", "Only accounts with this address.")) var email: String?
        @OptionGroup var list: ListOptions
    }

    static let listAbstract = "List the accounts, the oldest first."

    static func list(_ selection: Selection, _ administration: Administration) async throws
        -> Listing
    {
        let accounts = administration.accounts
        let time = administration.timeForReading
        return Listing(
            try await Page(
                selection.list,
                key: \.id.text,
                text: { [$0.id.text, $0.name, $0.email?.address] },
                read: { cursor, limit in
                    let last = cursor.flatMap(UniqueID.init)
                    guard cursor == nil || last != nil else {
                        throw Failure(.wrongValue, "--cursor is not one from an earlier list.")
                    }
                    return try await accounts.accounts(
                        after: last,
                        email: selection.email,
                        limit: limit
                    )
                }
            ),
            Table("ACCOUNT", "NAME", "EMAIL", "STATE", "LAST SIGN-IN"),
            none: selection.email == nil
                ? "No one has registered yet."
                : "No account has that address. See all: \(portico("account list"))",
            row: { [$0.id.text, $0.name, $0.markedEmail, $0.state, time($0.lastSignInAt)] },
            json: \.item
        )
    }
}

extension AccountCommand: ShownResource {
    static let showAbstract = "Show one account."

    static func show(_ name: Name, _ administration: Administration) async throws -> Description {
        let account = try await administration.account(name.id)
        let accounts = administration.accounts
        return account.description(
            try await accounts.identities(of: account.id),
            try await accounts.registration(of: account.id),
            sessions: try await administration.sessions(of: account).count
        )
    }
}

extension Administration {
    /// The live ones.
    func sessions(of account: Account) async throws -> [AccountSession] {
        try await accounts.sessions(of: account.id, at: moment.seconds, limit: .max)
    }

    fileprivate func setBlocked(_ isBlocked: Bool, _ id: String) async throws {
        let account = try await account(id)
        let text = account.id.text
        let (done, undo) = isBlocked ? ("Blocked", "unblock") : ("Unblocked", "block")
        guard account.isBlocked != isBlocked else {
            return console.say("Nothing to change: account \(text) is \(account.state).")
        }
        guard mayWrite("\(done.lowercased()) account \(text)") else { return }
        try expectChanged(
            await accounts.block(account.id, isBlocked, at: moment.seconds),
            "Account \(text)"
        )
        console.done(
            "\(done) account \(text) (\(account.called)). "
                + "Undo: \(portico("account \(undo) \(text)"))"
        )
    }

    /// Times relative to now on a person's screen, RFC 3339 elsewhere.
    var timeForReading: (Int64) -> String {
        let now = moment.seconds
        return console.showsDataOnTerminal
            ? { Times.relative($0, at: now) } : { Times.standard($0) }
    }
}
