import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// A realm where people make accounts, and one person who does.
struct RegistrationScene {
    let server: ProviderUnderTest
    let browser: TestBrowser

    static let request = TestFlow.request("native1", [("prompt", "create")])
    static let password = "seven rivers run to sea"
    static let form = [
        ("given_name", "Cora"), ("family_name", "Sample"), ("email", "cora@example.com"),
        ("username", "cora"), ("password", password), ("action", "create"),
    ]

    init(
        _ registration: Realm.Registration? = .username,
        sendsMail: Bool = true,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws {
        server = try await ProviderUnderTest(sendsMail: sendsMail) { new in
            new.realm.registration = registration
            configure(&new)
        }
        browser = TestBrowser(server)
    }

    /// Fills in the page, with changes.
    func submit(
        _ changes: [(String, String)] = [],
        _ request: [(String, String)] = Self.request,
        in other: TestBrowser? = nil
    ) async throws -> Reply {
        let browser = other ?? browser
        let page = try await browser.authorize(request)
        expectAsked(page)
        return try await browser.submit(page, Self.change(changes))
    }

    /// An empty value is sent as that.
    static func change(_ changes: [(String, String)]) -> [(String, String)] {
        form.map { field in changes.first { $0.0 == field.0 } ?? field }
    }

    func confirm(
        _ page: Reply,
        _ code: String? = nil,
        in other: TestBrowser? = nil
    ) async throws -> Reply {
        let mailed = try await server.mailedCode()
        return try await (other ?? browser)
            .submit(page, [("action", "confirm"), ("code", code ?? mailed)])
    }

    func person(_ login: String) async throws -> PersonWithRoles? {
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let found = try await server.database.people
            .credentials(realmID: realm.id, login: login, byEmail: true)
        guard let id = found?.person.id else { return nil }
        return try await server.database.people.person(id: id, realmID: realm.id)
    }

    func count() async throws -> Int {
        let realm = try #require(server.provider.realms.realm(named: "test"))
        return try await server.database.people
            .people(realmID: realm.id, after: nil, limit: 1000).count
    }

    /// The sign-in page does not offer to make an account, and who asks all the same gets none.
    func expectNotOffered(_ location: SourceLocation = #_sourceLocation) async throws {
        let signIn = try await browser.authorize(TestFlow.request())
        #expect(!signIn.text.contains(#"value="register""#), sourceLocation: location)
        for action in ["register", "create"] {
            let refused = try await browser.submit(signIn, Self.change([("action", action)]))
            #expect(refused.status == 404, sourceLocation: location)
        }
    }

    func expectAsked(_ page: Reply, _ location: SourceLocation = #_sourceLocation) {
        #expect(page.status == 200, sourceLocation: location)
        #expect(page.text.contains(#"name="given_name""#), sourceLocation: location)
    }

    /// The page that asks for the code: no account, no session.
    func expectCodeAsked(
        _ page: Reply,
        in other: TestBrowser? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(page.status == 200, sourceLocation: location)
        #expect(
            page.hiddenFields.contains { $0.name == "draft" },
            "\(page.text)",
            sourceLocation: location
        )
        let cookies = (other ?? browser).cookies
        #expect(!cookies.keys.contains { $0.contains("session") }, sourceLocation: location)
    }
}
