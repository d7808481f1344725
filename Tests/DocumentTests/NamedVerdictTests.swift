import Testing

/// docs/standards/atproto-stricter.md is read by tests that need recordings from outside. What it
/// refers to is checked always.
@Suite("Verdicts that differ from a real host's name what asks for them")
struct NamedVerdictTests {
    @Test("each has a kind, a difference, words, and a row or a decision that there is")
    func rows() throws {
        let path = "docs/standards/atproto-stricter.md"
        let lines = try Project.text(path).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let tables = try Project.files(below: "docs/standards", ending: ".tsv")
            .flatMap { try Project.text($0).split(separator: "\n").dropFirst() }
        let rows = Set(tables.map { String($0.prefix { $0 != "\t" }) })
        var seen: Set<String> = []
        for line in lines {
            let cells = line.split(separator: " | ").map { String($0) }
            try #require(cells.count == 4, "\(line)")
            let kinds = /^\| `((request|preflight) \d+|document [^`]+|proof \w+)`$/
            #expect(cells[0].contains(kinds), "\(line)")
            #expect(["stricter", "milder", "other error"].contains(cells[1]), "\(line)")
            #expect(seen.insert(cells[0]).inserted, "twice: \(line)")
            let reason = cells[3].prefix { $0 != " " }
            let decision = cells[3].firstMatch(of: /^\[Decision \d+\]\(\.\.\/decisions\/([^)]+)\)/)
            let isThere =
                decision.map { Project.exists("docs/decisions/\($0.1)") }
                ?? rows.contains(String(reason))
            #expect(isThere, "\(line)")
        }
        #expect(!lines.isEmpty)
    }
}
