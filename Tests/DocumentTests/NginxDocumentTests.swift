import Foundation
import PorticoProvider
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProgram

@Suite("The page about nginx, against what the backend says") struct NginxDocumentTests {
    /// What the answer of `/v1/auth/session` tells of the person in headers.
    private func identityHeaders() throws -> [String] {
        let document = try OpenAPIDocument()
        let session = try #require(
            document.operations.first { $0.name == "GET /v1/auth/session" }
        )
        return session.lines.compactMap { line in
            line.wholeMatch(of: /\s+(X-Portico-[A-Za-z-]+):/).map { String($0.1) }
        }
    }

    @Test(
        "every example for a proxy sets each header that says who a person is, from the backend only"
    )
    func headers() throws {
        let names = try identityHeaders()
        try #require(names.count == 5)
        // What the products of docs/clients.md ask there is not the backend.
        let blocks = try Project.documents.filter { $0 != "docs/clients.md" }.flatMap { path in
            try Project.text(path).components(separatedBy: "```").filter {
                $0.contains("auth_request ")
            }
        }
        try #require(!blocks.isEmpty)
        for block in blocks {
            for name in names {
                let variable = "\\$upstream_http_" + name.lowercased().replacing("-", with: "_")
                let taken = try Regex("auth_request_set (\\$\\w+) \(variable);")
                let match = try #require(block.firstMatch(of: taken), "\(name)")
                let value = String(try #require(match[1].substring))
                #expect(block.contains("proxy_set_header \(name) \(value);"), "\(name)")
            }
            let set = block.matches(of: /proxy_set_header (X-Portico-[A-Za-z-]+)[ ]/)
            #expect(Set(set.map { String($0.1) }) == Set(names))
        }
    }

    /// The addresses at the public URL: those of the backend, of realms, and of images.
    private func addresses() async throws -> [String] {
        let backend = try OpenAPIDocument().operations.map { operation in
            String(operation.name.split(separator: " ").last ?? "")
        }
        let provider = try await ProviderUnderTest().provider.service
        let realms = provider.routes.routes.map { $0.path.description }.filter { path in
            // What only a realm with a host of its own has: docs/decisions/0064.
            path != "/.well-known/oauth-protected-resource" && !path.hasPrefix("/oauth/")
        }
        let images = try PageImages([PageImage.logo: PageImage(svg: "<svg/>")], provider.page)
        return backend + realms + images.routes.routes.map { $0.path.description }
    }

    @Test("every address of the program leads there in the file for nginx, and in its table")
    func paths() async throws {
        let page = try Project.text("docs/nginx.md")
        let block = try #require(page.firstMatch(of: #/```nginx\n([\s\S]*?)```/#)).1
        let expressions = try block.matches(of: #/location ~ "([^"]+)"/#)
            .map { try Regex(String($0.1).replacing("\\.", with: "[.]")) }
        #expect(expressions.count == 3)
        let table = page.components(separatedBy: "## Portico's paths").last ?? ""
        let listed =
            table.components(separatedBy: "## ").first?
            .matches(of: /`(\/[^`]*)`/).map { String($0.1).replacing("NAME", with: "x") } ?? []
        let addresses = try await addresses()
        #expect(Set(addresses).isSuperset(of: ["/favicon.ico", "/.well-known/change-password"]))
        for address in addresses where address != "/" {
            let path = address.replacing(/\{[^}]+\}/, with: "x")
            #expect(expressions.contains { path.firstMatch(of: $0) != nil }, "\(path)")
            let isListed = listed.contains { entry in
                entry == path || entry == path + "/…"
                    || entry.hasSuffix("…") && path.hasPrefix(entry.dropLast())
            }
            #expect(isListed, "\(path)")
        }
        for path in ["/orders", "/loginx", "/api/authors", "/v12", "/realmsx"] {
            #expect(!expressions.contains { path.firstMatch(of: $0) != nil }, "\(path)")
        }
    }
}
