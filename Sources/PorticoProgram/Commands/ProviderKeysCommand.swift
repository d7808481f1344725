import ArgumentParser
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStores

extension ProviderCommand {
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keys",
            abstract: "Manage the keys that prove at hosts of internet handles who we are.",
            subcommands: [ListCommand<Self>.self, Rotate.self, Withdraw.self]
        )
    }
}

extension ProviderCommand.Keys {
    struct Rotate: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish a new key, and use it when every host can have seen it.",
            discussion: """
                That is eleven minutes later. The former key stays published as long as a session needs \
                it: a host takes no other key from a session than the one that it began with.
                """
        )

        @OptionGroup var name: ProviderCommand.Name
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let keys = try await administration.handleKeys(of: name.name)
            let moment = administration.moment
            if let next = keys.first(where: { $0.state(among: keys, at: moment.seconds) == .next })
            {
                throw Failure(
                    .exists,
                    "A rotation is in progress: key \(next.keyID) is used "
                        + "\(Times.relative(next.activeFrom, at: moment.seconds)).",
                    "Or take that one back: "
                        + portico("provider keys withdraw atproto \(next.keyID)")
                )
            }
            let key = try HandleClientKey.next(ring: administration.installation.ring, at: moment)
            let used = Times.relative(key.activeFrom, at: moment.seconds)
            if keys.isEmpty {
                console.warn(
                    "There is no key yet, so no one can sign in by handle before this one is used. "
                        + "The first one that the server makes itself is used at once."
                )
            }
            guard administration.mayWrite("published a new key, used \(used)") else { return }
            try await administration.installation.backend.add(key)
            console.done("Published. New sessions use key \(key.keyID) \(used).")
            try console.made("Key", key.keyID)
        }
    }

    struct Withdraw: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a key back at once, as after a leak.",
            discussion: """
                It is out of the published keys within seconds. Sessions that began with it cannot \
                be refreshed any more: each ends when it is used next.
                """
        )

        @OptionGroup var name: ProviderCommand.Name
        @Argument(help: "The id of the key.") var key: String
        @Flag(help: "Also if sessions end by it.") var endSessions = false
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let keys = try await administration.handleKeys(of: name.name)
            let found = try administration.find(
                "key",
                key,
                among: keys,
                by: \.keyID,
                portico("provider keys list atproto")
            )
            let (id, now) = (found.keyID, administration.moment.seconds)
            guard found.withdrawnAt == nil else {
                return console.say("Nothing to change: key \(id) is withdrawn already.")
            }
            let handles = administration.installation.handles
            let count = try await handles.sessionsByKey()[id] ?? 0
            let sessions = count.counting("session")
            let isUsed = { (key: HandleClientKey) in key.withdrawnAt == nil && key.activeFrom <= now
            }
            if isUsed(found), keys.count(where: isUsed) == 1 {
                console.warn(
                    "New sessions use it. No one can sign in by handle before another key was "
                        + "published for eleven minutes."
                )
            }
            guard administration.mayWrite("withdrawn key \(id), which ends \(sessions)") else {
                return
            }
            guard count == 0 || endSessions else {
                throw Failure(
                    .confirmationMissing,
                    "\(sessions) began with key \(id), and would end: people sign in again.",
                    "Nothing was changed. To go on, add: --end-sessions"
                )
            }
            let change = try await administration.installation.backend.withdrawHandleKey(
                id,
                at: now
            )
            try administration.expectChanged(change, "Key \(id)")
            console.done("Withdrew key \(id), which ends \(sessions). Nothing brings it back.")
        }
    }
}

extension ProviderCommand.Keys: ListedResource {
    static let listAbstract = "List the keys, and how many sessions need each."

