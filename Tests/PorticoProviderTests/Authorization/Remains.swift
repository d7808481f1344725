import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// What is in the store after a request: a refusal must leave it as it was.
struct Remains: Hashable, Sendable {
    var liveSessions: Int64 = 0
    var sessions: Int64 = 0
    var grants: Int64 = 0
    var pushedRequests: Int64 = 0
    var consents: Int64 = 0
}

extension ProviderUnderTest {
    /// A server, and a browser in which a person has signed in to it.
    static func signedIn(_ name: String = "alice") async throws -> (
        ProviderUnderTest, TestBrowser
    ) {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        expectCode(try await browser.signIn(name, TestFlow.request()))
        return (server, browser)
    }

    func remains() async throws -> Remains {
        try database.database.read { reader in
            func count(_ sql: SQLText) throws -> Int64 {
                try reader.first(sql, []) { try $0.int64(0) } ?? -1
            }
            return Remains(
                liveSessions: try count(
                    "SELECT count(*) FROM sessions WHERE ended_at IS NULL"
                ),
                sessions: try count("SELECT count(*) FROM sessions"),
                grants: try count("SELECT count(*) FROM grants"),
                pushedRequests: try count("SELECT count(*) FROM pushed_requests"),
                consents: try count("SELECT count(*) FROM consents")
            )
        }
    }

    /// How many assertions and proofs are known to be used.
    func spentAssertions() async throws -> Int64 {
        try database.database.read { reader in
            try reader.first("SELECT count(*) FROM spent_once", []) { try $0.int64(0) } ?? -1
        }
    }

    /// Changes a client's registration while the server runs.
    func change(_ clientID: String, _ change: (inout Client) -> Void) async throws {
        let clients = try await database.realms.snapshot().clients
        var client = try #require(clients.first { $0.clientID == clientID })
        change(&client)
        #expect(try await database.realms.update(client) == .changed)
        try await provider.realms.refresh()
    }

    func changeRealm(_ change: (inout Realm) -> Void) async throws {
        var realm = try #require(try await database.realms.snapshot().realms.first)
        change(&realm)
        #expect(try await database.realms.update(realm) == .changed)
        try await provider.realms.refresh()
    }

    /// A person of the realm `test`, as kept.
    func person(_ name: String = "alice") async throws -> PersonCredentials {
        let realm = try #require(provider.realms.realm(named: "test"))
        let found = try await database.people
            .credentials(realmID: realm.id, login: name, byEmail: false)
        return try #require(found)
    }

    /// `POST …/ext/par/request`, authenticated as the client's registration wants it.
    func push(_ parameters: [(String, String)]) async throws -> Reply {
        let path = Self.path("ext/par/request")
        guard parameters.contains(where: { $0 == ("client_id", "web1") }) else {
            return try await post(path, parameters)
        }
        return try await post(path, parameters.filter { $0.0 != "client_id" }, headers: .web1)
    }

    /// A pushed request, as it is opened in a browser.
    func reference(to request: [(String, String)]) async throws -> [(String, String)] {
        let uri = try await push(request).requestURI
        return [
            ("client_id", request.first { $0.0 == "client_id" }?.1 ?? ""), ("request_uri", uri),
        ]
    }

    /// The claims of a token that came from the token endpoint, unchecked.
    static func claims(_ token: String?) throws -> JSONObject {
        try JWT(parsing: try #require(token)).uncheckedClaims()
    }
}

extension TestBrowser {
    /// A sign-out that an app sends its person to (OpenID Connect RP-Initiated Logout §2).
    func logout(
        hint: String? = nil,
        client: String? = nil,
        to address: String? = nil,
        state: String? = nil,
        _ others: (String, String)...
    ) async throws -> Reply {
        let named = [
            ("id_token_hint", hint), ("client_id", client), ("post_logout_redirect_uri", address),
            ("state", state),
        ]
        let parameters = named.compactMap { name, value in value.map { (name, $0) } } + others
        return try await get(
            Self.authorizationPath(parameters, at: .endpoint("logout")),
            headers: [.accept: "text/html"]
        )
    }
}

/// A page of our own with an error on it, and nothing that leads anywhere else (RFC 6749 §4.1.2.1).
func expectErrorPage(
    _ reply: Reply,
    status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == status, sourceLocation: sourceLocation)
    #expect(reply.location == nil, sourceLocation: sourceLocation)
    #expect(
        reply.headers[.contentType] == "text/html; charset=utf-8",
        sourceLocation: sourceLocation
    )
    #expect(reply.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
    #expect(reply.headers[values: .setCookie].isEmpty, sourceLocation: sourceLocation)
    #expect(!reply.text.contains("http-equiv"), sourceLocation: sourceLocation)
    // Ours, whose hash the policy has, and none besides.
    #expect(reply.text.matches(of: /<script/).count <= 1, sourceLocation: sourceLocation)
    #expect(!reply.text.contains("evil"), sourceLocation: sourceLocation)
}

