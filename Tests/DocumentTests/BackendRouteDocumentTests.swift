import HTTPTypes
import Testing

@testable import PorticoBackend

@Suite("The description of the BFF's addresses, against its routes")
struct BackendRouteDocumentTests {
    private let document: OpenAPIDocument

    init() throws {
        document = try OpenAPIDocument()
    }

    /// The compiler names this switch to whoever adds an address: the list below is next to it.
    private static func name(of route: BackendRoute) -> String {
        switch route {
        case .start: "start"
        case .callback: "callback"
        case .linkCallback: "link callback"
        case .token: "token"
        case .refresh: "refresh"
        case .nativeNonce: "native nonce"
        case .native: "native"
        case .oneTap: "one tap"
        case .backchannelLogout: "back-channel logout"
        case .appleNotifications: "Apple's notifications"
        case .facebookDeauthorize: "Facebook's deauthorization"
        case .facebookDataDeletion: "Facebook's data deletion"
        case .session: "session"
        case .logout: "logout"
        case .account: "account"
        case .accountSessions: "sessions"
        case .accountSession: "one session"
        case .accountProviders: "providers"
        case .link: "link"
        case .unlink: "unlink"
        case .email: "email"
        case .confirmEmail: "confirm email"
        case .reauthentication: "reauthentication"
        case .confirmReauthentication: "confirm reauthentication"
        case .proxy: "proxy"
        case .appleAssociation: "Apple's association file"
        case .assetLinks: "Android's asset links"
        case .page(let page): page.rawValue
        }
    }

    private static let names: Set = [
        "start", "callback", "link callback", "token", "refresh", "native nonce", "native",
        "one tap", "back-channel logout", "Apple's notifications", "Facebook's deauthorization",
        "Facebook's data deletion", "session", "logout", "account", "sessions", "one session",
        "providers", "link", "unlink", "email", "confirm email", "reauthentication",
        "confirm reauthentication", "proxy",
        "Apple's association file", "Android's asset links",
    ]

    @Test("docs/openapi.yaml has every address of the BFF with its methods, and no other")
    func routes() throws {
        var described: [String: Set<String>] = [:]
        var answered: [String: Set<String>] = [:]
        for operation in document.operations {
            let path = operation.path.replacing(/\{\w+\}/, with: "some")
            let route = try #require(BackendRoute.find(path), "\(operation.name)")
            let name = Self.name(of: route)
            described[name, default: []].insert(operation.method)
            answered[name] = Set(route.methods.map(\.rawValue))
        }
        #expect(described == answered)
        #expect(Set(described.keys) == Self.names.union(BackendPageRoute.allCases.map(\.rawValue)))
    }

    @Test("no provider has the name of an address of ours: each of its own addresses leads to it")
    func providerNames() throws {
        let paths = Set(document.operations.map(\.path))
        let fixed = paths.map { $0.split(separator: "/").map(String.init) }.filter {
            $0.count == 3 && $0[0] == "v1" && $0[1] == "auth" && !$0[2].hasPrefix("{")
        }.map { $0[2] }
        #expect(Set(fixed).isSuperset(of: ["token", "refresh", "session", "logout"]))
        for name in fixed { #expect(!BackendRoute.admits(providerNamed: name), "\(name)") }
        let templates = paths.filter { $0.contains("{provider}") }
        try #require(templates.count > 6)
        for name in [
            "google", "apple", "facebook", "keycloak", "oidc", "team-1", "callback", "native",
        ] {
            #expect(BackendRoute.admits(providerNamed: name), "\(name)")
            for template in templates {
                let found = BackendRoute.find(template.replacing("{provider}", with: name))
                let usual = BackendRoute.find(template.replacing("{provider}", with: "usual"))
                #expect(found.map(Self.name) == usual.map(Self.name), "\(name) \(template)")
            }
        }
    }

    @Test("docs/openapi.yaml has every error code of the BFF, and no other")
    func errors() {
        let listed = document.items(in: "components", "schemas", "ErrorCode")
        #expect(listed == BackendError.Code.allCases.map(\.rawValue))
    }

    @Test("every error of the BFF has its row in docs/errors.md, with its status, and no other has")
    func errorRows() throws {
        let rows = try Markdown("docs/errors.md").rows(
            below: "## What the backend-for-frontend answers"
        )
        let listed = rows.map { "\($0[0]) \($0[1])" }
        let known = BackendError.Code.allCases.map { "`\($0.rawValue)` \($0.status.code)" }
        #expect(Set(listed) == Set(known))
        #expect(listed.count == known.count)
    }

    @Test("docs/openapi.yaml has what the sign-in page is told of a failure")
    func failures() throws {
        let source = try Project.text("Sources/PorticoBackend/Attempts/SignInFailure.swift")
        let words = source.matches(of: /(?m)^        case (\w+)(?: = "(\w+)")?$/)
            .map { String($0.2 ?? $0.1) }
        let listed = ["FailureError", "FailureReason"].flatMap {
            document.items(in: "components", "schemas", $0)
        }
        #expect(listed == words)
    }
}
