import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// A client that runs in a browser, on a site of its own, at the whole of a host: the stand-in, and
/// behind it a realm of ours.
private struct ScriptAtHost {
    static let pushed = "/oauth/par"

    private let joined: JoinedHost

    /// - Parameter document: The client's.
    init(_ document: JSONObject = [:]) async throws {
        let sites = DocumentSites()
        if let id = document.string("client_id") { sites[id] = DocumentSites.Answer(document) }
        joined = try await JoinedHost(documentsBy: sites)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields,
        body: [UInt8] = []
    ) async throws -> Reply {
        let request = HTTPRequest(
            method: method,
            scheme: "https",
            authority: JoinedHost.authority,
            path: path,
            headerFields: fields
        )
        return try await joined.server.send(request, body: body)
    }

    /// A pushed request, and once more with the nonce that the script read from the first answer.
    func push(_ body: [UInt8], from origin: String) async throws -> [Reply] {
        let key = try DPoPKey(random: .system)
        let address = try #require(HTTPAddress(JoinedHost.origin + Self.pushed))
        var replies: [Reply] = []
        for _ in 1...2 {
            let fields: HTTPFields = [
                .origin: origin, .contentType: "application/x-www-form-urlencoded",
                .proof: try key.proof(
                    .post,
                    address,
                    nonce: replies.last?.headers[.nonce],
                    at: joined.clock.moment()
                ),
            ]
            replies.append(try await send(.post, Self.pushed, fields, body: body))
        }
        return replies
    }
}

@Suite("Scripts of other sites at a host of the AT Protocol")
struct CrossSiteScriptTests {
    private static let all = "content-type,dpop,authorization"

    @Test("ATP-AS-4: scripts of any site may send proofs and tokens to a host, not to its pages")
    func preflights() async throws {
        let script = try await ScriptAtHost()
        let asked = CrossSiteScript.preflight(Self.all)
        let methods = [
            "/.well-known/oauth-authorization-server": "GET",
            "/.well-known/oauth-protected-resource": "GET",
            "/oauth/jwks": "GET", ScriptAtHost.pushed: "POST",
            "/oauth/token": "POST", "/oauth/revoke": "POST",
            "/xrpc/com.atproto.server.getSession": "GET, POST",
        ]
        for (path, allowed) in methods {
            let reply = try await script.send(.options, path, asked)
            let sent = CrossSiteScript.maySend(asked, status: reply.status, reply.headers)
            #expect(sent == ["content-type", "dpop", "authorization"], "\(path)")
            #expect(reply.headers[.accessControlAllowMethods] == allowed, "\(path)")
            #expect(reply.headers[.accessControlAllowCredentials] == nil, "\(path)")
        }
        let page = try await script.send(.options, "/oauth/authorize", asked)
        #expect(CrossSiteScript.maySend(asked, status: page.status, page.headers).isEmpty)
        #expect(!CrossSiteScript.mayRead(asked, page.headers))
    }

    @Test("ATP-AS-4, RFC9449-8.2-3: a script reads the nonce of a refusal, and pushes with it")
    func pushed() async throws {
        let id = "https://app.example.net/client.json"
        let script = try await ScriptAtHost([
            "client_id": .string(id), "redirect_uris": ["https://app.example.net/cb"],
            "scope": "atproto transition:generic", "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "application_type": "web", "dpop_bound_access_tokens": true,
        ])
        let form = FormEncoding.encode([
            (name: "client_id", value: id), (name: "response_type", value: "code"),
            (name: "redirect_uri", value: "https://app.example.net/cb"),
            (name: "scope", value: "atproto"), (name: "state", value: "s"),
            (name: "code_challenge", value: TestFlow.challenge),
            (name: "code_challenge_method", value: "S256"),
        ])
        let replies = try await script.push(form, from: CrossSiteScript.origin)
        #expect(replies.map(\.status) == [400, 201], "\(replies.map(\.text))")
        #expect(replies.first?.error == "use_dpop_nonce")
        for reply in replies {
            #expect(CrossSiteScript.mayRead([.origin: CrossSiteScript.origin], reply.headers))
            #expect(CrossSiteScript.exposed(reply.headers) == ["dpop-nonce", "www-authenticate"])
            #expect(reply.headers[values: .nonce].count == 1)
            #expect(reply.headers[.accessControlAllowCredentials] == nil)
        }
    }
}