/// An error sent to the registered redirect URI, with `state` and `iss` and nothing to redeem
/// (RFC 6749 §4.1.2.1, RFC 9207 §2).
func expectError(
    _ reply: Reply,
    _ code: String,
    of client: String = "native1",
    state: String? = "s-1",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == 303, sourceLocation: sourceLocation)
    let location = reply.location ?? ""
    let redirect = TestFlow.redirects[client] ?? "-"
    #expect(location.hasPrefix(redirect + "?"), "\(location)", sourceLocation: sourceLocation)
    #expect(!location.contains("#"), sourceLocation: sourceLocation)
    #expect(reply.redirected["error"] == code, sourceLocation: sourceLocation)
    #expect(reply.redirected["state"] == state, sourceLocation: sourceLocation)
    #expect(reply.redirected["iss"] == TestRealm.issuer, sourceLocation: sourceLocation)
    #expect(reply.redirected["code"] == nil, sourceLocation: sourceLocation)
    #expect(reply.body.isEmpty, sourceLocation: sourceLocation)
    #expect(reply.headers[values: .setCookie].isEmpty, sourceLocation: sourceLocation)
}

/// A code sent to the registered redirect URI, with `state` and `iss` (OpenID Connect Core §3.1.2.5).
@discardableResult
func expectCode(
    _ reply: Reply,
    of client: String = "native1",
    sourceLocation: SourceLocation = #_sourceLocation
) -> String {
    #expect(reply.status == 303, sourceLocation: sourceLocation)
    let redirect = TestFlow.redirects[client] ?? "-"
    let location = reply.location ?? ""
    #expect(location.hasPrefix(redirect + "?"), "\(location)", sourceLocation: sourceLocation)
    #expect(reply.redirected["state"] == "s-1", sourceLocation: sourceLocation)
    #expect(reply.redirected["iss"] == TestRealm.issuer, sourceLocation: sourceLocation)
    #expect(reply.redirected["error"] == nil, sourceLocation: sourceLocation)
    let code = reply.redirected["code"] ?? ""
    #expect(!code.isEmpty, sourceLocation: sourceLocation)
    return code
}

/// Which page it is, by the address its form goes to.
func expectPage(
    _ reply: Reply,
    _ action: String,
    status: Int = 200,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == status, sourceLocation: sourceLocation)
    #expect(reply.location == nil, sourceLocation: sourceLocation)
    #expect(
        reply.formAction == "/realms/test/login-actions/" + action,
        sourceLocation: sourceLocation
    )
}

/// The server that refused requests share: none of them leaves anything behind.
enum RefusedRequests {
    static let server = Task { try await ProviderUnderTest() }
}

/// Client and redirect URI are good, something else is not: the error goes to the redirect URI
/// before anyone sees a page, by GET, by POST and where the request is pushed; nothing is kept.
func expectRefused(
    _ changes: [(String, String)],
    adding added: [(String, String)] = [],
    of client: String = "native1",
    as code: String,
    state: String? = "s-1",
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let server = try await RefusedRequests.server.value
    let request = TestFlow.request(client, changes) + added
    expectError(
        try await server.send(.get, TestBrowser.authorizationPath(request)),
        code,
        of: client,
        state: state,
        sourceLocation: sourceLocation
    )
    expectError(
        try await server.post(.endpoint("auth"), request),
        code,
        of: client,
        state: state,
        sourceLocation: sourceLocation
    )
    let pushed = try await server.push(request)
    #expect(pushed.status == 400, sourceLocation: sourceLocation)
    // RFC 9126 §2.1: request_uri must not be pushed, whatever it says.
    let expected = code == "request_uri_not_supported" ? "invalid_request" : code
    #expect(pushed.error == expected, sourceLocation: sourceLocation)
    #expect(pushed.json["request_uri"] == nil, sourceLocation: sourceLocation)
    #expect(try await server.remains() == Remains(), sourceLocation: sourceLocation)
}

/// ID Tokens that look like one of ours and are not (attack B23, attack E30).
struct HintForge {
    /// Each differs from a good one by one thing.
    let all: [String]

    init(_ token: String) throws {
        let jwt = try JWT(parsing: token)
        let claims = try jwt.uncheckedClaims()
        let other = try SigningKey(generating: .es256, keyID: jwt.header.keyID, random: .system)
        var issuer = claims
        issuer["iss"] = "https://evil.example/realms/test"
        let parts = token.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        var changed = claims
        changed["sub"] = "somebody-else"
        let payload = Base64URL.encode(changed.serialized())
        all = [
            try other.sign(claims: claims, type: .jwt),
            try other.sign(claims: issuer, type: .jwt),
            try TestRealm.clientKey.sign(claims: claims, type: .jwt),
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(payload).\(parts[2])", "\(parts[0]).\(parts[1]).",
            "\(parts[0]).\(parts[1])", token + "A", " " + token,
        ]
    }
}
