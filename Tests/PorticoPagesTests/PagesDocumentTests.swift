import Foundation
import PorticoGallery
import PorticoPages
import Testing

@Suite("docs/pages.md") struct PagesDocumentTests {
    private static let sections: [Substring: String] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/pages.md")
        // `try?`: without the document every page is missing, which the test reports.
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let parts = text.components(separatedBy: "\n### `").dropFirst()
        return Dictionary(
            parts.map { ($0.prefix { $0 != "`" }, $0.replacing("\n", with: " ")) }
        ) { first, _ in first }
    }()

    @Test("each page is described there with all of its states, and no page that is not")
    func states() throws {
        #expect(Set(Self.sections.keys.map(String.init)) == Set(PageGallery.pages.map { "\($0)" }))
        for page in PageGallery.pages {
            let section = try #require(Self.sections["\(page)"])
            let said = section.components(separatedBy: "States: ").last ?? ""
            let states = page.gallery.map(\.name)
            #expect(
                said.matches(of: /`([^`]+)`/).map { String($0.output.1) }.prefix(states.count)
                    .sorted() == states.sorted(),
                "\(page)"
            )
        }
    }

    @Test("each custom property that a theme may set is described there")
    func properties() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/pages.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for name in PageColour.allCases.map(\.rawValue) + ["radius", "font"] {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
    }
}
