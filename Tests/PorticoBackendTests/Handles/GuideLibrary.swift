import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// The guide's own library at a host whose authorization server is a realm of ours, as far as its
/// addresses go. Of the metadata it reads the authorization endpoint, and takes `/oauth/authorize` off
/// its end; behind what is left it puts the addresses of a sign-in. Where to refresh and to revoke it
/// reads anew each time.
struct GuideLibrary {
    static let clientID = "https://app.example.com/oauth-client-metadata.json"
    static let redirect = "https://app.example.com/oauth/callback"
    private static let state = #"{"handle":"\#(ATHostPerson.ann.handle)","mobile":true}"#

    private let joined: JoinedHost
    private let sender: DPoPSender
    private let browser: TestBrowser
    private let key: DPoPKey
    private let verifier = String(repeating: "v", count: 43)

    init() async throws {
        let sites = DocumentSites()
        sites[Self.clientID] = DocumentSites.Answer([
            "client_id": .string(Self.clientID), "client_name": "App",
            "redirect_uris": [.string(Self.redirect)], "scope": "atproto transition:generic",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": "none", "application_type": "web",
            "dpop_bound_access_tokens": true,
        ])
        let joined = try await JoinedHost(documentsBy: sites)
        self.joined = joined
        sender = DPoPSender(
            transport: joined.transport,
            nonces: DPoPNonceMemory(),
            clock: joined.clock
        )
        browser = TestBrowser(joined.provider)
        key = try DPoPKey(random: .system)
    }

    /// What the addresses of a sign-in begin with.
    func base() async throws -> String {
        let page = try await endpoint("authorization_endpoint")
        let end = "/oauth/authorize"
        return page.hasSuffix(end) ? String(page.dropLast(end.count)) : page
    }

    /// The token answer of a sign-in by Ann.
    func signIn() async throws -> Reply {
        let base = try await base()
        let pushed = try await post(
            base + "/oauth/par",
            [
                ("response_type", "code"), ("client_id", Self.clientID),
                ("redirect_uri", Self.redirect), ("scope", "atproto transition:generic"),
                ("code_challenge", Base64URL.encode(Hash256(of: verifier).bytes)),
                ("code_challenge_method", "S256"), ("state", Self.state),
                ("login_hint", ATHostPerson.ann.handle),
            ]
        )
        #expect(pushed.status == 201, "\(pushed.text)")
        let reference = pushed.json.string("request_uri") ?? ""
        let address = FormEncoding.appending(
            [(name: "client_id", value: Self.clientID), (name: "request_uri", value: reference)],
            to: base + "/oauth/authorize"
        )
        let page = try await browser.get(try #require(HTTPAddress(address)).target)
        let password = TestRealm.passwords["alice"] ?? ""
        let question = try await browser.submit(
            page,
            [("username", "alice"), ("password", password)]
        )
        let answer = try await browser.submit(question, [("action", "allow")]).redirected
        #expect(answer["state"] == Self.state)
        return try await prove(
            base + "/oauth/token",
            [
                ("grant_type", "authorization_code"), ("client_id", Self.clientID),
                ("redirect_uri", Self.redirect), ("code", answer["code"] ?? ""),
                ("code_verifier", verifier),
            ]
        )
    }

    func refresh(_ token: String) async throws -> Reply {
        try await prove(
            try await endpoint("token_endpoint"),
            [
                ("grant_type", "refresh_token"), ("client_id", Self.clientID),
                ("refresh_token", token),
            ]
        )
    }

    func revoke(_ token: String) async throws -> Reply {
        try await post(
            try await endpoint("revocation_endpoint"),
            [("token", token), ("client_id", Self.clientID)]
        )
    }

    /// The person's own record at the host.
    func session(_ token: String) async throws -> Reply {
        let address = "\(JoinedHost.origin)/xrpc/com.atproto.server.getSession"
        return try await send(.get, address, token: token, [:], [])
    }

    // MARK: Requests

    private func endpoint(_ name: String) async throws -> String {
        let address = "\(JoinedHost.origin)/.well-known/oauth-authorization-server"
        let request = HTTPRequest(.get, to: try #require(HTTPAddress(address)))
        return try #require(try await joined.server.send(request).json.string(name))
    }

    /// Without a proof.
    private func post(_ address: String, _ form: [(String, String)]) async throws -> Reply {
        var request = HTTPRequest(.post, to: try #require(HTTPAddress(address)))
        request.headerFields = Self.fields
        return try await joined.server.send(request, body: Self.body(form))
    }

    private func prove(_ address: String, _ form: [(String, String)]) async throws -> Reply {
        try await send(.post, address, token: nil, Self.fields, Self.body(form))
    }

    /// With a proof, and once more with the nonce that is asked for.
    private func send(
        _ method: HTTPRequest.Method,
        _ address: String,
        token: String?,
        _ fields: HTTPFields,
        _ body: [UInt8]
    ) async throws -> Reply {
        let answer = try await sender.send(
            method,
            to: try #require(HTTPAddress(address)),
            with: key,
            token: token.map { SecretText($0) },
            at: token == nil ? .authorizationServer : .resource,
            limits: HTTPLimits(bytes: 1_000_000, seconds: 10)
        ) { _ in (fields, body) }
        return Reply(
            status: answer.reply.response.status.code,
            headers: answer.reply.response.headerFields,
            body: answer.reply.body
        )
    }

    private static let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

    private static func body(_ form: [(String, String)]) -> [UInt8] {
        FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
    }
}
