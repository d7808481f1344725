import HTTPTypes
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("The description of the BFF's addresses, against its routes")
struct BackendRouteDocumentTests {
    private let document: OpenAPIDocument

    private let routes: RouteTable<SignInContext>

    init() async throws {
        document = try OpenAPIDocument()
        routes = try await BackendUnderTest().backend.service.routes
    }

    @Test("docs/openapi.yaml has every address of the BFF with its methods, and no other")
    func addresses() throws {
        let described = document.operations.map { operation in
            // An API's own path may be empty.
            let path = operation.path == "/bff/{api}" ? "/bff/{api}/{path}" : operation.path
            return "\(operation.method) \(path.replacing("{path}", with: "{rest...}"))"
        }
        let answered = routes.routes.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(described) == Set(answered))
    }

    @Test("no provider has the name of an address of ours: each of its own addresses leads to it")
    func providerNames() throws {
        let paths = Set(document.operations.map(\.path))
        let fixed = paths.map { $0.split(separator: "/").map(String.init) }.filter {
            $0.count == 3 && $0[0] == "v1" && $0[1] == "auth" && !$0[2].hasPrefix("{")
        }.map { $0[2] }
        #expect(Set(fixed).isSuperset(of: ["token", "refresh", "session", "logout"]))
        for name in fixed { #expect(!ProviderName.isAvailable(name), "\(name)") }
        let templates = paths.filter { $0.contains("{provider}") }
        try #require(templates.count > 6)
        for name in [
            "google", "apple", "facebook", "keycloak", "oidc", "team-1", "callback", "native",
        ] {
            #expect(ProviderName.isAvailable(name), "\(name)")
            for template in templates {
                let path = template.replacing("{provider}", with: name)
                let found = routes.find(path)?.address.routes.first?.path.description
                #expect(found == template)
            }
        }
    }

    @Test("docs/openapi.yaml has every error code of the BFF, and no other")
    func errors() {
        let listed = document.items(in: "components", "schemas", "ErrorCode")
        #expect(listed == ServiceError.Code.allCases.map(\.rawValue))
    }

    @Test("every error of the BFF has its row in docs/errors.md, with its status, and no other has")
    func errorRows() throws {
        let rows = try Markdown("docs/errors.md").rows(
            below: "## What the backend-for-frontend answers"
        )
        let listed = rows.map { "\($0[0]) \($0[1])" }
        let known = ServiceError.Code.allCases.map { "`\($0.rawValue)` \($0.status.code)" }
        #expect(Set(listed) == Set(known))
        #expect(listed.count == known.count)
    }

    @Test("docs/openapi.yaml has what the sign-in page is told of a failure")
    func failures() throws {
        let source = try Project.text("Sources/PorticoSignIn/Attempts/SignInFailure.swift")
        let words = source.matches(of: /(?m)^        case (\w+)(?: = "(\w+)")?$/)
            .map { String($0.2 ?? $0.1) }
        let listed = ["FailureError", "FailureReason"].flatMap {
            document.items(in: "components", "schemas", $0)
        }
        #expect(listed == words)
    }
}
