import Foundation
import HTTPTypes
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn
@testable import PorticoProvider

/// The addresses that scripts/dearest-request tries.
@Suite("The addresses of scripts/dearest-request, against the routes")
struct DearestRequestTests {
    private struct Entry: Decodable {
        let method: String
        let path: String
        let query: [String: String?]?
        let form: [String: String?]?
    }

    private let entries: [Entry]
    private let provider: RouteTable<RealmContext>
    private let backend: RouteTable<SignInContext>

    init() async throws {
        provider = try await ProviderUnderTest().provider.service.routes
        backend = try await BackendUnderTest().backend.service.routes
        let text = try Project.text("Tests/DearestRequest/addresses.json")
        entries = try JSONDecoder().decode([Entry].self, from: Data(text.utf8))
    }

    @Test("every address of the Provider is tried with each of its methods")
    func everyRow() {
        let tried = entries.compactMap { entry in
            provider.find(entry.path)?.address.routes.first.map { "\(entry.method) \($0.path)" }
        }
        let answered = provider.routes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(tried) == Set(answered))
    }

    @Test("every address of the backend is tried with each of its methods, and what it reads there")
    func everyOperation() throws {
        let document = try OpenAPIDocument()
        for operation in document.operations {
            // A parameter of a path is one segment, but for what follows an API's name.
            let path = operation.path.replacing("{path}", with: ".+")
                .replacing(/\{\w+\}/, with: "[^/]+")
            let pattern = try Regex("^\(path)$")
            let here = entries.filter {
                $0.method == operation.method && $0.path.contains(pattern)
                    && backend.find($0.path) != nil
            }
            #expect(!here.isEmpty, "\(operation.name)")
            let sent = Set(here.flatMap { ($0.query ?? [:]).keys })
            for (line, next) in zip(operation.lines, operation.lines.dropFirst())
            where next.contains("in: query") {
                let name = try #require(line.firstMatch(of: /- name: (\w+)/)).1
                #expect(sent.contains(String(name)), "\(operation.name) \(name)")
            }
        }
    }

    @Test("nothing is tried that is not there")
    func entriesAreAddresses() {
        let others = ["/healthz", "/readyz", "/nowhere"]
        for entry in entries where !others.contains(entry.path) {
            let provider = provider.find(entry.path)?.address.methods ?? []
            let backend = backend.find(entry.path)?.address.methods ?? []
            let methods = (provider + backend).map(\.rawValue)
            #expect(methods.contains(entry.method), "\(entry.method) \(entry.path)")
            // Only a request with a body has a form.
            #expect(
                entry.form == nil || !["GET", "DELETE"].contains(entry.method),
                "\(entry.path)"
            )
        }
    }
}
