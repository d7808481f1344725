import Foundation
import Testing

@Suite("The Swift that documents show compiles")
struct DocumentCodeTests {
    /// The sources of Tests/Consumer, which `scripts/consumer` compiles, of the services that the
    /// tests of PorticoHummingbird run, and of the app that PorticoTesting is tried on, as one line
    /// each.
    private static let compiled = Project.tests
        .filter {
            $0.key.hasPrefix("Tests/Consumer/Sources/")
                || $0.key.hasPrefix("Tests/PorticoHummingbirdTests/RunningService")
                || $0.key.hasPrefix("Tests/PorticoTestingTests/App/")
        }.values
        .map { $0.split(separator: "\n").map(String.init) }

    @Test("every Swift example stands in an app or a service that is compiled")
    func examples() throws {
        var count = 0
        for document in try Markdown.all() {
            for block in document.blocks where block.language == "swift" {
                let lines = block.lines.filter { !$0.isEmpty }
                if lines.count == 1, lines[0].hasPrefix(".package(") {
                    #expect(
                        lines[0].contains("traits:") == document.path.hasSuffix("hummingbird.md")
                    )
                    continue
                }
                count += 1
                let isCompiled = Self.compiled.contains { source in
                    source.indices.contains { source[$0...].starts(with: lines) }
                }
                #expect(isCompiled, "\(document.path): \(lines.first ?? "")")
            }
        }
        #expect(count >= 6)
    }

    @Test("decision 0111: no app at Portico is shown that asks for what outlives a sign-out")
    func outlivingSignOut() throws {
        for document in try Markdown.all() {
            for block in document.blocks where block.language == "swift" {
                let text = block.lines.joined(separator: "\n")
                guard text.contains("https://id.example.com/realms/") else { continue }
                #expect(!text.contains(".offlineAccess"), "\(document.path)")
            }
        }
    }

    @Test("a sign-in in an app is ten lines of Swift")
    func tenLines() throws {
        // Without a view around it.
        let block = try #require(
            try Markdown("README.md").blocks.first { block in
                block.language == "swift" && block.lines.contains { $0.contains("func signedIn") }
            }
        )
        let lines = block.lines.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
        #expect(lines.count <= 10)
    }
}
