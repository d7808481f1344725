import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// A realm in which the app `native1` may hand its sign-in on to `plain` and `third`, with alice signed
/// in to `native1`.
struct LoginTokenScene {
    static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let loginToken = "urn:portico:token-type:login-token"
    static let refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"

    let server: ProviderUnderTest
    /// Where alice signed in.
    let browser: TestBrowser
    let tokens: Reply

    init(
        scope: String = "openid profile email",
        targets: [LoginTokenTarget] = [.init(clientID: "plain"), .init(clientID: "third")],
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws {
        server = try await ProviderUnderTest { new in
            new.clients[client: "native1"].loginTokenTargets = targets
            configure(&new)
        }
        browser = TestBrowser(server)
        tokens = try await server.tokens(scope: scope, browser: browser)
    }

    /// Of a server where alice has signed in so that nothing more is asked of her.
    init(_ server: ProviderUnderTest, signedIn browser: TestBrowser, _ tokens: Reply) {
        self.server = server
        self.browser = browser
        self.tokens = tokens
    }

    var refresh: String { tokens.json.string("refresh_token") ?? "" }

    /// `POST /token`; `changes` replace, and an empty value removes, a parameter.
    func exchange(_ changes: [(String, String)] = [], basic: (String, String)? = nil) async throws
        -> Reply
    {
        try await server.token(
            TestFlow.change(
                [
                    ("grant_type", Self.grantType), ("client_id", "native1"),
                    ("requested_token_type", Self.loginToken), ("audience", "plain"),
                    ("subject_token", refresh), ("subject_token_type", Self.refreshToken),
                ],
                changes
            ),
            basic: basic
        )
    }

    func token(for client: String = "plain") async throws -> String {
        try #require(try await exchange([("audience", client)]).json.string("access_token"))
    }

    /// An authorization request of the target with the token.
    func request(
        _ token: String,
        _ client: String = "plain",
        _ changes: [(String, String)] = []
    ) -> [(String, String)] {
        TestFlow.request(client, scope: "openid", [("login_hint", token)] + changes)
    }

    /// The same by way of a pushed request (RFC 9126).
    func pushed(_ request: [(String, String)]) async throws -> [(String, String)] {
        let uri = try await server.push(request).requestURI
        return [("client_id", request[0].1), ("request_uri", uri)]
    }

    /// Ends the session that alice signed in with.
    func endSession() async throws {
        let claims = try tokens.claims
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let change = try await server.database.sessions.end(
            id: claims.string("sid") ?? "",
            realmID: realm.id,
            at: server.clock.seconds
        )
        #expect(change == .changed)
    }

    func sessionCookie(_ browser: TestBrowser) -> String? {
        browser.cookies.first { $0.key.contains("session") }?.value
    }
}

extension Reply {
    /// What the page's field for the name says.
    var userName: String? {
        text.firstMatch(of: /<input[^>]*name="username"[^>]*>/).map { String($0.0) }
            .map { $0.firstMatch(of: /value="([^"]*)"/).map { String($0.1) } ?? "" }
    }
}
