import Foundation
import Testing

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
}
