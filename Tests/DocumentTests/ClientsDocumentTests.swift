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

    @Test("docs/configuration.md has a row for every setting of a realm, and no other")
    func realm() throws {
        let table = Realm.memberRows.map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
        let rows = try Markdown("docs/configuration.md").rows(below: "## Settings of a realm")
        #expect(rows == Realm.memberRows, "The rows should be:\n\n\(table)\n")
    }
}
