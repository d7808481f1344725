import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// `portico keys`
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Manage the keys that sign a realm's tokens.",
        subcommands: [List.self, Rotate.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys of a realm.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, console) { administration in
                let realm = try administration.realm(realm.realm)
                let now = administration.moment.seconds
                let keys = administration.keys(of: realm).sorted { $0.keyID < $1.keyID }
                let time = { (seconds: Int64) in
                    console.showsDataOnTerminal
                        ? Times.relative(seconds, at: now) : Times.standard(seconds)
                }
                console.show(
                    Listing(keys, list, key: \.keyID) { [$0.keyID, $0.algorithm.rawValue] },
                    Table("KEY", "ALGORITHM", "STATE", "SIGNS FROM", "LEAVES"),
                    read,
                    none: "No key in realm \(realm.name).",
                    row: {
                        [
                            $0.keyID, $0.algorithm.rawValue,
                            $0.state(among: keys, at: now).rawValue, time($0.activeFrom),
                            $0.retiredFrom.map(time),
                        ]
                    },
                    json: {
                        [
                            "kid": .string($0.keyID),
                            "alg": .string($0.algorithm.rawValue),
                            "state": .string($0.state(among: keys, at: now).rawValue),
                            "created_at": .string(Times.standard($0.createdAt)),
                            "active_from": .string(Times.standard($0.activeFrom)),
                            "retired_from": $0.retiredFrom.map { .string(Times.standard($0)) }
                                ?? .null,
                        ]
                    }
                )
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rotate the signing key.",
            discussion: """
                The new key is published at once and signs when every client can know it. The \
                former one stays published until the last token signed with it has expired.
                """
        )

        @Option(
            name: .customLong("alg"),
            help: ArgumentHelp(
                "ES256, RS256, PS256 or EdDSA; else the realm's.",
                valueName: "algorithm"
            )
        )
        var algorithm: SignatureAlgorithm?
        @Option(
            help: ArgumentHelp(
                "How long the former key stays published, as 7d or 12h.",
                valueName: "time"
            )
        )
        var overlap: DurationText?
        @Flag(help: "Sign with the new key at once, as after a leak.")
        var now = false
        @OptionGroup var realm: RealmOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var place: DataDirectoryOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            try await Administration.run(place, changing: change, console) { administration in
                let realm = try administration.realm(realm.realm)
                let moment = administration.moment
                let algorithm = algorithm ?? realm.signingAlgorithm
                let rotation = KeyRotation(
                    maker: SigningKeyMaker(ring: administration.installation.ring),
                    realm: realm,
                    clients: administration.clients(of: realm)
                )
                let outcome = try rotation(
                    algorithm,
                    of: administration.keys(of: realm),
                    start: now ? .now : .whenPublished,
                    overlap: overlap?.seconds,
                    at: moment
                )
                if !change.dryRun {
                    try await administration.installation.realms.rotate(
                        adding: outcome.adding,
                        changing: outcome.changing
                    )
                }
                let signs = Times.relative(outcome.activeFrom, at: moment.seconds)
                let text = "\(algorithm.rawValue) key \(outcome.keyID) signs \(signs)"
                guard !change.dryRun else {
                    return administration.dryRun(
                        "published a new key: \(algorithm.rawValue), signs \(signs)"
                    )
                }
                console.done("Published. \(text).")
                for key in outcome.changing {
                    guard let retired = key.retiredFrom else { continue }
                    let leaves = Times.relative(retired, at: moment.seconds)
                    console.say("  Key \(key.keyID) leaves \(leaves).")
                }
                console.made("Key", outcome.keyID)
            }
        }
    }
}

/// What a key is there for.
private enum KeyState: String {
    /// Published, signs later.
    case next
    case active
    /// Published, signs no more.
    case retiring
    case retired
}

extension SigningKeyRecord {
    fileprivate func state(among keys: [SigningKeyRecord], at now: Int64) -> KeyState {
        if let retiredFrom, retiredFrom <= now { return .retired }
        if activeFrom > now { return .next }
        let newest = keys.filter { $0.algorithm == algorithm && $0.activeFrom <= now }
            .max { $0.activeFrom < $1.activeFrom }
        return newest?.keyID == keyID ? .active : .retiring
    }
}

extension Administration {
    fileprivate func keys(of realm: Realm) -> [SigningKeyRecord] {
        snapshot.keys.filter { $0.realmID == realm.id }
    }
}
