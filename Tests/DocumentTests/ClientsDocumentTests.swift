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
}
