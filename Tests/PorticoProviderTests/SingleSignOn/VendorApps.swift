import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// Two apps of one vendor on one device, each with our client library, at the Provider itself.
struct VendorApps {
    static let redirectURI = "com.example.app:/callback"
    static let redirect = [("redirect_uri", redirectURI)]

    let server: ProviderUnderTest
    let network: Network

    init(configure: (inout NewRealm) -> Void = { _ in }) async throws {
        server = try await ProviderUnderTest { new in
            for (name, targets) in [("my-mobile-app", ["my-other-app"]), ("my-other-app", [])] {
                var client = Client.app(name, realmID: new.realm.id)
                client.redirectURIs = [RedirectURI(Self.redirectURI)]
                client.postLogoutRedirectURIs = [RedirectURI(Self.redirectURI)]
                client.takeStandardScopes()
                client.optionalScopes.append("device_sso")
                client.loginTokenTargets = targets.map { .init(clientID: $0) }
                new.clients.append(client)
            }
            configure(&new)
        }
        network = Network(server)
    }

    func client(
        _ clientID: String,
        scopes: [ScopeToken] = [.openid, .profile, .email, .offlineAccess],
        storage: any SessionStorage = .inMemory,
        options: SignInClient.Options = SignInClient.Options()
    ) -> SignInClient {
        let clock = server.clock
        return SignInClient(
            issuer: TestRealm.issuer,
            clientID: clientID,
            redirect: .scheme(Self.redirectURI),
            scopes: scopes,
            options: options,
            storage: storage,
            transport: network,
            now: { clock.now },
            random: .system
        )
    }

    /// Opens an address as the system browser does, and types a password if there is a page for it.
    ///
    /// - Returns: What the app receives.
    func open(_ address: String, in browser: TestBrowser, as name: String? = nil) async throws
        -> String
    {
        var reply = try await browser.get(String(address.dropFirst("https://op.example.com".count)))
        if let name, reply.status == 200 {
            reply = try await browser.submit(reply, TestRealm.login(name))
        }
        return try #require(reply.location)
    }

    /// A sign-in with a password, in a browser of its own.
    func signIn(_ client: SignInClient, as name: String = "alice") async throws -> Session {
        let attempt = try await client.begin()
        let browser = TestBrowser(server)
        return try await attempt.complete(try await open(attempt.address, in: browser, as: name))
    }

    /// A code of the first app's for a person, with which it gets a device secret.
    func code(for name: String = "alice", scope: String = "openid device_sso") async throws
        -> String
    {
        let request = TestFlow.request("my-mobile-app", scope: scope, Self.redirect)
        return try await TestBrowser(server).signIn(name, request).redirected["code"] ?? ""
    }

    /// The first app's tokens, with a device secret.
    func tokens(for name: String = "alice", scope: String = "openid device_sso") async throws
        -> Reply
    {
        let code = try await code(for: name, scope: scope)
        return try await server.redeem(code, "my-mobile-app", Self.redirect)
    }

    /// How the other app joins the session of those tokens (OpenID Connect Native SSO §4).
    static func exchange(of tokens: Reply) -> [(String, String)] {
        [
            ("grant_type", LoginTokenScene.grantType), ("client_id", "my-other-app"),
            ("audience", TestRealm.issuer),
            ("subject_token", tokens.json.string("id_token") ?? ""),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
            ("actor_token", tokens.json.string("device_secret") ?? ""),
            ("actor_token_type", "urn:openid:params:token-type:device-secret"),
        ]
    }

    func endSession(of session: Session) async throws {
        try await endSession(session.user.claims.string("sid") ?? "")
    }

    func endSession(_ sid: String) async throws {
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let now = server.clock.seconds
        let change = try await server.database.sessions.end(id: sid, realmID: realm.id, at: now)
        #expect(change == .changed)
    }

    /// How many refreshes the Provider was asked for.
    var refreshes: Int { network.count { $0.contains("grant_type=refresh_token") } }

    /// What an app throws.
    static func kind(_ body: () async throws -> Void) async -> SignInError.Kind? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SignInError)?.kind
        }
    }
}

/// The apps' way to the Provider.
final class Network: HTTPTransport {
    private let server: ProviderUnderTest
    private let state = Locked((bodies: [String](), isDown: false, losesAnswers: false))

    init(_ server: ProviderUnderTest) {
        self.server = server
    }

    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Requests arrive, and the answers to those that succeed are lost.
    var losesAnswers: Bool {
        get { state.withLock { $0.losesAnswers } }
        set { state.withLock { $0.losesAnswers = newValue } }
    }

    func count(where isCounted: (String) -> Bool) -> Int {
        state.withLock { $0.bodies.count(where: isCounted) }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let isDown = state.withLock { state in
            state.bodies.append(String(decoding: body, as: UTF8.self))
            return state.isDown
        }
        guard !isDown else { throw .unreachable }
        let reply = try await answer(request, body)
        guard !losesAnswers || reply.response.status != .ok else { throw .unreachable }
        return reply
    }

    private func answer(_ request: HTTPRequest, _ body: [UInt8])
        async throws(HTTPTransportError) -> HTTPReply
    {
        do {
            let reply = try await server.send(
                request.method,
                request.path ?? "/",
                headers: request.headerFields,
                body: body
            )
            return HTTPReply(
                response: HTTPResponse(
                    status: .init(code: reply.status),
                    headerFields: reply.headers
                ),
                body: reply.body
            )
        } catch {
            throw .malformed
        }
    }
}
