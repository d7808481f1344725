import ArgumentParser
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Manage the keys that sign a realm's tokens.",
        subcommands: [ListCommand<Self>.self, Rotate.self]
    )

    struct Rotate: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rotate the signing key.",
            discussion: """
                The new key is published at once and signs when every client can know it. The \
                former one stays published until the last token signed with it has expired.
                """
        )

        @Option(help: .value("algorithm", "ES256, RS256, PS256 or EdDSA; else the realm's."))
        var alg: SignatureAlgorithm?
        @Option(help: .value("time", "How long the former key stays published, such as 7d or 12h."))
        var overlap: DurationText?
        @Flag(help: "Sign with the new key at once, as after a leak.") var now = false
        @OptionGroup var realm: RealmOptions
        @OptionGroup(title: "General options") var options: ChangingOptions

        func run(_ administration: Administration) async throws {
            let realm = try administration.realm(realm.realm)
            let moment = administration.moment
            let algorithm = alg ?? realm.signingAlgorithm
            let rotation = KeyRotation(
                maker: SigningKeyMaker(ring: administration.installation.ring),
                realm: realm,
                clients: try await administration.clients(of: realm)
            )
            let outcome = try rotation(
                algorithm,
                of: try await administration.realms.keys(realmID: realm.id),
                start: now ? .now : .whenPublished,
                overlap: overlap?.seconds,
                at: moment
            )
            let signs = Times.relative(outcome.activeFrom, at: moment.seconds)
            guard
                administration.mayWrite(
                    "published a new key: \(algorithm.rawValue), starts signing \(signs)"
                )
            else { return }
            try await administration.changing {
                try await $0.rotate(
                    keysOf: realm,
                    adding: outcome.adding,
                    changing: outcome.changing,
                    by: .commandLine
                )
            }
            console.done(
                "Published. \(algorithm.rawValue) key \(outcome.keyID) starts signing \(signs)."
            )
            for key in outcome.changing {
                guard let retired = key.retiredFrom else { continue }
                console.say(
                    "  Key \(key.keyID) leaves \(Times.relative(retired, at: moment.seconds))."
                )
            }
            try console.made("Key", outcome.keyID)
        }
    }
}

extension KeysCommand: ListedResource {
    static let listAbstract = "List the keys of a realm."

    static func list(_ selection: RealmListOptions, _ administration: Administration) async throws
        -> Listing
    {
        let realm = try administration.realm(selection.realm.realm)
        let now = administration.moment.seconds
        let keys = try await administration.realms.keys(realmID: realm.id).sorted {
            $0.keyID < $1.keyID
        }
        let time = administration.timeForReading
        return Listing(
            Page(keys, selection.list, key: \.keyID) { [$0.keyID, $0.algorithm.rawValue] },
            Table("KEY", "ALGORITHM", "STATE", "SIGNS FROM", "LEAVES"),
            none: "No key in realm \(realm.name).",
            row: {
                [
                    $0.keyID, $0.algorithm.rawValue, $0.state(among: keys, at: now).rawValue,
                    time($0.activeFrom), $0.retiredFrom.map(time),
                ]
            },
            json: {
                [
                    "kid": .string($0.keyID),
                    "alg": .string($0.algorithm.rawValue),
                    "state": .string($0.state(among: keys, at: now).rawValue),
                    "created_at": .string(Times.standard($0.createdAt)),
                    "active_from": .string(Times.standard($0.activeFrom)),
                    "retired_from": $0.retiredFrom.map { .string(Times.standard($0)) } ?? .null,
                ]
            }
        )
    }
}

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
