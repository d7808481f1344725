import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("What is printed")
struct RedactionTests {
    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    @Test("Sessions, credentials, records, attempts and changes show no token")
    func values() async throws {
        let scene = Scene()
        let attempt = try await scene.client.begin()
        let callback = try scene.provider.authorize(attempt.address)
        let session = try await attempt.complete(callback)
        let credentials = try await session.credentials()
        let record = try #require(try await scene.storedRecord)
        let verifier = try #require(scene.provider.requests("/token").first?.form["code_verifier"])
        let secrets = [
            verifier, "code-1", try #require(credentials.idToken),
            try #require(record.original.nonce),
        ]
        for value in [session, credentials, record, attempt, scene.client, session.user] as [Any] {
            for text in texts(value) {
                for secret in secrets where !(value is SignIn && attempt.address.contains(secret)) {
                    #expect(!text.contains(secret))
                }
                #expect(!text.contains("\"A2\"") && !text.contains("\"R0\""))
            }
        }
        // RFC 8252 §8.1: the verifier itself is nowhere in the address.
        #expect(!attempt.address.contains(verifier))
    }

    @Test("A request shows nothing of the person, no login token and no parameter")
    func request() {
        var request = SignInRequest(
            loginHint: "SECRET@example.com",
            parameters: ["SECRET-name": "SECRET-value"]
        )
        request.loginToken = LoginToken("SECRET-token")
        for text in texts(request) { #expect(!text.contains("SECRET")) }
    }

    @Test("Errors show nothing that the other side sent")
    func errors() async throws {
        for reply in [
            HTTPReply.error(400, "SECRET"), .error(401, "invalid_client"),
            .text(500, "text/html", Array("SECRET".utf8)),
            .text(200, "application/json", Array("{\"access_token\":\"SECRET\"}".utf8)),
            .text(302, nil, [], [.location: "https://SECRET"]),
        ] {
            let scene = Scene()
            scene.provider.answer("/token") { _ in reply }
            let error = await #expect(throws: SignInError.self) { try await scene.signIn() }
            for text in texts(try #require(error)) { #expect(!text.contains("SECRET")) }
        }
    }

    @Test(
        "What the app hands back, and what the provider answers, is shown by no error",
        arguments: [
            (
                #"{"access_token":"SECRET-1","refresh_token":"SECRET-2","expires_in":3600}"#,
                "SECRET"
            ),
            (
                #"{"error":"SECRET-1","error_description":"SECRET-2","id_token":"SECRET-3"}"#,
                "SECRET"
            ),
            ("com.example.notes:/signed-in?code=4%2FSECRET&state=S", "SECRET"),
            ("com.example.notes:/signed-in#access_token=SECRET", "SECRET"),
            ("<html><title>SECRET</title></html>", "SECRET"), ("SECRET\u{0}\u{1B}[2J", "SECRET"),
        ]
    )
    func foreign(input: String, hidden: String) async throws {
        let scene = Scene()
        scene.provider.answer("/token") { _ in
            .text(400, "application/json", Array(input.utf8))
        }
        let attempt = try await scene.client.begin()
        let callback = try scene.provider.authorize(attempt.address)
        for answer in [callback, input] {
            let error = await #expect(throws: SignInError.self) {
                try await attempt.complete(answer)
            }
            for text in texts(try #require(error)) { #expect(!text.contains(hidden)) }
        }
    }

    @Test("Every error says something in words")
    func words() {
        let kinds: [SignInError.Kind] = [
            .cancelled(.user), .cancelled(.program), .denied, .cancelled(.timedOut),
            .interactionRequired(.loginRequired), .interactionRequired(.expired),
            .transient(.busy, retryAfter: nil), .misconfigured(.clock(offBy: .seconds(-90))),
            .rejected(.nonce), .storage(.exposed),
        ]
        let texts = kinds.map { SignInError($0).description }
        #expect(Set(texts).count == kinds.count)
        #expect(texts.allSatisfy { $0.hasSuffix(".") && $0.count > 10 })
        #expect(texts.contains { $0.contains("90 s behind") })
    }

    @Test("RFC 8252 §5, §8.12: nothing in the library can show a page itself")
    func noWebView() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(
                path: "Sources/Portico"
            )
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var count = 0
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            for symbol in ["WKWebView", "UIWebView", "SFSafariView", "import WebKit"] {
                #expect(!text.contains(symbol))
            }
            // RFC 8252 §8.5: there is no place for a secret.
            #expect(!text.contains("client_secret"))
            count += 1
        }
        #expect(count > 20)
    }
}