    static func list(_ name: ProviderCommand.Name, _ administration: Administration) async throws
        -> Listing
    {
        let keys = try await administration.handleKeys(of: name.name)
        let sessions = try await administration.installation.handles.sessionsByKey()
        let now = administration.moment.seconds
        let time = administration.timeForReading
        return Listing(
            keys,
            Table("KEY", "STATE", "SINCE", "SESSIONS"),
            none: "No key yet: the server makes one when it runs.",
            row: { key in
                let state = key.state(among: keys, at: now)
                return [
                    key.keyID, state.rawValue, time(key.since(state)),
                    "\(sessions[key.keyID] ?? 0)",
                ]
            },
            json: { key in
                let state = key.state(among: keys, at: now)
                return [
                    "kid": .string(key.keyID),
                    "alg": .string(key.algorithm),
                    "state": .string(state.rawValue),
                    "since": .string(Times.standard(key.since(state))),
                    "created_at": .string(Times.standard(key.createdAt)),
                    "active_from": .string(Times.standard(key.activeFrom)),
                    "sessions": .integer(sessions[key.keyID] ?? 0),
                ]
            }
        )
    }
}

private enum HandleKeyState: String {
    /// Published, used later.
    case next
    /// New sessions use it.
    case active
    /// Published for the sessions that began with it.
    case retiring
    /// It may not be used any more.
    case withdrawn
}

extension HandleClientKey {
    fileprivate func state(among keys: [HandleClientKey], at now: Int64) -> HandleKeyState {
        if withdrawnAt != nil { return .withdrawn }
        if activeFrom > now { return .next }
        // The newest comes first.
        let current = keys.first { $0.withdrawnAt == nil && $0.activeFrom <= now }
        return current?.keyID == keyID ? .active : .retiring
    }

    fileprivate func since(_ state: HandleKeyState) -> Int64 {
        switch state {
        case .next: createdAt
        case .active: activeFrom
        case .retiring: retiredAt ?? activeFrom
        case .withdrawn: withdrawnAt ?? activeFrom
        }
    }
}

extension Administration {
    /// The newest first.
    ///
    /// - Parameter provider: Its name.
    fileprivate func handleKeys(of provider: String) async throws -> [HandleClientKey] {
        let record = try await self.provider(provider)
        guard record.kind == HandleProvider.kind else {
            throw Failure(
                .usage,
                "A provider of kind \(printable(record.kind)) has no keys of this sort.",
                "Its secret: "
                    + portico("provider update \(record.name) --secret-file PATH")
            )
        }
        return try await backend().handleKeys
    }
}

/// Sessions by handle that end when we become a client with keys, or one without: hosts take tokens
/// from the kind of client that they gave them to.
struct EndedHandleSessions {
    let areConfidential: Bool
    let count: Int64

    var words: String { count.counting("session") }

    func check(_ isMeant: Bool) throws(Failure) {
        guard count == 0 || isMeant else {
            throw Failure(
                .confirmationMissing,
                "\(words) by handle would end: people sign in again.",
                "Nothing was changed. To go on, add: --end-sessions"
            )
        }
    }
}

extension Administration {
    /// - Returns: `nil` where no session ends, whatever there are.
    func sessionsEnded(by record: ProviderRecord, replacing former: ProviderRecord) async throws
        -> EndedHandleSessions?
    {
        guard record.kind == HandleProvider.kind, let before = isConfidential(former),
            let after = isConfidential(record), before != after
        else { return nil }
        return EndedHandleSessions(
            areConfidential: before,
            count: try await installation.handles.count(confidential: before)
        )
    }

    /// Where we become a client with keys: for minutes hosts may have a document of ours without them,
    /// and a key that we used before is as unknown to them as a new one (ATP-CA-5).
    func publishFirstHandleKey() async throws {
        let store = installation.backend
        for key in try await backend().handleKeys where key.withdrawnAt == nil {
            _ = try await store.withdrawHandleKey(key.keyID, at: moment.seconds)
        }
        try await store.add(.next(ring: installation.ring, at: moment))
    }

    /// By the setting, whichever client we are at the address that this command happens to know;
    /// `nil` where the settings are not usable.
    private func isConfidential(_ record: ProviderRecord) -> Bool? {
        // `try?`: a record that cannot be used makes us no client at all.
        (try? HandleProvider(record, identityRules))?.isConfidential
    }
}
