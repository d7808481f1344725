import Foundation
package import HTTPTypes
package import PorticoProtocol
package import PorticoStores

/// Requests that work, so that a test changes the one thing it is about. Verifier and challenge are
/// those of RFC 7636 appendix B.
package enum TestFlow {
    package static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    package static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    package static let redirects = [
        "web1": "https://app.example.com/cb", "native1": "com.example.app:/cb",
        "other1": "https://other.example.net/cb", "jwt1": "https://jwt.example.com/cb",
        "third": "https://third.example.org/cb", "plain": "https://plain.example.org/cb",
    ]

    /// An authorization request; `changes` replace, and an empty value removes, a parameter.
    package static func request(
        _ client: String = "native1",
        scope: String = "openid profile email",
        _ changes: [(String, String)] = []
    ) -> [(String, String)] {
        change(
            [
                ("client_id", client), ("response_type", "code"),
                ("redirect_uri", redirects[client] ?? ""), ("scope", scope), ("state", "s-1"),
                ("nonce", "n-1"), ("code_challenge", challenge),
                ("code_challenge_method", "S256"),
            ],
            changes
        )
    }

    /// Without a page, and with the password in any case.
    package static let silent = request("native1", [("prompt", "none")])
    package static let again = request("native1", [("prompt", "login")])
    /// What a client asks for to get a token of its own.
    package static let own = [("grant_type", "client_credentials")]

    /// The redemption of a code.
    package static func redemption(
        _ code: String,
        _ client: String = "native1",
        _ changes: [(String, String)] = []
    ) -> [(String, String)] {
        change(
            [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", client),
                ("redirect_uri", redirects[client] ?? ""), ("code_verifier", verifier),
            ],
            changes
        )
    }

    package static let assertionType = (
        "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    )

    /// How `jwt1` authenticates.
    package static func assertion(_ jwt: String) -> [(String, String)] {
        [assertionType, ("client_assertion", jwt)]
    }

    package static func change(_ base: [(String, String)], _ changes: [(String, String)])
        -> [(String, String)]
    {
        var parameters = base
        for (name, value) in changes {
            if let index = parameters.firstIndex(where: { $0.0 == name }) {
                parameters[index].1 = value
            } else {
                parameters.append((name, value))
            }
        }
        return parameters.filter { !$0.1.isEmpty }
    }
}

extension String {
    /// A path below the OpenID Connect endpoints of the realm `test`.
    package static func endpoint(_ name: String) -> String { ProviderUnderTest.path(name) }
}

extension HTTPFields {
    /// How `web1` authenticates.
    package static let web1: HTTPFields = [
        .authorization: ProviderUnderTest.basic("web1", TestRealm.secret)
    ]

    package static func basic(_ user: String, _ password: String) -> HTTPFields {
        [.authorization: ProviderUnderTest.basic(user, password)]
    }
}

/// What is answered to each of `items`, all at the same time.
package func atOnce<Items: Sequence, Answer: Sendable>(
    _ items: Items,
    _ ask: @escaping @Sendable (Items.Element) async throws -> Answer
) async throws -> [Answer] where Items.Element: Sendable {
    try await withThrowingTaskGroup(of: Answer.self) { group in
        for item in items { group.addTask { try await ask(item) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

extension ProviderUnderTest {
    /// A server with the realm `test`, and a browser that has not been there yet.
    package static func withBrowser(
        sendsMail: Bool = false,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws -> (ProviderUnderTest, TestBrowser) {
        let server = try await ProviderUnderTest(sendsMail: sendsMail, configure: configure)
        return (server, TestBrowser(server))
    }

    /// The realm's OpenID Connect metadata.
    package func metadata() async throws -> JSONObject {
        try await send(.get, "/realms/test/.well-known/openid-configuration").json
    }

    /// Introspection of a token, asked by `web1`.
    package func introspect(_ token: String) async throws -> Reply {
        try await post(.endpoint("token/introspect"), [("token", token)], headers: .web1)
    }

    /// `POST /token`.
    package func token(_ form: [(String, String)], basic: (String, String)? = nil) async throws
        -> Reply
    {
        var headers: HTTPFields = [:]
        if let basic { headers[.authorization] = Self.basic(basic.0, basic.1) }
        return try await post(path(of: "token"), form, headers: headers)
    }

    /// A whole sign-in of `name` with a client of `client`'s kind: the token response.
    package func tokens(
        _ name: String = "alice",
        _ client: String = "native1",
        scope: String = "openid profile email",
        _ changes: [(String, String)] = [],
        browser: TestBrowser? = nil
    ) async throws -> Reply {
        let code = try await code(name, client, scope: scope, changes, browser: browser)
        return try await redeem(code, client)
    }

    package func code(
        _ name: String = "alice",
        _ client: String = "native1",
        scope: String = "openid profile email",
        _ changes: [(String, String)] = [],
        browser: TestBrowser? = nil
    ) async throws -> String {
        let browser = browser ?? TestBrowser(self)
        let request = TestFlow.request(client, scope: scope, changes)
        return try await browser.signIn(name, request).redirected["code"] ?? ""
    }

    package func redeem(
        _ code: String,
        _ client: String = "native1",
        _ changes: [(String, String)] = []
    )
        async throws -> Reply
    {
        switch client {
        case "web1":
            let form = TestFlow.redemption(code, client, [("client_id", "")] + changes)
            return try await token(form, basic: ("web1", TestRealm.secret))
        case "other1":
            let secret = ("client_secret", TestRealm.otherSecret)
            return try await token(TestFlow.redemption(code, client, [secret] + changes))
        default:
            return try await token(TestFlow.redemption(code, client, changes))
        }
    }

    package func refresh(
        _ token: String,
        _ client: String = "native1",
        key: String? = nil,
        _ changes: [(String, String)] = []
    ) async throws -> Reply {
        var headers: HTTPFields = [:]
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        let form = TestFlow.change(
            [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)],
            changes
        )
        return try await post(path(of: "token"), form, headers: headers)
    }

    package func userInfo(_ token: String) async throws -> Reply {
        try await send(
            .get,
            Self.path("userinfo"),
            headers: [.authorization: "Bearer " + token]
        )
    }

    package static func basic(_ user: String, _ password: String) -> String {
        var pair: [UInt8] = []
        FormEncoding.append(user.utf8, to: &pair)
        pair.append(UInt8(ascii: ":"))
        FormEncoding.append(password.utf8, to: &pair)
        return "Basic " + Data(pair).base64EncodedString()
    }
}
