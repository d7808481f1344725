import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// Other sites' pages use up nothing of what their visitors, and everybody at their address, may do
/// (docs/decisions/0093).
@Suite("Requests that other sites' pages make") struct OtherSitesRequestTests {
    struct Asking: Sendable, CustomTestStringConvertible {
        let site: String
        let mode: String
        let place: String
        var isPrefetch = false

        var testDescription: String { "\(site) \(mode) \(place)\(isPrefetch ? " prefetch" : "")" }

        var fields: HTTPFields {
            var fields: HTTPFields = [.accept: "*/*"]
            fields[.fetchSite] = site
            fields[.fetchMode] = mode
            fields[.fetchDestination] = place
            if isPrefetch { fields[.fetchPurpose] = "prefetch" }
            return fields
        }
    }

    private static let unseenOnes = [
        Asking(site: "cross-site", mode: "no-cors", place: "image"),
        Asking(site: "same-site", mode: "no-cors", place: "script"),
        Asking(site: "cross-site", mode: "cors", place: "empty"),
        Asking(site: "cross-site", mode: "navigate", place: "iframe"),
        Asking(site: "cross-site", mode: "navigate", place: "object"),
        Asking(site: "cross-site", mode: "navigate", place: "document", isPrefetch: true),
    ]

    @Test(
        "decision 0093: what no one sees begins and ends no sign-in, and counts for nobody",
        arguments: unseenOnes
    )
    func unseen(_ asking: Asking) async throws {
        let server = try await BackendUnderTest(limits: BackendLimits(), handles: [:])
        for path in [
            "/v1/auth/google", "/v1/auth/google/callback?state=x&code=y",
            "/v1/auth/keycloak/callback/link?state=x", "/oauth/callback?state=x",
            "/login?handle=ann.example.com", "/login", "/mobile-auth",
        ] {
            for _ in 1...70 {
                let reply = try await server.send(.get, path, headers: asking.fields)
                #expect(reply.status == 403, "\(path)")
                #expect(reply.headers[values: .setCookie].isEmpty)
            }
            let own = try await server.send(.get, path, headers: [.accept: "text/html"])
            #expect(own.status != 429 && own.status != 403, "\(path)")
        }
    }

    @Test(
        "decision 0093: what a person sees counts, but not for what people there begin themselves"
    )
    func seen() async throws {
        let led = Asking(site: "cross-site", mode: "navigate", place: "document")
        for (path, most) in [
            ("/v1/auth/google", 60), ("/v1/auth/google/callback?state=x&code=y", 10),
            ("/oauth/callback?state=x", 10),
        ] {
            let server = try await BackendUnderTest(limits: BackendLimits(), handles: [:])
            for number in 1...(most + 5) {
                let reply = try await server.send(.get, path, headers: led.fields)
                #expect((reply.status == 429) == (number > most), "\(path) \(number)")
            }
            let own = try await server.send(.get, path, headers: [.accept: "text/html"])
            #expect(own.status != 429, "\(path)")
        }
    }

    @Test(
        "decision 0093: rows of programs take nothing of another site, and it counts for nobody",
        arguments: ["cross-site", "same-site", nil] as [String?]
    )
    func programs(_ site: String?) async throws {
        let server = try await BackendUnderTest(limits: BackendLimits())
        var fields = HTTPFields()
        fields[.fetchSite] = site
        // Browsers without that field say where a post comes from.
        if site == nil { fields[.origin] = "https://evil.example" }
        let rows: [(String, [(String, String)])] = [
            (
                "/v1/auth/token",
                [
                    ("grant_type", "authorization_code"), ("code", "guess"), ("app", "notes"),
                    ("redirect_uri", "com.example.notes:/callback"), ("code_verifier", "guess"),
                ]
            ),
            ("/v1/auth/apple/native/nonce", []),
            ("/v1/auth/apple/native", [("id_token", "a.b.c")]),
            ("/v1/auth/keycloak/backchannel-logout", [("logout_token", "a.b.c")]),
            ("/v1/auth/apple/notifications", [("payload", "a.b.c")]),
            ("/v1/auth/facebook/deauthorize", [("signed_request", "a.b")]),
            ("/v1/auth/facebook/data-deletion", [("signed_request", "a.b")]),
            ("/v1/auth/google/one-tap", [("credential", "a.b.c")]),
        ]
        for (path, form) in rows {
            for _ in 1...70 {
                let reply = try await server.post(path, form, headers: fields)
                #expect(reply.status == 403 && reply.json.string("error") == "forbidden", "\(path)")
            }
            #expect(try await server.post(path, form).status != 429, "\(path)")
            let own: HTTPFields = [.fetchSite: "same-origin"]
            #expect(try await server.post(path, form, headers: own).status != 403, "\(path)")
        }
        let refresh = try await server.post(
            "/v1/auth/refresh",
            [("refresh_token", "x")],
            headers: fields
        )
        #expect(refresh.status == 403)
    }

    @Test(
        "an office of one address: sixty begin at each provider in a minute, each browser five times"
    )
    func office() async throws {
        let server = try await BackendUnderTest(limits: BackendLimits())
        for number in 1...12 {
            let visitor = TestVisitor(server)
            for _ in 1...5 {
                #expect(try await visitor.request("/v1/auth/google").status == 303, "\(number)")
            }
            let reply = try await visitor.request("/v1/auth/google")
            #expect(reply.status == 429 && reply.headers[.retryAfter] != nil)
        }
        let other = TestVisitor(server)
        #expect(try await other.request("/v1/auth/google").status == 429)
        #expect(try await other.request("/v1/auth/facebook").status == 303)
        // Without cookies only the address counts.
        #expect(try await server.send(.get, "/v1/auth/apple").status == 303)
        server.clock.advance(by: 61)
        #expect(try await other.request("/v1/auth/google").status == 303)
    }
}
