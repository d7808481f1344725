import HTTPTypes
import PorticoProtocol
import Testing

@testable import PorticoWeb

@Suite("Errors as answers")
struct ErrorAnswerTests {
    let headers: SecurityHeaders

    init() throws {
        headers = SecurityHeaders(try PublicURL("https://id.example.com"))
    }

    @Test(
        "RFC 6749 §5.2: errors are 400, an unknown client 401, our own failure 500",
        arguments: [
            (OAuthError.Code.invalidRequest, 400), (.invalidGrant, 400), (.unauthorizedClient, 400),
            (.unsupportedGrantType, 400), (.invalidScope, 400), (.invalidClient, 401),
            (.serverError, 500), (.temporarilyUnavailable, 503), (.unsupportedTokenType, 400),
        ]
    )
    func statuses(code: OAuthError.Code, status: Int) {
        let response = OAuthError(code, "The reason.").response(headers: headers)
        #expect(response.status.code == status)
        #expect(response.headers[.contentType] == "application/json")
        #expect(response.headers[.cacheControl] == "no-store")
        #expect(HTTPField.Name("Pragma").flatMap { response.headers[$0] } == "no-cache")
    }

    @Test("RFC 6749 §5.2: 401 names the scheme the client tried, and only then")
    func challenge() {
        let error = OAuthError(.invalidClient, "The reason.")
        let tried = error.response(
            headers: headers,
            attempted: .basic,
            issuer: "https://id.example.com/realms/demo"
        )
        #expect(
            tried.headers[.wwwAuthenticate] == "Basic realm=\"https://id.example.com/realms/demo\""
        )
        #expect(error.response(headers: headers).headers[.wwwAuthenticate] == nil)
        let other = OAuthError(.invalidGrant, "The reason.")
        #expect(
            other.response(headers: headers, attempted: .basic).headers[.wwwAuthenticate] == nil
        )
    }

    @Test("WEB-BRUTE-2: too many tries are 429 with Retry-After")
    func tooMany() {
        let response = OAuthError(.invalidClient, "Too many.").response(
            headers: headers,
            attempted: .basic,
            retryAfter: 1.5
        )
        #expect(response.status == .tooManyRequests)
        #expect(response.headers[.retryAfter] == "2")
    }

    @Test("RFC 9110 §15.6.4: 503 says when to try again, and no other failure does")
    func busy() {
        let busy = OAuthError(.temporarilyUnavailable, "The server is busy.")
        #expect(busy.response(headers: headers).status == .serviceUnavailable)
        #expect(busy.response(headers: headers).headers[.retryAfter] == "2")
        let failed = OAuthError(.serverError, "The reason.")
        #expect(failed.response(headers: headers).headers[.retryAfter] == nil)
    }

    @Test("RFC 6750 §3: a challenge has a realm, and an error where a token was sent")
    func bearer() {
        let issuer = "https://id.example.com/realms/demo"
        #expect(BearerChallenge(nil, issuer: issuer).value == "Bearer realm=\"\(issuer)\"")
        #expect(
            BearerChallenge(
                OAuthError(.insufficientScope, "More is needed."),
                issuer: issuer,
                scope: "openid"
            ).value
                == "Bearer realm=\"\(issuer)\", error=\"insufficient_scope\", "
                + "error_description=\"More is needed.\", scope=\"openid\""
        )
    }

    @Test(
        "RFC 6750 §3.1: no token 401, invalid_request 400, invalid_token 401, insufficient_scope 403",
        arguments: [
            (nil, 401), (.invalidRequest, 400), (.invalidToken, 401), (.insufficientScope, 403),
        ] as [(OAuthError.Code?, Int)]
    )
    func bearerStatus(code: OAuthError.Code?, status: Int) {
        let challenge = BearerChallenge(
            code.map { OAuthError($0, "The reason.") },
            issuer: "https://id.example.com"
        )
        let response = challenge.response(headers: headers)
        #expect(response.status.code == status)
        #expect(response.headers[values: .wwwAuthenticate].count == 1)
    }

    @Test("A quoted string cannot be left, whatever is in it")
    func quoted() {
        #expect(QuotedString("a\"b\\c\r\nd\u{e9}").description == "\"a\\\"b\\\\cd\"")
    }

    @Test("WEB-CORS-1: anyone may read public answers, without credentials")
    func anyone() {
        for origin in ["https://evil.example", "null"] {
            let answer = CORSPolicy.anyone.headers(for: [.origin: origin])
            #expect(answer[.accessControlAllowOrigin] == "*")
            #expect(answer[.accessControlAllowCredentials] == nil)
        }
    }

    @Test("WEB-CORS-1: a listed origin is allowed byte for byte, and null never")
    func listed() {
        let policy = CORSPolicy.origins(["https://app.example.com", "null"])
        let allowed = policy.headers(for: [.origin: "https://app.example.com"])
        #expect(allowed[.accessControlAllowOrigin] == "https://app.example.com")
        #expect(allowed[.accessControlAllowCredentials] == nil)
        #expect(allowed[.vary] == "Origin")
        for origin in [
            "https://evil.example", "null", "https://app.example.com.evil.example",
            "https://app.example.com:443", "http://app.example.com", "https://APP.example.com", "",
        ] {
            let answer = policy.headers(for: [.origin: origin])
            #expect(answer[.accessControlAllowOrigin] == nil)
            #expect(answer[.vary] == "Origin")
            #expect(
                policy.preflight(for: [.origin: origin], methods: [.post])[
                    .accessControlAllowMethods
                ] == nil
            )
        }
        #expect(policy.headers(for: [:])[.accessControlAllowOrigin] == nil)
    }

    @Test("A preflight says which methods and headers there are")
    func preflight() {
        let answer = CORSPolicy.anyone.preflight(
            for: [.origin: "https://a.example"],
            methods: [.post]
        )
        #expect(answer[.accessControlAllowMethods] == "POST")
        #expect(answer[.accessControlAllowHeaders]?.contains("Authorization") == true)
    }
}
