import Foundation
import Testing

/// docs/confirmation.md says what shows that a promise is kept: what it names must be there.
@Suite("What the documents say of proof")
struct ConfirmationDocumentTests {
    /// The display names of all tests that run.
    private static let tests: Set<String> = {
        var names: Set<String> = []
        let test = /@Test\(\s*"((?:[^"\\]|\\.)*)"([\s\S]*?)\bfunc\b/
        for text in Project.tests.values {
            let source = text.components(separatedBy: "\n")
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
            for match in source.matches(of: test) where !match.2.contains(".disabled(") {
                names.insert(
                    String(match.1).replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
                )
            }
        }
        return names
    }()

    /// What stands in italics.
    private func named(in text: String) -> [String] {
        let plain = text.replacing("**", with: "")
        return plain.matches(of: /\*([^*|]+)\*/).map {
            $0.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    @Test("every test that docs/confirmation.md names is there, and runs")
    func names() throws {
        let named = named(in: try Markdown("docs/confirmation.md").text)
        #expect(named.count > 50)
        #expect(Set(named).subtracting(Self.tests) == [])
    }

    @Test("docs/confirmation.md has the seven confirmations, each with what is left to a person")
    func confirmations() throws {
        let sections = try Markdown("docs/confirmation.md").text.split(separator: "\n## ")
            .dropFirst()
        let numbered = sections.filter { $0.first?.isNumber == true }
        #expect(numbered.compactMap(\.first?.wholeNumberValue) == Array(1...7))
        for section in numbered {
            #expect(section.contains("**By hand:**"), "\(section.prefix(40))")
        }
    }

    @Test("WCAG 2.2: every criterion of levels A and AA has its row")
    func criteria() throws {
        let rows = try Markdown("docs/confirmation.md").rows(below: "## WCAG 2.2, A and AA")

        let wanted = """
            1.1.1 1.2.1 1.2.2 1.2.3 1.2.4 1.2.5 1.3.1 1.3.2 1.3.3 1.3.4 1.3.5 1.4.1 1.4.2 1.4.3 \
            1.4.4 1.4.5 1.4.10 1.4.11 1.4.12 1.4.13 2.1.1 2.1.2 2.1.4 2.2.1 2.2.2 2.3.1 2.4.1 \
            2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.4.11 2.5.1 2.5.2 2.5.3 2.5.4 2.5.7 2.5.8 3.1.1 \
            3.1.2 3.2.1 3.2.2 3.2.3 3.2.4 3.2.6 3.3.1 3.3.2 3.3.3 3.3.4 3.3.7 3.3.8 4.1.2 4.1.3
            """
        #expect(rows.map { $0[0] } == wanted.split(separator: " ").map(String.init))
        #expect(rows.filter { $0[1] == "A" }.count == 31)
        #expect(rows.filter { $0[1] == "AA" }.count == 24)
        for row in rows {
            #expect(row.count == 5 && !row[3].isEmpty && !row[4].isEmpty, "\(row)")
        }
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
