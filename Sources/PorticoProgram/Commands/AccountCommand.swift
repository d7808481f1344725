import ArgumentParser
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStores

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
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            try await administration.setBlocked(true, name.id)
        }
    }

    struct Unblock: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Unblock an account.")

        @OptionGroup var name: Name
        @OptionGroup(title: "General options") var options: ChangingOptions

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
                key: \.id,
                text: { [$0.id, $0.name, $0.email?.address] },
                read: { cursor, limit in
                    guard cursor.map(UniqueID.init) != .some(nil) else {
                        throw Failure(.wrongValue, "--cursor is not one from an earlier list.")
                    }
                    return try await accounts.accounts(
                        after: cursor,
                        email: selection.email,
                        limit: limit
                    )
                }
            ),
            Table("ACCOUNT", "NAME", "EMAIL", "STATE", "LAST SIGN-IN"),
            none: selection.email == nil
                ? "No one has registered yet."
                : "No account has that address. See all: \(portico("account list"))",
            row: { [$0.id, $0.name, $0.markedEmail, $0.state, time($0.lastSignInAt)] },
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
    func sessions(of account: Account) async throws -> [AccountSession] {
        try await accounts.sessions(of: account.id, at: moment.seconds, limit: .max)
    }

    fileprivate func setBlocked(_ isBlocked: Bool, _ id: String) async throws {
        let account = try await account(id)
        let text = account.id
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
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let account = try await administration.account(name.id)
            let text = account.id
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

extension Account {
    /// What `portico account show` shows; members are only ever added. No token is among them.
    func description(
        _ identities: [Identity],
        _ registration: Registration?,
        sessions: Int
    ) -> Description {
        var json = item
        json["language"] = .string(language)
        json["picture"] = picture.map(JSONValue.string) ?? .null
        json["welcomed"] = .bool(isWelcomed)
        json["identities"] = .array(identities.map { .object($0.json) })
        json["registration"] = registration.map { .object($0.json) } ?? .null
        json["live_sessions"] = .integer(Int64(sessions))
        let methods = identities.map { identity in
            "\(identity.provider) (\(identity.email?.address ?? identity.key.subject))"
        }
        return Description(
            json: json,
            fields: [
                ("Account", id),
                ("Name", name),
                ("Email", markedEmail),
                ("State", state),
                ("Language", language),
                ("Signs in with", joined(methods)),
                ("Sessions", "\(sessions)"),
                ("Registered", registration.map { "\(Times.standard($0.at)) by \($0.provider)" }),
                ("Last sign-in", Times.standard(lastSignInAt)),
            ]
        )
    }

    var item: JSONObject {
        [
            "id": .string(id),
            "name": name.map(JSONValue.string) ?? .null,
            "email": (email?.address).map(JSONValue.string) ?? .null,
            "email_verified": .bool(email?.isVerified ?? false),
            "email_proven_by": (email?.verification.provenBy).map(JSONValue.string) ?? .null,
            "email_relay": .bool(email?.isRelay ?? false),
            "blocked": .bool(isBlocked),
            "created_at": .string(Times.standard(createdAt)),
            "last_sign_in_at": .string(Times.standard(lastSignInAt)),
        ]
    }

    var state: String { isBlocked ? "blocked" : "active" }

    var markedEmail: String? {
        email.map { $0.verification.isProof ? "\($0.address) ✓" : $0.address }
    }

    /// What messages call the person.
    var called: String { printable(name ?? email?.address ?? id) }
}

extension EmailVerification {
    /// `nil`: a provider at most vouches for the address.
    fileprivate var provenBy: String? {
        switch self {
        case .unverified, .vouched: nil
        case .authoritative: "authority"
        case .mailedCode: "code"
        }
    }
}

extension Identity {
    fileprivate var json: JSONObject {
        [
            "provider": .string(provider),
            "issuer": .string(key.issuer),
            "subject": .string(key.subject),
            "email": (email?.address).map(JSONValue.string) ?? .null,
            "email_verified": .bool(email?.isVerified ?? false),
            "has_token": .bool(sealedToken != nil),
            "linked_at": .string(Times.standard(linkedAt)),
            "last_used_at": .string(Times.standard(lastUsedAt)),
        ]
    }
}

extension Registration {
    fileprivate var json: JSONObject {
        [
            "provider": .string(provider),
            "at": .string(Times.standard(at)),
            "address": address.map(JSONValue.string) ?? .null,
            "user_agent": userAgent.map(JSONValue.string) ?? .null,
        ]
    }
}

extension AccountSession {
    var item: JSONObject {
        [
            "id": .string(id.text),
            "form": .string(appName == nil ? "browser" : "app"),
            "app": appName.map(JSONValue.string) ?? .null,
            "issuer": .string(identity.issuer),
            "device": .string(device),
            "address": address.map(JSONValue.string) ?? .null,
            "created_at": .string(Times.standard(createdAt)),
            "last_seen_at": .string(Times.standard(lastSeenAt)),
            "expires_at": .string(Times.standard(expiresAt)),
        ]
    }

    var appName: String? {
        if case .app(let name, _) = form { name } else { nil }
    }
}

extension Administration {
    /// Ends or deletes something of an account as its owner would: providers revoke their tokens.
    ///
    /// - Parameters:
    ///   - subject: As a sentence begins.
    ///   - leaving: `nil` where it was deleted in the meantime.
    func depart(
        _ subject: String,
        done: String,
        _ leaving: (AccountDeparture, Moment) async throws -> AccountDeparture.Report?
    ) async throws {
        let report = try await Self.withOutbound { outbound in
            // Known before, so that nothing stands between what is taken away and the revocation.
            let directory = try await BackendDirectory(store: installation.backend) { record in
                try client(of: record, over: outbound)
            }
            let departure = AccountDeparture(
                accounts: installation.accounts,
                directory: directory,
                ring: installation.ring
            )
            return try await leaving(departure, moment)
        }
        guard let report else { return try expectChanged(.notFound, subject) }
        console.done(done)
        for (provider, outcome) in report.revocations { say(outcome, of: printable(provider)) }
    }

    private func say(_ outcome: AccountDeparture.Revocation, of provider: String) {
        switch outcome {
        case .revoked: console.say("  \(provider) has revoked its token.")
        case .notRevoked:
            console.warn("\(provider) did not revoke its token: it cannot, or does not answer.")
        case .providerGone:
            console.warn(
                "\(provider) is no longer set up, or is disabled: its token was not revoked."
            )
        case .tokenLost:
            console.warn("\(provider): its token can no longer be opened, and was not revoked.")
        }
    }
}