@Suite("Challenges of a server")
struct AuthenticationChallengeTests {
    private struct Case {
        let header: String
        /// Schemes, each with what stands behind it.
        let expected: [(scheme: String, parameters: [String: String], token68: String?)]

        init(_ header: String, _ expected: (String, [String: String], String?)...) {
            self.header = header
            self.expected = expected.map { (scheme: $0.0, parameters: $0.1, token68: $0.2) }
        }
    }

    private static let cases = [
        Case(#"Basic realm="shop""#, ("basic", ["realm": "shop"], nil)),
        Case("Basic realm=shop", ("basic", ["realm": "shop"], nil)),
        // Nothing is decoded but the backslash.
        Case(#"Basic realm="a%20b""#, ("basic", ["realm": "a%20b"], nil)),
        Case(#"Basic realm="\"shop\" \\ co""#, ("basic", ["realm": #""shop" \ co"#], nil)),
        Case(
            #"Basic charset="UTF-8", realm=x"#,
            ("basic", ["charset": "UTF-8", "realm": "x"], nil)
        ),
        // Of two of one name the last counts; names are folded.
        Case(#"Basic realm="a", REALM="b""#, ("basic", ["realm": "b"], nil)),
        Case("DPoP, Basic", ("dpop", [:], nil), ("basic", [:], nil)),
        Case(
            #"DPoP algs="ES256 EdDSA", error=use_dpop_nonce, Bearer realm="r" "#,
            ("dpop", ["algs": "ES256 EdDSA", "error": "use_dpop_nonce"], nil),
            ("bearer", ["realm": "r"], nil)
        ),
        Case(
            "Negotiate YWJj, Basic realm=r",
            ("negotiate", [:], "YWJj"),
            ("basic", ["realm": "r"], nil)
        ),
        Case("Negotiate YWI=", ("negotiate", [:], "YWI=")),
        Case("Negotiate YQ==, DPoP", ("negotiate", [:], "YQ=="), ("dpop", [:], nil)),
        // Blanks and commas that need not be there.
        Case(
            #",, Bearer   realm =  " x "  ,, error="e" , "#,
            ("bearer", ["realm": " x ", "error": "e"], nil)
        ),
        Case(
            #"Digest realm="r", qop=auth, nonce=n"#,
            ("digest", ["realm": "r", "qop": "auth", "nonce": "n"], nil)
        ),
        // No scheme, or what is none.
        Case(""), Case(#"realm="r""#), Case(#"  error="e", realm="r""#), Case(#"Basic, realm="r""#),
        Case(#"Basic realm=\r"#), Case(#"Basic realm="r"#), Case(#"Basic realm="r\""#),
    ]

    @Test("RFC 9110 §11.6.1: challenges in all their forms, and some that they may not have")
    func forms() {
        for each in Self.cases {
            let found = AuthenticationChallenge.parse(each.header)
            #expect(found.map(\.scheme) == each.expected.map(\.scheme), "\(each.header)")
            #expect(found.map(\.parameters) == each.expected.map(\.parameters), "\(each.header)")
            #expect(found.map(\.token68) == each.expected.map(\.token68), "\(each.header)")
        }
    }

    @Test("RFC 6750 §3: the challenge of a refused token")
    func bearer() throws {
        let challenges = AuthenticationChallenge.parse(
            #"Basic realm="a, \"b\"", BEARER Realm=x , error="invalid_token""#
        )
        #expect(challenges.map(\.scheme) == ["basic", "bearer"])
        #expect(challenges.first?.parameters == ["realm": "a, \"b\""])
        #expect(challenges.last?.parameters == ["realm": "x", "error": "invalid_token"])
    }

    @Test(
        "What breaks the grammar is no challenge, and nothing traps",
        arguments: [
            "", ",", "=", "\"", "Bearer error=\"x", "Bearer error=\"x\\", "a b c", "Bearer ,=,",
        ]
    )
    func malformed(text: String) {
        #expect(!AuthenticationChallenge.parse(text).contains { !$0.parameters.isEmpty })
    }
}

@Suite("What a client tells a log") struct ClientLogTests {
    private final class Log: Sendable {
        private let kept = Locked<[ClientEvent]>([])
        var events: [ClientEvent] { kept.withLock(\.self) }
        var lines: [String] {
            events.map { "\($0)".replacing(/after \d+ ms/, with: "after n ms") }
        }
        func tell(_ event: ClientEvent) { kept.withLock { $0.append(event) } }
    }

    private func scene() -> (Scene, Log) {
        let log = Log()
        var options = SignInClient.Options()
        options.apiOrigins = ["https://api.example.com"]
        options.log = { log.tell($0) }
        return (Scene(options: options), log)
    }

    @Test("every request, with its status and without its query; nothing of tokens or people")
    func requests() async throws {
        let (scene, log) = scene()
        let attempt = try await scene.client.begin(SignInRequest(loginHint: "zoe@example.com"))
        let callback = try scene.provider.authorize(attempt.address)
        await #expect(throws: SignInError(.rejected(.state))) {
            try await attempt.complete(callback.replacing("state=", with: "state=x"))
        }
        let session = try await attempt.complete(callback)
        scene.provider.answer("/people/zoe") { _ in .text(200, nil, []) }
        _ = try await session.http.data(
            for: HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "api.example.com",
                path: "/people/zoe?name=Zoe"
            )
        )
        scene.clock.advance(by: 400)
        scene.provider.answer("/token") { _ throws(HTTPTransportError) in throw .unreachable }
        _ = await session.failure()
        #expect(
            log.lines == [
                "GET https://op.example.com:443/.well-known/openid-configuration: 200 after n ms",
                "A callback was ignored: The response does not belong to this sign-in (state).",
                "POST https://op.example.com:443/token: 200 after n ms",
                "GET https://op.example.com:443/keys: 200 after n ms",
                "GET https://api.example.com:443: 200 after n ms",
                "POST https://op.example.com:443/token: The server cannot be reached. after n ms",
            ]
        )
        let code = try #require(callback.firstMatch(of: /code=([^&]+)/)).1
        let secrets = [String(code), "A2", "R0", "zoe", "name="]
        for line in log.lines {
            for secret in secrets { #expect(!line.contains(secret), "\(line)") }
        }
    }

    @Test("RFC 9110 §6.6.1: the provider's time is known by its last answer")
    func providerDate() async throws {
        let (scene, _) = scene()
        #expect(scene.client.providerDate == nil)
        let ours = scene.clock.now
        scene.provider.answer("/.well-known/openid-configuration") { _ in
            var reply = HTTPReply.json(FakeProvider.metadata)
            reply.response.headerFields[.date] = HTTPDate.text(NumericDate.seconds(ours) - 30)
            return reply
        }
        _ = try await scene.client.begin()
        scene.clock.advance(by: 10)
        let theirs = try #require(scene.client.providerDate)
        #expect(abs(theirs.timeIntervalSince(ours) + 20) <= 1)
    }
}

@Suite("What requests of the system's own type become")
struct SystemRequestTests {
    private func name(_ name: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(name))
    }

    @Test("A request may take from a second to an hour, whatever number its time limit is")
    func limits() {
        for (timeout, seconds) in [
            (60, 60), (1, 1), (1.9, 1), (0.2, 1), (0, 1), (-5, 1), (3600, 3600), (3600.5, 3600),
            (.greatestFiniteMagnitude, 3600), (.infinity, 3600), (-.infinity, 1), (.nan, 1),
        ] as [(Double, Int)] {
            let limits = HTTPLimits(timeout: timeout)
            #expect(limits.seconds == seconds, "\(timeout)")
            #expect(limits.bytes == 16 << 20)
        }
    }

    @Test("The fields of a request take the place of those that are there")
    func sent() throws {
        var fields: HTTPFields = [.accept: "text/plain", .authorization: "Bearer one"]
        fields.set(["accept": "application/json", "X-One": "1", "no name": "x", "": "x"])
        #expect(fields[values: .accept] == ["application/json"])
        #expect(fields[values: .authorization] == ["Bearer one"])
        let one = try name("x-one")
        #expect(fields[values: one] == ["1"])
        #expect(fields.count == 3)
    }

    @Test("The fields of an answer are its texts, without the blanks around them")
    func received() throws {
        let fields = HTTPFields(received: [
            "DPoP-Nonce": " n-1 ", "Content-Length": 5, 7: "x", "no name": "x",
        ])
        let nonce = try name("dpop-nonce")
        #expect(fields[values: nonce] == ["n-1"])
        #expect(fields.count == 1)
    }

    @Test("RFC 9110 §5.3: fields of one name are one, in their order, however the name is spelled")
    func joined() throws {
        var fields: HTTPFields = [.cacheControl: "no-store"]
        for (spelling, value) in [("X-One", "a"), ("x-one", "b"), ("X-ONE", "c, d")] {
            fields.append(HTTPField(name: try name(spelling), value: value))
        }
        let joined = fields.joinedByName
        #expect(joined.count == 2)
        #expect(joined["Cache-Control"] == "no-store")
        #expect(joined.first { $0.key.lowercased() == "x-one" }?.value == "a, b, c, d")
        #expect(HTTPFields().joinedByName.isEmpty)
    }
}
