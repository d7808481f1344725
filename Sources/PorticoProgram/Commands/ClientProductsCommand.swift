import ArgumentParser
import PorticoProtocol

extension ClientCommand {
    struct Products: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the products that client create --for knows."
        )

        @Flag(help: "Write the page docs/clients.md.") var markdown = false
        @OptionGroup var read: ReadOptions
        @OptionGroup var output: ConsoleOptions

        func run() async throws {
            let console = output.console
            let file = try ProductFile(ProductList.text)
            if markdown {
                return try console.data(String(ProductPage(file).text.dropLast()))
            }
            var table = Table("NAME", "PRODUCT", "RAN", "URL")
            table.rows = file.products.map {
                [$0.name, $0.title, $0.lastRun, $0.hasStandardURL ? nil : $0.url]
            }
            let json = JSONValue.array(
                file.products.map { product in
                    [
                        "name": .string(product.name),
                        "title": .string(product.title),
                        "options": .array(product.options.map { .string($0) }),
                        "url": .string(product.url),
                        "url_required": .bool(!product.hasStandardURL),
                        "works": .string(product.works),
                        "ran": .array(product.ran.map { .string($0) }),
                        "sources": .array(product.sources.map { .string($0) }),
                        "notes": .array(product.notes.map { .string($0) }),
                        "configuration": .array(
                            product.configuration.map {
                                ["place": .string($0.place), "text": .string($0.text)]
                            }
                        ),
                    ]
                }
            )
            try console.show(table, json, read)
        }
    }
}
