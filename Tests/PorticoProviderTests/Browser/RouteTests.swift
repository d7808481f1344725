import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("Methods and paths (attack rows H04, H05)") struct RouteTests {
    private static let server = Task { try await ProviderUnderTest() }

    @Test(
        "attack H04: other methods are 405 and name what is allowed",
        arguments: [
            ("token", HTTPRequest.Method.get, "POST"), ("token", .put, "POST"),
            ("auth", .put, "GET, POST"), ("auth", .delete, "GET, POST"),
            ("auth", .trace, "GET, POST"), ("token", .trace, "POST"),
            ("auth", .connect, "GET, POST"),
            ("ext/par/request", .get, "POST"), ("logout", .patch, "GET, POST"),
            ("userinfo", .delete, "GET, POST"), ("certs", .post, "GET"), ("revoke", .get, "POST"),
            ("token/introspect", .get, "POST"), ("logout/logout-confirm", .get, "POST"),
        ]
    )
    func methods(_ endpoint: String, _ method: HTTPRequest.Method, _ allow: String) async throws {
        let server = try await Self.server.value
        let query = "?grant_type=client_credentials&client_id=machine"
        let reply = try await server.send(method, String.endpoint(endpoint) + query)
        #expect(reply.status == 405)
        #expect(reply.headers[.allow] == allow)
        #expect(!reply.text.contains("access_token"))
        #expect(!reply.text.contains("machine"))
    }

    @Test("Programs get JSON where nothing is, or for another method; people a page")
    func notThere() async throws {
        let server = try await Self.server.value
        let json: HTTPFields = [.accept: "application/json"]
        let long = String(repeating: "text/x-\u{301},", count: 850) + "application/json"
        #expect((8_000...9_000).contains(long.utf8.count))
        for (path, headers, isProgram) in [
            ("/realms/test/protocol/openid-connect/nothing", HTTPFields(), true),
            ("/realms/test/protocol/openid-connect/login-status", [.accept: "text/html"], true),
            ("/realms/other/protocol/openid-connect/auth", [.accept: "text/html"], true),
            ("/realms/test/.well-known/nothing", HTTPFields(), true),
            ("/nowhere", json, true), ("/realms/test/nowhere", json, true),
            ("/nowhere", [.accept: "Application/JSON;q=0.5, */*"], true),
            ("/nowhere", HTTPFields(), false), ("/nowhere", [.accept: "*/*"], false),
            ("/nowhere", [.accept: "text/html,application/json;q=0.9"], false),
            ("/nowhere", [.accept: "application/jsonp"], false),
            ("/nowhere", [.accept: long], true),
        ] {
            let reply = try await server.send(.get, path, headers: headers)
            #expect(reply.status == 404, "\(path)")
            #expect((reply.error != nil) == isProgram, "\(path) \(headers)")
            #expect(reply.text.contains("<html") != isProgram, "\(path) \(headers)")
        }
        for (path, headers, isProgram) in [
            (String.endpoint("auth"), HTTPFields(), true),
            (String.endpoint("token"), HTTPFields(), true),
            ("/realms/test/login-actions/consent", HTTPFields(), false),
            ("/realms/test/login-actions/consent", json, true),
        ] {
            let reply = try await server.send(.put, path, headers: headers)
            #expect(reply.status == 405)
            #expect(reply.headers[.allow]?.contains("POST") == true)
            #expect((reply.error == "method_not_allowed") == isProgram, "\(path)")
        }
    }

    @Test("RFC 9110 §9.2.1: where a request spends or ends something, HEAD is refused")
    func head() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens(browser: browser)
        let hint = try tokens.idToken
        let request = try await server.reference(to: TestFlow.request())
        let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let before = try await server.remains()
        for path in [
            TestBrowser.authorizationPath(request), "/realms/test/login-actions/restart",
            String.endpoint("logout?id_token_hint=\(hint)"),
        ] {
            let reply = try await server.send(.head, path, headers: [.cookie: cookies])
            #expect(reply.status == 405, "\(path)")
            #expect(reply.location == nil)
        }
        #expect(try await server.remains() == before)
        expectCode(try await browser.authorize(request))
    }

    @Test("attack H04: TRACE is off everywhere, and repeats nothing")
    func trace() async throws {
        let server = try await Self.server.value
        for path in ["/", "/realms/test/.well-known/openid-configuration", "/nowhere"] {
            let reply = try await server.send(.trace, path, headers: [.cookie: "secret=1"])
            #expect([404, 405].contains(reply.status))
            #expect(!reply.text.contains("secret"))
        }
    }

    @Test(
        "attack H05: no other spelling of a path leads anywhere",
        arguments: [
            "//.well-known/openid-configuration", "/.well-known/openid-configuration/",
            "/.well-known/openid-configuration", "/%2e%2e/",
            "/realms/../realms/test/.well-known/openid-configuration",
            "/realms/test/../test/.well-known/openid-configuration",
            "/realms/TEST/.well-known/openid-configuration",
            "/realms/none/.well-known/openid-configuration",
            "/realms/test/.well-known/%6fpenid-configuration",
            "/realms/te%73t/.well-known/openid-configuration",
            "/realms/test/.well-known/openid-configuration/",
            "/realms/test//.well-known/openid-configuration",
            "/realms//test/.well-known/openid-configuration",
            "/realms/test/.well-known/OpenID-Configuration",
            "/realms/test/.well-known%2fopenid-configuration",
            "/realms/test/./.well-known/openid-configuration",
            "/realms/test;x=1/.well-known/openid-configuration",
            "/Realms/test/.well-known/openid-configuration", "/realms/test//",
            "/realms/t\u{E9}st/.well-known/openid-configuration", "/realms/", "/realms",
            "/.well-known/openid-configuration/realms/test/", "", "*", "realms/test",
            "https://op.example.com/realms/test/.well-known/openid-configuration",
            "/realms/test/protocol/openid-connect/token/", "/realms/test/protocol/openid-connect/",
            "/realms/test/protocol/openid-connect/auth%3Fx",
        ]
    )
    func paths(_ path: String) async throws {
        let reply = try await Self.server.value.send(.get, path)
        #expect(reply.status == 404)
        #expect(reply.location == nil)
        #expect(!reply.text.contains("authorization_endpoint"))
    }

    @Test(
        "The server's and an issuer's own address show what they are",
        arguments: [("/", "Portico"), ("/realms/test", "Test")]
    )
    func start(_ path: String, _ owner: String) async throws {
        let server = try await Self.server.value
        let page = try await server.send(.get, path, headers: [.accept: "text/html"])
        #expect(page.status == 200)
        #expect(page.text.contains("<title>Sign in from an app – \(owner)</title>"))
        #expect(page.headers[values: .setCookie].isEmpty)
        #expect(try await server.send(.post, path).status == (path == "/" ? 404 : 405))
        let other = try await server.send(.get, "/realms/other", headers: [.accept: "text/html"])
        #expect(other.status == 404)
        #expect(other.text.contains("Page not found"))
    }

    @Test("Both well-known names answer in both forms, and HEAD like GET")
    func wellKnown() async throws {
        let server = try await Self.server.value
        for name in ["openid-configuration", "oauth-authorization-server"] {
            for path in ["/realms/test/.well-known/\(name)", "/.well-known/\(name)/realms/test"] {
                for method in [HTTPRequest.Method.get, .head] {
                    #expect(try await server.send(method, path).status == 200)
                }
            }
        }
    }

    @Test("RFC 9700 §4.13, WEB-HOST-1: X-Forwarded-Host and Host change no address that we write")
    func forwardedHost() async throws {
        let server = try await Self.server.value
        let name = try #require(HTTPField.Name("X-Forwarded-Host"))
        let forwarded = try #require(HTTPField.Name("Forwarded"))
        let headers: HTTPFields = [name: "evil.example", forwarded: "host=evil.example;proto=http"]
        for path in [
            "/realms/test/.well-known/openid-configuration",
            TestBrowser.authorizationPath(TestFlow.request()),
            TestBrowser.authorizationPath(TestFlow.silent),
        ] {
            let reply = try await server.send(.get, path, headers: headers)
            #expect([200, 303].contains(reply.status))
            #expect(!reply.text.contains("evil"))
            #expect(reply.location?.contains("evil") != true)
            #expect(reply.headers[values: .setCookie].allSatisfy { !$0.contains("evil") })
            let other = try await server.send(.get, path, host: "evil.example")
            #expect(other.status == 421)
            #expect(other.location == nil)
            #expect(other.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(other.text.contains("https://op.example.com"))
            #expect(!other.text.contains("evil"))
        }
    }
}
