import Testing

@testable import PorticoProgram

@Suite("The file with the products")
struct ProductFileTests {
    private static let entry = """
        | Before.
        # A remark.
        = some
        title: Some
        url: https://a.example
        options: --template web
        options: --pkce
        works: All.
        source: https://docs.example
        note: First: one.
        note: Second.
        file: a.yml
        | # not a remark
        |
        | b: c
        """

    @Test("an entry is read as it stands")
    func read() throws {
        let file = try ProductFile(Self.entry)
        #expect(file.beginning == "Before.\n")
        let product = try #require(file.products.first)
        #expect(product.name == "some")
        #expect(product.options == ["--template", "web", "--pkce"])
        #expect(product.notes == ["First: one.", "Second."])
        #expect(!product.hasRun && !product.hasStandardURL && !product.isNative)
        #expect(product.configuration.map(\.place) == ["a.yml"])
        #expect(product.configuration.map(\.text) == ["# not a remark\n\nb: c\n"])
    }

    @Test(
        "what is missing, unknown or misplaced is told by its line",
        arguments: [
            ("title: Some\n", "", 3), ("works: All.\n", "", 3), ("url: https://a.example\n", "", 3),
            ("url:", "standard-url: https://b.example\nurl:", 3), ("file: a.yml\n", "", 12),
            ("source: https://docs.example\n", "", 3), ("note:", "nota:", 10),
            ("= some\n", "", 3), ("works: All.", "works", 8),
        ]
    )
    func faults(old: String, new: String, line: Int) {
        let text = Self.entry.replacing(old, with: new, maxReplacements: 1)
        do {
            _ = try ProductFile(text)
            Issue.record("\(old) is not missed")
        } catch {
            #expect(error.line == line, "\(old): \(error)")
        }
    }

    @Test("two entries of one name are refused")
    func twice() {
        #expect(throws: ProductFile.Fault.self) {
            try ProductFile(Self.entry + "\n" + Self.entry.dropFirst(10))
        }
    }
}
