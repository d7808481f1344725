import PorticoStores
import Testing

/// docs/events.md has what can happen, all of it and nothing else.
@Suite("Events and their document") struct EventDocumentTests {
    @Test("every kind of event is in docs/events.md once, and no other is")
    func kinds() throws {
        let headings = [
            "## Signing in and out", "## People", "## Clients and tokens", "## Keys",
            "## What administrators do",
        ]
        let rows = try headings.flatMap { try Markdown("docs/events.md").rows(below: $0) }
        let named = rows.flatMap { row in
            (row.first ?? "").matches(of: /`([a-z_.]+)`/).map { String($0.1) }
        }
        #expect(named.sorted() == Event.Kind.allCases.map(\.rawValue).sorted())
    }

    @Test("docs/events.md says which kinds are only logged, and which anyone can cause")
    func marks() throws {
        for heading in [
            "## Signing in and out", "## People", "## Clients and tokens", "## Keys",
        ] {
            for row in try Markdown("docs/events.md").rows(below: heading) {
                let kind = try #require(
                    row.first?.firstMatch(of: /`([a-z_.]+)`/)
                        .flatMap { Event.Kind(rawValue: String($0.1)) }
                )
                let mark = kind.isOnlyLogged ? "log" : kind.isAnyones ? "*" : ""
                #expect(row.last == mark, "\(kind.rawValue)")
            }
        }
    }
}
