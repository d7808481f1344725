import Foundation
import Testing

@Suite("What the documents say of the client's security") struct ClientSecurityDocumentTests {
    /// The rows of a table that a client has to keep and that a test proves, by their identifiers.
    private func proven(_ table: String) throws -> Set<String> {
        let rows = try Project.text("docs/standards/\(table).tsv").split(separator: "\n")
            .dropFirst().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        let clients = rows.filter { $0[2].contains("client") && !$0[5].hasPrefix("--") }
        return Set(clients.map { String($0[0]) })
    }

    /// Rules whose client is our backend or our provider, and rules for the makers of apps.
    private static let elsewhere: Set = [
        "RFC8252-7.1-2", "RFC8252-B.1-2", "RFC8252-B.3-1", "RFC9700-2.1-2", "RFC9700-2.1.1-2",
        "RFC9700-2.5-2", "RFC9700-U.1-1",
    ]

    @Test("every proven rule of RFC 8252 and RFC 9700 for clients names the type that keeps it")
    func sheet() throws {
        let document = try Markdown("docs/client-security.md")
        var listed: [String] = []
        for row in document.text.split(separator: "\n") where row.hasPrefix("| `RFC") {
            let cells = row.split(separator: "|").map { String($0) }
            try #require(cells.count == 3, "\(row)")
            listed += cells[0].matches(of: /`([^`]+)`/).map { String($0.1) }
            let types = cells[2].matches(of: /`([A-Z]\w+)/).map { String($0.1) }
            #expect(!types.isEmpty, "\(row)")
            for type in types { #expect(Project.identifiers.contains(type), "\(type)") }
        }
        #expect(Set(listed).count == listed.count)
        let rules = try proven("rfc8252").union(proven("rfc9700")).subtracting(Self.elsewhere)
        #expect(rules.subtracting(listed) == [])
        #expect(Set(listed).subtracting(rules) == [])
    }
}
