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
        "The shared samples of what must not be shown",
        .enabled(if: SharedFolder.exists, "needs ../shared")
    )
    func fixtures() async throws {
        let file = try JSONObject(parsing: SharedFolder.bytes("fixtures/client/redaction.json"))
        for sample in try #require(file.array("cases")).compactMap(\.object) {
            let input = try #require(sample.string("input"))
            let hidden = sample.strings("mustNotContain") ?? ["abc"]
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
                for text in texts(try #require(error)) {
                    for secret in hidden { #expect(!text.contains(secret)) }
                }
            }
        }
    }

    @Test("Every error says something in words")
    func words() {
        let kinds: [SignInError.Kind] = [
            .cancelled(.user), .cancelled(.program), .cancelled(.denied), .cancelled(.timedOut),
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
    @Test(
        "RFC 9110 §11.6.1: the shared samples",
        .enabled(if: SharedFolder.exists, "needs ../shared")
    )
    func fixtures() throws {
        let file = try JSONObject(
            parsing: SharedFolder.bytes("fixtures/client/www-authenticate.json")
        )
        for sample in try #require(file.array("vectors")).compactMap(\.object) {
            let header = try #require(sample.string("header"))
            let expected = (sample.array("expected") ?? []).compactMap(\.object)
            let found = AuthenticationChallenge.parse(header)
            #expect(found.map(\.scheme) == expected.map { $0.string("scheme") }, "\(header)")
            for (challenge, wanted) in zip(found, expected) {
                var parameters: [String: String] = [:]
                for member in wanted.object("parameters") ?? [:] {
                    parameters[member.name] = member.value.string
                }
                #expect(challenge.parameters == parameters, "\(header)")
                #expect(challenge.token68 == wanted.string("token68"), "\(header)")
            }
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
