import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak
@testable import PorticoStores
@testable import PorticoProvider

/// A client that names people in its own way (OpenID Connect Core §8.1), and what it sends back.
@Suite("Pairwise subjects") struct PairwiseSubjectTests {
    private static let ann = "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01"
    private static let secret = "a secret of the client apart"
    private static let path = "/realms/acme/protocol/openid-connect/"
    private static let redirect = "https://apart.example/cb"

    private static func file(_ members: String) -> String {
        #"""
        {"realm": "acme", "enabled": true, \#(members)
         "clients": [
           {"clientId": "apart", "secret": "\#(secret)", "rootUrl": "https://apart.example",
            "redirectUris": ["/cb"], "protocolMappers": [
              {"name": "p", "protocol": "openid-connect",
               "protocolMapper": "oidc-sha256-pairwise-sub-mapper",
               "config": {"pairwiseSubAlgorithmSalt": "salt"}}]}],
         "users": [
           {"username": "ann", "id": "\#(ann)", "enabled": true,
            "credentials": [{"value": "correct horse battery 1"}]},
           {"username": "bob", "id": "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e02", "enabled": true,
            "credentials": [{"value": "correct horse battery 1"}]}]}
        """#
    }

    private let server: ProviderUnderTest
    private let browser: TestBrowser
    private let tokens: Reply

    init() async throws {
        try await self.init("")
    }

    /// - Parameter members: Of the file.
    private init(_ members: String) async throws {
        server = try await .importing(Self.file(members))
        browser = TestBrowser(server)
        let code = try await Self.signIn("ann", browser).redirected["code"] ?? ""
        tokens = try await server.post(
            Self.path + "token",
            TestFlow.redemption(
                code,
                "apart",
                [("redirect_uri", Self.redirect), ("client_secret", Self.secret)]
            )
        )
    }

    private static func authorize(_ browser: TestBrowser, _ changes: [(String, String)] = [])
        async throws -> Reply
    {
        try await browser.authorize("apart", [("redirect_uri", redirect)] + changes)
    }

    private static func signIn(_ name: String, _ browser: TestBrowser) async throws -> Reply {
        try await browser.submit(
            try await authorize(browser),
            [("username", name), ("password", "correct horse battery 1")]
        )
    }

    private func subject() throws -> String {
        let text = try #require(tokens.json.string("id_token"))
        return try #require(try JWT(parsing: text).uncheckedClaims().string("sub"))
    }

    @Test("OpenID Connect Core §8.1: every token has the client's own name, of its root URL's host")
    func everywhere() async throws {
        let expected = PairwiseSubject(salt: "salt", sector: nil)(
            Self.ann,
            own: "apart.example",
            clientID: "apart"
        )
        #expect(try subject() == expected && expected != Self.ann)
        let access = try #require(tokens.json.string("access_token"))
        #expect(try JWT(parsing: access).uncheckedClaims().string("sub") == expected)
        let refresh = try #require(tokens.json.string("refresh_token"))
        let described = try await server.post(
            Self.path + "token/introspect",
            [("token", refresh), ("client_id", "apart"), ("client_secret", Self.secret)]
        )
        #expect(described.json.bool("active") == true)
        #expect(described.json.string("sub") == expected)
    }

    @Test("the same in a realm of before Keycloak 25, where sub was in every token")
    func formerRealm() async throws {
        let scopes = #""clientScopes": [{"name": "profile", "protocol": "openid-connect"}],"#
        let former = try await Self(scopes)
        let access = try #require(former.tokens.json.string("access_token"))
        let claims = try JWT(parsing: access).uncheckedClaims()
        #expect(try claims.string("sub") == former.subject() && former.subject() == subject())
    }

    @Test("OpenID Connect Back-Channel Logout §2.4: sub is that of the client's ID Tokens")
    func logoutToken() async throws {
        let realm = try #require(server.provider.realms.realm(named: "acme"))
        let client = try #require(try await realm.client(clientID: "apart"))
        let token = LogoutToken(
            realm: realm,
            client: client,
            delivery: LogoutDelivery(
                sessionID: "sid",
                clientID: client.id,
                realmID: realm.id,
                personID: Self.ann,
                attempts: 1
            )
        )
        let text = try token.signed(at: Moment(now: server.clock.now, random: .system))
        #expect(try JWT(parsing: text).uncheckedClaims().string("sub") == subject())
    }

    @Test("OpenID Connect Core §3.1.2.1: an id_token_hint names the person whose token it is")
    func hint() async throws {
        let hint = try #require(tokens.json.string("id_token"))
        let silent = [("prompt", "none"), ("id_token_hint", hint)]
        #expect(try await Self.authorize(browser, silent).redirected["code"] != nil)
        let other = TestBrowser(server)
        #expect(try await Self.signIn("bob", other).redirected["code"] != nil)
        #expect(try await Self.authorize(other, silent).redirected["error"] == "login_required")
    }

    @Test("OpenID Connect Core §5.5.1: a value for sub is the client's own name for the person")
    func value() async throws {
        func asked(_ subject: String) async throws -> Reply {
            let claims = #"{"id_token":{"sub":{"value":"\#(subject)"}}}"#
            return try await Self.authorize(browser, [("prompt", "none"), ("claims", claims)])
        }
        #expect(try await asked(subject()).redirected["code"] != nil)
        #expect(try await asked(Self.ann).redirected["error"] == "login_required")
    }
}
