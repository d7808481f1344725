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
        let verifier = try #require(
            scene.provider.requests("/token").first?.form["code_verifier"]
        )
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

    @Test(
        "RFC 9110 §11.6.1: challenges with all the forms that they may have, and some that they may not"
    )
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
