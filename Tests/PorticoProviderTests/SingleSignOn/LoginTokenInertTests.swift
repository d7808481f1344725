import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Login tokens that are good for nothing") struct LoginTokenInertTests {
    /// Why a token is good for nothing: each differs from a working request by one thing.
    enum Fault: String, CaseIterable, Sendable {
        case otherClient, spent, late, ended, personDisabled, truncated, changed, longer
        case unlisted, sourceDisabled, login, selectAccount, tooOld, alwaysTooOld, noChallenge
        case otherPerson
    }

    /// - Returns: The request that is good for nothing, and its client.
    private func request(_ fault: Fault, _ scene: LoginTokenScene) async throws -> (
        [(String, String)], String
    ) {
        let server = scene.server
        let client = fault == .noChallenge ? "web1" : "plain"
        var token = try await scene.token(for: client)
        var changes: [(String, String)] = []
        switch fault {
        case .otherClient: token = try await scene.token(for: "web1")
        case .spent:
            let answer = try await TestBrowser(server).authorize(scene.pushed(scene.request(token)))
            #expect(try await server.redeem(expectCode(answer, of: "plain"), "plain").status == 200)
        case .late: server.clock.advance(by: 60)
        case .ended:
            try await scene.endSession()
        case .personDisabled:
            let claims = try ProviderUnderTest.claims(scene.tokens.json.string("id_token"))
            let person = try await server.database.people.person(
                id: claims.string("sub") ?? "",
                realmID: try #require(server.provider.realms.realm(named: "test")).id
            )
            var disabled = try #require(person?.person)
            disabled.isEnabled = false
            #expect(try await server.database.people.update(disabled) == .changed)
        case .truncated: token = String(token.dropLast(4))
        case .changed: token = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
        case .longer: token += "AAAA"
        case .unlisted: try await server.change("native1") { $0.loginTokenTargets = [] }
        case .sourceDisabled: try await server.change("native1") { $0.isEnabled = false }
        case .login: changes = [("prompt", "login")]
        case .selectAccount: changes = [("prompt", "select_account")]
        case .tooOld:
            server.clock.advance(by: 30)
            changes = [("max_age", "10")]
        case .alwaysTooOld: changes = [("max_age", "0")]
        case .noChallenge: changes = [("code_challenge", ""), ("code_challenge_method", "")]
        case .otherPerson:
            let other = try await server.tokens("bob")
            changes = [("id_token_hint", try other.idToken)]
        }
        return (
            TestFlow.request(client, scope: "openid", [("login_hint", token)] + changes), client
        )
    }

    private func scene() async throws -> LoginTokenScene {
        try await LoginTokenScene(
            targets: [.init(clientID: "plain", isSilent: true), .init(clientID: "web1")]
        )
    }

    @Test(
        "RFC8693-LT-2, LT-3, LT-5, attack C30: such a token is as good as no hint, pushed",
        arguments: Fault.allCases
    )
    func pushed(_ fault: Fault) async throws {
        let scene = try await scene()
        let (request, _) = try await request(fault, scene)
        let before = try await scene.server.remains()
        let browser = TestBrowser(scene.server)
        let page = try await browser.authorize(try await scene.pushed(request))
        try expectNothing(page, request)
        var remains = before
        remains.pushedRequests += 1
        #expect(try await scene.server.remains() == remains)
    }

    @Test(
        "RFC8693-LT-7: such a token leaves the address too, even where links are silent",
        arguments: Fault.allCases
    )
    func link(_ fault: Fault) async throws {
        let scene = try await scene()
        let (request, _) = try await request(fault, scene)
        let before = try await scene.server.remains()
        let browser = TestBrowser(scene.server)
        let first = try await browser.authorize(request)
        #expect(first.status == 303)
        let location = try #require(first.location)
        #expect(location.hasPrefix("/realms/test/login-actions/restart?request="))
        try expectNothing(try await browser.get(location), request)
        #expect(try await scene.server.remains() == before)
        let token = request.first { $0.0 == "login_hint" }?.1 ?? "-"
        #expect(!scene.server.log.contains(token))
    }

    /// The page for a person of whom nothing is known.
    private func expectNothing(_ page: Reply, _ request: [(String, String)]) throws {
        expectPage(page, "authenticate")
        #expect(page.userName == "")
        #expect(!page.text.contains("login-token"))
        for name in ["Alice Example", "alice@example"] { #expect(!page.text.contains(name)) }
        let token = try #require(request.first { $0.0 == "login_hint" }?.1)
        #expect(!page.text.contains(token))
    }

    @Test("OpenID Connect Core §3.1.2.1: such a token leaves the browser's own session its meaning")
    func ownSession() async throws {
        let scene = try await scene()
        let (request, client) = try await request(.spent, scene)
        let bob = TestBrowser(scene.server)
        _ = try await scene.server.tokens("bob", browser: bob)
        let answer = try await bob.authorize(try await scene.pushed(request))
        #expect(try await scene.server.redeem(expectCode(answer, of: client), client).status == 200)
    }

    @Test("RFC8693-LT-6: the response goes to a registered redirect URI, or nowhere")
    func redirect() async throws {
        let scene = try await scene()
        let request = scene.request(
            try await scene.token(),
            "plain",
            [("redirect_uri", "https://evil.example/cb")]
        )
        expectErrorPage(try await TestBrowser(scene.server).authorize(request))
        let token = request.first { $0.0 == "login_hint" }?.1 ?? "-"
        #expect(!scene.server.log.contains(token))
    }

    @Test("OpenID Connect Core §3.1.2.1: an address or a name as login_hint still fills the field")
    func names() async throws {
        let server = try await ProviderUnderTest()
        for name in ["alice@example.com", "alice", "login", "a login-token.x"] {
            let request = TestFlow.request("native1", [("login_hint", name)])
            let page = try await TestBrowser(server).authorize(request)
            expectPage(page, "authenticate")
            #expect(page.userName == name)
        }
    }
}
