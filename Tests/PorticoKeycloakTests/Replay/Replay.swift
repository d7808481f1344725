import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Sends what was sent to a Keycloak to a server that its realms have moved to. Codes and tokens of
/// there stand for ours: who had them signs in here when they are first used.
final class Replay {
    let server: ProviderUnderTest
    private let people: [String: Person]
    private let clients: [String: String]
    /// Ours by theirs: codes, tokens.
    private var texts: [String: String] = [:]
    private var sessions: [String: Session] = [:]
    private var browser: TestBrowser
    private var browsers: [String: TestBrowser] = [:]
    private var page: Reply?
    private var last: Session?

    struct Person {
        let name: String
        let password: String
    }

    struct Session {
        let browser: TestBrowser
        let tokens: JSONObject
    }

    static let verifier = TestFlow.verifier

    private static let redirects = [
        "native": "http://127.0.0.1:4711/callback", "web-app": "https://app.example.com/callback",
        "consent-app": "http://127.0.0.1/consent", "limited": "http://127.0.0.1/limited",
        "es256-app": "http://127.0.0.1/es", "rn-expo-app": "exp://192.168.178.95:8081",
    ]

    /// - Parameters:
    ///   - people: By id.
    ///   - clients: The `client_id` by id.
    ///   - secret: That of `web-app`.
    init(
        _ server: ProviderUnderTest,
        people: [String: Person],
        clients: [String: String],
        secret: String
    ) {
        self.server = server
        self.people = people
        self.clients = clients
        self.secret = secret
        browser = TestBrowser(server)
    }

    private let secret: String

    /// - Parameter following: The exchanges after it: who uses a browser may show only there.
    func send(_ exchange: Exchange, in file: String, following: ArraySlice<Exchange>) async throws
        -> Reply?
    {
        if exchange.path.contains("/login-actions/") { return try await submit(exchange) }
        try await prepare(exchange, file, following)
        if exchange.note == "  confirm", let page {
            return try await browser.submit(page, [("action", "sign-out")])
        }
        var parameters: [(String, String)] = []
        for (name, value) in exchange.parameters {
            parameters.append((name, try await ours(value, named: name, of: exchange)))
        }
        var headers = HTTPFields()
        for (name, value) in exchange.request.headers where name != "Cookie" {
            guard let field = HTTPField.Name(name) else { continue }
            headers[field] = value
        }
        if let value = headers[.authorization], value.lowercased().hasPrefix("bearer ey") {
            let token = try await bearer(exchange, file)
            headers[.authorization] = value.prefix { $0 != " " } + " " + token
        }
        let path = String(exchange.path.prefix { $0 != "?" })
        let reply: Reply
        switch exchange.request.method {
        case "GET":
            let query = parameters.map { (name: $0.0, value: $0.1) }
            reply = try await browser.get(
                query.isEmpty ? path : FormEncoding.appending(query, to: path),
                headers: headers
            )
        case "POST" where headers[.contentType]?.contains("json") != true:
            reply = try await browser.post(path, parameters, headers: headers)
        default:
            let method = try #require(HTTPRequest.Method(rawValue: exchange.request.method))
            let body = Array((exchange.request.body ?? "").utf8)
            reply = try await server.send(method, path, headers: headers, body: body)
        }
        learn(exchange, reply)
        page = reply
        return reply
    }

    /// Chooses the browser.
    private func prepare(_ exchange: Exchange, _ file: String, _ following: ArraySlice<Exchange>)
        async throws
    {
        let note = exchange.note
        let owner = note.split(separator: " ").first.map(String.init) ?? ""
        if file.hasPrefix("4") {
            guard exchange.path.contains("/auth?") else { return }
            if note.contains("prompt=none"), let known = browsers[owner] {
                browser = known
            } else {
                browser = TestBrowser(server)
                browsers[owner] = browser
            }
        } else if file.hasPrefix("6") {
            let isAlone =
                note.contains("no cookies") || note.hasPrefix("legacy") || note == "POST empty"
                || note.contains("alone") || note.hasPrefix("incoming")
            if !note.hasPrefix("  ") {
                for next in [exchange] + following where next.note.first != nil {
                    let token = next.parameters.first { $0.value.hasPrefix("eyJ") }
                    guard let token else { continue }
                    last = try await session(of: token.value)
                    break
                }
            }
            browser = isAlone ? TestBrowser(server) : last?.browser ?? TestBrowser(server)
        } else {
            browser = TestBrowser(server)
        }
    }

    /// What a person does at a page.
    private func submit(_ exchange: Exchange) async throws -> Reply? {
        guard exchange.request.method == "POST", let page else { return nil }
        let form = exchange.parameters
        func value(_ name: String) -> String? { form.first { $0.name == name }?.value }
        let reply: Reply
        if exchange.path.contains("/consent") {
            let isRefused = value("cancel") != nil
            reply = try await browser.submit(page, [("action", isRefused ? "deny" : "allow")])
        } else {
            let typed = [
                ("username", value("username") ?? ""), ("password", value("password") ?? ""),
            ]
            reply = try await browser.submit(page, typed)
        }
        self.page = reply
        guard let theirs = code(exchange.answer.headers.first { $0[0] == "Location" }?[1]) else {
            return reply
        }
        // Where we ask besides, the answer is yes.
        let answer = try await allow(reply, browser)
        if let ours = answer.redirected["code"] { texts[theirs] = ours }
        return reply
    }

