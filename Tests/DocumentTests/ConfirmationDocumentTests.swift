import Foundation
import Testing

/// docs/confirmation.md refers to rows of docs/standards, whose tests `scripts/standards` checks.
@Suite("What the documents say of proof")
struct ConfirmationDocumentTests {
    /// The cells of all rows of docs/standards.
    private func rows() throws -> [[String]] {
        try Project.files(below: "docs/standards", ending: ".tsv")
            .flatMap { try Project.text($0).split(separator: "\n").dropFirst() }
            .map { $0.split(separator: "\t").map(String.init) }
    }

    @Test("every row of docs/standards that docs/confirmation.md names is there")
    func named() throws {
        let ids = try rows().map { $0[0] }
        let named = try Markdown("docs/confirmation.md").spans
            .filter { $0.wholeMatch(of: /[A-Z]+(-[A-Z0-9]+)*/) != nil }
        #expect(named.count > 10)
        for start in named {
            #expect(ids.contains { $0 == start || $0.hasPrefix(start + "-") }, "\(start)")
        }
    }

    @Test("docs/confirmation.md has the seven confirmations, each with what is left to a person")
    func confirmations() throws {
        let sections = try Markdown("docs/confirmation.md").text.split(separator: "\n## ")
            .dropFirst()
        #expect(sections.compactMap(\.first?.wholeNumberValue) == Array(1...7))
        for section in sections {
            #expect(section.contains("**By hand:**"), "\(section.prefix(40))")
        }
    }

    @Test("WCAG 2.2: every criterion of levels A and AA has its row")
    func criteria() throws {
        let rows = try rows().filter { $0[0].hasPrefix("WCAG-") }

        let wanted = """
            1.1.1 1.2.1 1.2.2 1.2.3 1.2.4 1.2.5 1.3.1 1.3.2 1.3.3 1.3.4 1.3.5 1.4.1 1.4.2 1.4.3 \
            1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 \
            2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.4.11 2.5.1 2.5.2 2.5.3 2.5.4 2.5.7 2.5.8 3.1.1 \
            3.1.2 3.2.1 3.2.2 3.2.3 3.2.4 3.2.6 3.3.1 3.3.2 3.3.3 3.3.4 3.3.7 3.3.8 4.1.2 4.1.3
            """
        #expect(rows.map { $0[0].dropFirst("WCAG-".count) } == wanted.split(separator: " "))
        #expect(rows.filter { $0[3].hasSuffix("(A)") }.count == 31)
        #expect(rows.filter { $0[3].hasSuffix("(AA)") }.count == 24)
    }

    @Test("every row of docs/browser-checklist.md has room for a date and a result")
    func checklist() throws {
        let rows = try Markdown("docs/browser-checklist.md").rows(below: "# Browser checklist")
        // The walks are what the other rows name.
        let checks = rows.filter { $0[0].wholeMatch(of: /W\d/) == nil }
        #expect(checks.count > 40)
        for row in checks { #expect(row.count == 4 && !row[3].isEmpty, "\(row)") }
    }
}
