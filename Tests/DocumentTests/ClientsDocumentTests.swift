import ArgumentParser
import PorticoStores
import Testing

@testable import PorticoProgram

@Suite("What docs/clients.md says of products")
struct ClientsDocumentTests {
    @Test("it is what portico client products --markdown writes")
    func page() throws {
        let page = ProductPage(try ProductFile(ProductList.text)).text
        let isSame = try Project.text("docs/clients.md") == page
        #expect(isSame, "portico client products --markdown > docs/clients.md")
    }

    @Test(
        "a document has a row for every setting, and no other",
        arguments: [
            ("docs/clients.md", "## Settings", Client.memberRows),
            ("docs/configuration.md", "## Settings of a realm", Realm.memberRows),
        ]
    )
    func settings(document: String, heading: String, rows: [[String]]) throws {
        let table = rows.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
        let documented = try Markdown(document).rows(below: heading)
        #expect(documented == rows, "The rows should be:\n\n\(table)\n")
    }

    @Test("every setting of a client is read where something is decided by it")
    func use() throws {
        let schema = "Sources/PorticoStores/Schema/"
        let elsewhere = [
            schema, "Sources/PorticoStores/Documents/", "Sources/PorticoStores/Realms/Client.swift",
            "Sources/PorticoStores/Realms/HandOffRules.swift", "Sources/PorticoKeycloak/",
        ]
        let code = Project.code
            .filter { file in !elsewhere.contains { file.key.hasPrefix($0) } }
            .values.map(Project.withoutComments)
        let table = try #require(Project.code[schema + "ClientMembers.swift"])
        let paths = table.matches(of: /\\Client\.([\w.]+)/).map { String($0.1) }
        #expect(paths.count == Client.members.count)
        // Setting it is no use of it.
        for path in paths {
            let name = try #require(path.split(separator: ".").last)
            let use = try Regex("\\W\(name)(?!\\w| *= )")
            #expect(code.contains { $0.contains(name) && $0.contains(use) }, "\(path)")
        }
    }

    @Test("a type of mapper of our own is named in the documents and by portico mapper add --help")
    func mapperTypes() throws {
        let path = "Sources/PorticoKeycloak/Representations/MapperCodec.swift"
        let source = try #require(Project.code[path])
        let words = source.matches(of: /"(portico-[a-z-]+)"/).map { String($0.1) }
        #expect(!words.isEmpty)
        let help = Program.helpMessage(for: MapperCommand.Add.self, columns: 200)
        let documents = try Markdown.all().map(\.text).joined()
        for word in words { #expect(help.contains(word) && documents.contains(word), "\(word)") }
    }
}