    private func allow(_ page: Reply, _ browser: TestBrowser) async throws -> Reply {
        guard page.formAction?.hasSuffix("/consent") == true else { return page }
        return try await browser.submit(page, [("action", "allow")])
    }

    private func code(_ location: String?) -> String? {
        location?.firstMatch(of: /[?&#]code=([^&]*)/).map { String($0.1) }
    }

    private func learn(_ exchange: Exchange, _ reply: Reply) {
        let theirs = (try? JSONObject(parsing: Array((exchange.answer.body ?? "").utf8))) ?? [:]
        for name in ["access_token", "refresh_token", "id_token", "request_uri"] {
            if let old = theirs.string(name), let new = reply.json.string(name) {
                texts[old] = new
                named[exchange.note + " " + name] = new
            }
        }
    }

    /// Tokens by the note of the answer that they came in.
    private var named: [String: String] = [:]

    private func ours(_ value: String, named name: String, of exchange: Exchange) async throws
        -> String
    {
        if let known = texts[value] { return known }
        if name == "code", let client = clients[String(value.split(separator: ".").last ?? "")] {
            let code = try await code(for: client, "bert", challenge: TestFlow.challenge)
            texts[value] = code
            verifiers.insert(code)
            return code
        }
        if name == "code_verifier" {
            let code = exchange.parameters.first { $0.name == "code" }.flatMap { texts[$0.value] }
            let isOurs = code.map(verifiers.contains) ?? false
            return isOurs && !value.hasPrefix("yyy") ? Self.verifier : value
        }
        guard value.hasPrefix("eyJ"), value.split(separator: ".").count == 3,
            let claims = Self.claims(value), claims.string("sid") != nil
        else { return value }
        let session = try await session(of: value)
        let kind =
            switch claims.string("typ") {
            case "ID"?: "id_token"
            case "Refresh"?, "Offline"?: "refresh_token"
            default: "access_token"
            }
        return session?.tokens.string(kind) ?? value
    }

    /// Codes that were asked for with our own challenge.
    private var verifiers: Set<String> = []

    /// Of any token that looks like a JWT, whatever its algorithm.
    private static func claims(_ token: String) -> JSONObject? {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return nil }
        return try? JSONObject(parsing: payload)
    }

    private func session(of token: String) async throws -> Session? {
        guard let claims = Self.claims(token), let sid = claims.string("sid"),
            let client = claims.string("azp"),
            let person = claims.string("sub").flatMap({ people[$0] })
        else { return nil }
        if let known = sessions[sid] { return known }
        let browser = TestBrowser(server)
        let tokens = try await signIn(client, person.name, browser)
        let session = Session(browser: browser, tokens: tokens)
        sessions[sid] = session
        return session
    }

    private func code(
        for client: String,
        _ name: String,
        challenge: String,
        _ browser: TestBrowser? = nil
    ) async throws -> String {
        let browser = browser ?? TestBrowser(server)
        let request = TestFlow.request(
            client,
            scope: "openid",
            [("redirect_uri", Self.redirects[client] ?? ""), ("code_challenge", challenge)]
        )
        var reply = try await browser.get(
            FormEncoding.appending(
                request.map { (name: $0.0, value: $0.1) },
                to: "/realms/full/protocol/openid-connect/auth"
            )
        )
        if reply.formAction != nil {
            let password = people.values.first { $0.name == name }?.password ?? ""
            reply = try await browser.submit(reply, [("username", name), ("password", password)])
        }
        reply = try await allow(reply, browser)
        return try #require(reply.redirected["code"], "\(client) \(name)")
    }

    private func signIn(_ client: String, _ name: String, _ browser: TestBrowser) async throws
        -> JSONObject
    {
        let code = try await code(for: client, name, challenge: TestFlow.challenge, browser)
        var form = TestFlow.redemption(
            code,
            client,
            [("redirect_uri", Self.redirects[client] ?? "")]
        )
        if client == "web-app" { form.append(("client_secret", secret)) }
        return try await server.post("/realms/full/protocol/openid-connect/token", form).json
    }

    /// Whose token a header had, of which the recording has the beginning.
    private func bearer(_ exchange: Exchange, _ file: String) async throws -> String {
        let web = "web-app anna, secret by post token "
        if file.hasPrefix("7") {
            if named["bert"] == nil {
                let tokens = try await signIn("web-app", "bert", TestBrowser(server))
                named["bert"] = tokens.string("access_token")
            }
            return named["bert"] ?? "x"
        }
        let name =
            switch exchange.note {
            case "article userinfo": "article token access_token"
            case "ID token": web + "id_token"
            case "refresh token": web + "refresh_token"
            case "token without openid": "native dora without openid token access_token"
            case "service account's token": "token: client_credentials by basic access_token"
            case "signed userinfo": "es256-app anna token access_token"
            default: web + "access_token"
            }
        return named[name] ?? "x"
    }
}
