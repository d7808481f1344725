import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("Answers of the token endpoint")
struct TokenAnswerTests {
    private let scene = Scene()

    /// The sign-in fails, and nothing of it is left.
    private func failure(_ reply: HTTPReply) async throws -> SignInError.Kind? {
        let scene = Scene()
        scene.provider.answer("/token") { _ in reply }
        let kind = await scene.failure()
        #expect(try await scene.storage.read() == nil)
        #expect(scene.provider.requests("/userinfo").isEmpty)
        #expect(scene.provider.requests("/token").count == 1)
        return kind
    }

    @Test("attack E19: a redirect is not followed, and nothing goes to where it leads")
    func redirect() async throws {
        for status in [301, 302, 303, 307, 308] {
            let reply = HTTPReply.text(status, nil, [], [.location: "https://evil.example/"])
            #expect(try await failure(reply) == .rejected(.redirected))
        }
    }

    @Test(
        "attack E19: what is no token response is refused whole",
        arguments: [
            ("text/html", "<html>"), ("text/html", #"{"access_token":"a","token_type":"Bearer"}"#),
            ("application/json", "<html>"), ("application/json", "null"),
            ("application/json", #"{"token_type":"Bearer"}"#),
            ("application/json", #"{"error":"x"}"#),
            ("application/json", #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#),
            ("application/json", #"{"access_token":"a","token_type":"Bearer","expires_in":1e309}"#),
        ]
    )
    func malformed(type: String, body: String) async throws {
        let reply = HTTPReply.text(200, type, Array(body.utf8))
        #expect(try await failure(reply) == .rejected(.tokenResponse))
    }

    @Test("attack E19: an unknown token type, invalid UTF-8, and 50 MB")
    func others() async throws {
        let mac = #"{"access_token":"a","token_type":"mac"}"#
        #expect(
            try await failure(.text(200, "application/json", Array(mac.utf8)))
                == .rejected(.tokenType)
        )
        let bytes: [UInt8] = [0x7B, 0x22, 0xFF, 0x22, 0x7D]
        #expect(
            try await failure(.text(200, "application/json", bytes)) == .rejected(.tokenResponse)
        )
        let large = [UInt8](repeating: 0x20, count: 50 << 20)
        #expect(
            try await failure(.text(200, "application/json", large)) == .rejected(.tokenResponse)
        )
    }

    @Test("An answer without ID Token is no sign-in")
    func noIDToken() async throws {
        let body = #"{"access_token":"a","token_type":"Bearer"}"#
        #expect(
            try await failure(.text(200, "application/json", Array(body.utf8)))
                == .rejected(.idTokenMissing)
        )
    }

    @Test(
        "RFC 6749 §5.2: what the error of a code's redemption means",
        arguments: [
            (.error(400, "invalid_grant"), .rejected(.codeRefused)),
            (.error(401, "invalid_client"), .misconfigured(.clientRefused)),
            (.error(400, "unauthorized_client"), .misconfigured(.clientRefused)),
            (.error(400, "invalid_scope"), .misconfigured(.scopeRefused)),
            (.error(400, "temporarily_unavailable"), .transient(.serverError, retryAfter: nil)),
            (.error(400, "foo"), .rejected(.errorResponse)),
            (.error(503, "invalid_grant"), .transient(.serverError, retryAfter: nil)),
            // A code is good once: trying again does not help.
            (.text(400, "text/html", []), .rejected(.tokenResponse)),
            (.text(404, nil, []), .rejected(.tokenResponse)),
            (.text(408, nil, []), .transient(.serverError, retryAfter: nil)),
            (.text(502, "text/html", []), .transient(.serverError, retryAfter: nil)),
            (
                .text(503, nil, [], [.retryAfter: "7"]),
                .transient(.serverError, retryAfter: .seconds(7))
            ),
            (
                .text(429, nil, [], [.retryAfter: "Tue, 14 Nov 2023 22:13:30 GMT"]),
                .transient(.tooManyRequests, retryAfter: .seconds(10))
            ),
            (
                .text(429, nil, [], [.retryAfter: "99999999999999999999999"]),
                .transient(.tooManyRequests, retryAfter: .seconds(86_400))
            ),
            (.text(429, nil, [], [.retryAfter: ""]), .transient(.tooManyRequests, retryAfter: nil)),
            (
                .text(429, nil, [], [.retryAfter: "-1"]),
                .transient(.tooManyRequests, retryAfter: nil)
            ),
        ] as [(HTTPReply, SignInError.Kind)]
    )
    func errors(reply: HTTPReply, kind: SignInError.Kind) async throws {
        #expect(try await failure(reply) == kind)
    }

    @Test(
        "What the transport met",
        arguments: [
            (.unreachable, .transient(.unreachable, retryAfter: nil)),
            (.timedOut, .transient(.timedOut, retryAfter: nil)),
            (.untrusted, .misconfigured(.certificateUntrusted)),
            (.cancelled, .cancelled(.program)), (.tooLarge, .rejected(.tokenResponse)),
        ] as [(HTTPTransportError, SignInError.Kind)]
    )
    func transport(error: HTTPTransportError, kind: SignInError.Kind) async throws {
        scene.provider.answer("/token") { _ throws(HTTPTransportError) in throw error }
        #expect(await scene.failure() == kind)
    }

    @Test("A scope that the answer leaves out is the one that was asked for")
    func scope() async throws {
        scene.provider.change {
            $0.tokens = {
                var tokens = $0
                tokens["scope"] = nil
                return tokens
            }
        }
        #expect(try await scene.signIn().scope.tokens == ["openid", "profile", "email"])
    }
}

@Suite("Refused tokens")
struct RefusedTokenTests {
    private func isRefused(_ challenges: String..., status: Int = 401) -> Bool {
        var response = HTTPResponse(status: .init(code: status))
        for challenge in challenges {
            response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: challenge))
        }
        return HTTPReply(response: response, body: []).hasRefusedToken
    }

    @Test("RFC 6750 §3.1, RFC 9449 §7.1: invalid_token refuses a token, in a scheme for tokens")
    func schemes() {
        #expect(isRefused(#"Bearer error="invalid_token""#))
        #expect(isRefused(#"DPoP algs="ES256", error="invalid_token""#))
        #expect(isRefused(#"DPoP error="invalid_token""#, #"Bearer realm="r""#))
        #expect(isRefused(#"Bearer realm="r", dpop error=invalid_token"#))
        #expect(!isRefused(#"Basic error="invalid_token""#))
        #expect(!isRefused(#"DPoP error="use_dpop_nonce""#, #"Bearer realm="r""#))
        #expect(!isRefused(#"DPoP error="invalid_token""#, status: 403))
        #expect(!isRefused())
    }
}
