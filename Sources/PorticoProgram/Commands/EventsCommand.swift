import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// `portico events`
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show what happened to accounts, and which clients were refused.",
        subcommands: [Tail.self, Swaps.self]
    )

    struct Tail: DataDirectoryCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the latest events; with -f, new ones as they happen.",
            discussion:
                "Types: \(AuditEvent.Kind.allCases.map(\.rawValue).joined(separator: ", "))."
        )

        @Flag(name: [.customShort("f"), .long], help: "Keep showing new events, until Ctrl-C.")
        var follow = false
        @Option(
            name: .customLong("type"),
            help: .value("type", "Only events of this type. Repeat for several.")
        )
        var types: [String] = []
        @Option(help: .value("count", "Show this many of the latest.")) var limit = 20
        @Option(help: .value("id", "Only events of this account.")) var account: String?
        @Flag(help: "Write one JSON object a line; fields are added, never removed.")
        var jsonl = false
        @OptionGroup var options: PlaceOptions

        func validate() throws {
            guard (0...10_000).contains(limit) else {
                throw ValidationError("--limit must be a number from 0 to 10000.")
            }
        }

        func run() async throws {
            let kinds = try kinds()
            try await administer { administration in
                let audit = administration.installation.audit
                let account = try account.map { text throws(Failure) in try UniqueID(account: text)
                }
                func isWanted(_ event: AuditEvent) -> Bool {
                    kinds.contains(event.kind) && (account == nil || event.accountID == account)
                }
                // `--follow` continues after the latest event of all, whatever is shown.
                let end = try await audit.latest(AuditEvent.Kind.all, of: nil, limit: 1).first
                var last = end?.number ?? 0
                let shown = try await audit.latest(kinds, of: account, limit: limit).reversed()
                    .filter { [last] in $0.number <= last }
                try show(shown)
                if shown.isEmpty, !follow {
                    console.say("No event yet. Sign-ins to realms are in the server's log.")
                }
                while follow {
                    let events = try await audit.events(after: last, limit: 500)
                    try show(events.filter(isWanted))
                    last = events.last?.number ?? last
                    if events.count < 500 { try await Task.sleep(for: .seconds(1)) }
                }
            }
        }

        private func kinds() throws(Failure) -> Set<AuditEvent.Kind> {
            guard !types.isEmpty else { return AuditEvent.Kind.all }
            var kinds: Set<AuditEvent.Kind> = []
            for type in types {
                guard let kind = AuditEvent.Kind(rawValue: type) else {
                    let names = AuditEvent.Kind.allCases.map(\.rawValue)
                    let nearest = Suggestion.nearest(to: type, among: names)
                    throw Failure(
                        .usage,
                        "There is no type of event \"\(printable(type))\".",
                        advice: (nearest.map { ["Did you mean \"\($0)\"?"] } ?? [])
                            + ["See: portico events tail --help"]
                    )
                }
                kinds.insert(kind)
            }
            return kinds
        }

        private func show(_ events: [AuditEvent]) throws(Failure) {
            for event in events {
                try console.data(jsonl ? event.json.serialized() : Array(event.line.utf8))
            }
        }
    }
}

extension AuditEvent {
    fileprivate var json: JSONObject {
        [
            "number": .integer(number),
            "type": .string(kind.rawValue),
            "at": .string(Times.standard(at)),
            "account": (accountID?.text).map(JSONValue.string) ?? .null,
            "provider": provider.map(JSONValue.string) ?? .null,
            "app": app.map(JSONValue.string) ?? .null,
            "device": device.map(JSONValue.string) ?? .null,
            "address": address.map(JSONValue.string) ?? .null,
            "realm": realm.map(JSONValue.string) ?? .null,
            "client": client.map(JSONValue.string) ?? .null,
            "reason": reason.map(JSONValue.string) ?? .null,
        ]
    }

    private static let width = Kind.allCases.map(\.rawValue.count).max() ?? 0

    fileprivate var line: String {
        let padding = String(repeating: " ", count: Self.width - kind.rawValue.count)
        // Refused without a name: an unregistered client.
        let name = kind == .clientRefused ? client ?? "–" : client
        let parts = [realm, name, reason, provider, app, device, address].compactMap {
            $0.map(printable)
        }
        return
            ([
                Times.standard(at), kind.rawValue + padding, accountID?.text ?? "–",
            ] + parts).joined(separator: "  ")
    }
}
