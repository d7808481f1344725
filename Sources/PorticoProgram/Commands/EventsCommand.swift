import ArgumentParser
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoSystem

struct EventsCommand: DataDirectoryCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show the audit trail: what happened to people, realms and clients.",
        discussion: """
            With -f it shows new events as they happen; with --count it counts by kind, client and reason:

              portico events --kind token_swap --count

            Kinds: docs/events.md explains each.
            """
    )

    @Flag(name: [.customShort("f"), .long], help: "Keep showing new events, until Ctrl-C.")
    var follow = false
    @Flag(help: "Count them instead.") var count = false
    @Option(help: .value("kind", "Only events of this kind, or of all that begin so. Repeatable."))
    var kind: [String] = []
    @Option(help: .value("name", "Only events of this realm.")) var realm: String?
    @Option(help: .value("id", "Only events of this person.")) var user: String?
    @Option(help: .value("name", "Only events of this client or app.")) var client: String?
    @Option(help: .value("duration", "Only events of the last 90m, 12h, 7d.")) var since:
        DurationText?
    @Option(help: .value("count", "Show this many of the latest.")) var limit = 20
    @Flag(help: "Write one JSON object a line; fields are added, never removed.")
    var jsonl = false
    @OptionGroup(title: "General options") var options: PlaceOptions

    func validate() throws {
        guard (0...10_000).contains(limit) else {
            throw ValidationError("--limit must be a number from 0 to 10000.")
        }
        guard !follow || !count else {
            throw ValidationError("--follow and --count exclude each other.")
        }
    }

    func run() async throws {
        let kinds = try kinds()
        try await administer { administration in
            let store = administration.installation.realms.events
            var query = EventQuery()
            query.kinds = kinds
            query.realmID = try realm.map { try administration.realm($0).id }
            query.subjectID = user
            query.clientID = client
            query.from = since.map {
                Event.milliseconds(administration.installation.clock.moment().seconds - $0.seconds)
            }
            guard !count else { return try show(try await store.counts(query)) }
            // `--follow` continues after the latest event of all, whatever is shown.
            query.after = try await store.events(EventQuery(), limit: 1).first?.number ?? 0
            var shown = query
            shown.after = nil
            let latest = try await store.events(shown, limit: limit)
            try show(latest.reversed())
            if latest.isEmpty, !follow { console.say("No event yet.") }
            query.after = max(query.after ?? 0, latest.first?.number ?? 0)
            query.isOldestFirst = true
            while follow {
                let events = try await store.events(query, limit: 500)
                try show(events)
                query.after = events.last?.number ?? query.after
                if events.count < 500 { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    private func kinds() throws(Failure) -> Set<Event.Kind>? {
        guard !kind.isEmpty else { return nil }
        var kinds: Set<Event.Kind> = []
        for name in kind {
            let named = Event.Kind.allCases.filter {
                $0.rawValue.utf8.starts(with: name.utf8)
            }
            guard !name.isEmpty, !named.isEmpty else {
                let nearest = Suggestion.nearest(
                    to: name,
                    among: Event.Kind.allCases.map(\.rawValue)
                )
                throw Failure(
                    .usage,
                    "There is no kind of event \"\(printable(name))\".",
                    advice: nearest.map { ["Did you mean \"\($0)\"?"] } ?? []
                )
            }
            // `sign_out` is a kind, and the beginning of others.
            let exact = named.filter { sameBytes($0.rawValue, name) }
            kinds.formUnion(exact.isEmpty ? named : exact)
        }
        return kinds
    }

    private func show(_ events: [Event]) throws(Failure) {
        for event in events {
            try console.data(jsonl ? event.json.serialized() : Array(event.line.utf8))
        }
    }

    private func show(_ counts: [EventCount]) throws(Failure) {
        guard !jsonl else {
            for count in counts { try console.data(count.json.serialized()) }
            return
        }
        var table = Table("REALM", "KIND", "CLIENT", "REASON", "COUNT", "LAST")
        table.rows = counts.map {
            [
                $0.realm, $0.kind.rawValue, $0.clientID, $0.reason, "\($0.count)",
                Times.standard($0.lastAt / 1000),
            ]
        }
        try console.data(table.text(width: console.showsDataOnTerminal ? Table.terminalWidth : nil))
    }
}

extension EventCount {
    fileprivate var json: JSONObject {
        [
            "realm": realm.map(JSONValue.string) ?? .null,
            "kind": .string(kind.rawValue),
            "client": clientID.map(JSONValue.string) ?? .null,
            "reason": reason.map(JSONValue.string) ?? .null,
            "count": .integer(count),
            "last_at": .string(Times.standard(lastAt / 1000)),
        ]
    }
}

extension Event {
    fileprivate var json: JSONObject {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        return [
            "number": .integer(number),
            "kind": .string(kind.rawValue),
            "at": .string(Times.standard(at / 1000)),
            "realm": text(realm),
            "actor": text(actor?.words),
            "subject": text(subjectID),
            "client": text(clientID),
            "provider": text(provider),
            "session": text(sessionID),
            "device": text(device),
            "address": text(address),
            "reason": text(reason),
            "details": .object(details),
            "before": before.map(JSONValue.object) ?? .null,
            "after": after.map(JSONValue.object) ?? .null,
        ]
    }

    fileprivate var line: String {
        // Refused without a name: an unregistered client.
        let name = kind == .clientRefused ? clientID ?? "–" : clientID
        let path = details.string("path")
        let parts = [
            actor.map { "by \($0.words)" }, realm, name, reason, path, provider, device, address,
        ]
        let start = [Times.standard(at / 1000), kind.rawValue, subjectID.map(printable) ?? "–"]
        return (start + parts.compactMap { $0.map(printable) }).joined(separator: "  ")
    }
}

extension Event.Actor {
    fileprivate var words: String {
        switch self {
        case .person(let id): "person \(id)"
        case .client(let id): "client \(id)"
        case .commandLine: "command line"
        }
    }
}