@Suite(
    "Scripts of other sites at a real host",
    .enabled(if: RecordedExchange.folder != nil, "recordings from outside, to be looked at by hand")
)
struct RecordedScriptTests {
    @Test("ATP-AS-4: a recorded preflight lets a script send the recorded fields, or what is named")
    func preflights() async throws {
        let script = try await ScriptAtHost()
        var named = try NamedVerdicts.all("preflight")
        var count = 0
        for exchange in try RecordedExchange.all() where exchange.method == .options {
            count += 1
            let what: Comment = "n=\(exchange.number)"
            var asked: HTTPFields = [:]
            for name in [
                .origin, .accessControlRequestMethod, .accessControlRequestHeaders,
            ] as [HTTPField.Name] {
                let value: String = try #require(exchange.fields[name], what)
                asked[name] = value
            }
            let recorded = exchange.reply.response.headerFields
            let theirs = CrossSiteScript.maySend(asked, status: exchange.status, recorded)
            let reply = try await script.send(.options, String(exchange.path), asked)
            let ours = CrossSiteScript.maySend(asked, status: reply.status, reply.headers)
            let found: String? =
                if ours == theirs {
                    nil
                } else if ours.isSubset(of: theirs) {
                    "stricter"
                } else {
                    ours.isSuperset(of: theirs) ? "milder" : "other"
                }
            let expected = named.removeValue(forKey: "\(exchange.number)")
            #expect(found == expected, "n=\(exchange.number): \(theirs), and here \(ours)")
            for fields in [recorded, reply.headers] {
                #expect(fields[.accessControlAllowCredentials] == nil, what)
            }
        }
        #expect(count == 8)
        #expect(named.isEmpty, "named, and not found: \(named)")
    }

    @Test("ATP-AS-4: a script that pushes may read of the answer what it was recorded to")
    func pushed() async throws {
        let exchange = try #require(
            try RecordedExchange.all(in: "24-cors.jsonl").first { $0.method == .post }
        )
        let form = try #require(exchange.form)
        let script = try await ScriptAtHost([
            "client_id": .string(try #require(form["client_id"])),
            "redirect_uris": [.string(try #require(form["redirect_uri"]))],
            "scope": .string(try #require(form["scope"])), "token_endpoint_auth_method": "none",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "application_type": "web", "dpop_bound_access_tokens": true,
        ])
        let origin = try #require(exchange.fields[.origin])
        let replies = try await script.push(exchange.body, from: origin)
        #expect(replies.map(\.status) == [400, exchange.status], "\(replies.map(\.text))")
        let recorded = exchange.reply.response.headerFields
        #expect(CrossSiteScript.mayRead(exchange.fields, recorded))
        for reply in replies {
            #expect(CrossSiteScript.mayRead(exchange.fields, reply.headers))
            let exposed = CrossSiteScript.exposed(reply.headers)
            #expect(exposed.isSuperset(of: CrossSiteScript.exposed(recorded)))
            #expect(reply.headers[values: .nonce].count == recorded[values: .nonce].count)
        }
    }
}

/// What a browser lets a script of another site do, by what a server answers (Fetch §4.8, §4.10).
/// The script's requests are POST, which needs no permission of its own, and without cookies.
enum CrossSiteScript {
    static let origin = "https://app.example.net"

    /// A preflight for a request with these fields.
    static func preflight(_ fields: String) -> HTTPFields {
        [
            .origin: origin, .accessControlRequestMethod: "POST",
            .accessControlRequestHeaders: fields,
        ]
    }

    /// Which of the fields that a preflight asks for the script may send: none, where it may not
    /// send its request at all. In lower case.
    static func maySend(_ asked: HTTPFields, status: Int, _ answer: HTTPFields) -> Set<String> {
        guard 200..<300 ~= status, mayRead(asked, answer) else { return [] }
        let allowed = names(answer, .accessControlAllowHeaders)
        return names(asked, .accessControlRequestHeaders).filter { name in
            // An asterisk does not stand for this one.
            allowed.contains(name) || (name != "authorization" && allowed.contains("*"))
        }
    }

    static func mayRead(_ asked: HTTPFields, _ answer: HTTPFields) -> Bool {
        let origins = answer[values: .accessControlAllowOrigin]
        return origins.count == 1 && (origins.first == "*" || origins.first == asked[.origin])
    }

    /// The fields of an answer that the script may read besides the usual ones. In lower case.
    static func exposed(_ answer: HTTPFields) -> Set<String> {
        names(answer, .accessControlExposeHeaders)
    }

    private static func names(_ fields: HTTPFields, _ list: HTTPField.Name) -> Set<String> {
        let values = fields[values: list].flatMap { $0.split(separator: ",") }
        return Set(values.map { $0.filter { $0 != " " }.lowercased() })
    }
}
