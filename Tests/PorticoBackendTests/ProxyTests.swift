import Foundation
import HTTPTypes
import Hummingbird
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import PorticoWeb
import Testing

/// Says what it was asked.
private struct EchoAPI: HTTPResponder {
    typealias Context = WebContext

    func respond(to request: Request, context: WebContext) async throws -> Response {
        let fields = request.headers.map { "\($0.name.canonicalName): \($0.value)" }
        let text = ([request.head.path ?? ""] + fields).joined(separator: "\n")
        var headers: HTTPFields = [.contentType: "text/plain", .setCookie: "evil=1"]
        headers[.location] = "https://evil.example/"
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(bytes: Array(text.utf8))
        )
    }
}

@Suite("The proxy to a team's own APIs") struct ProxyTests {
    private static func server() async throws -> BackendUnderTest {
        try await BackendUnderTest(
            apis: [try ProxiedAPI("orders=https://orders.example.com/v2,google")],
            further: ["orders.example.com": TestDoor(EchoAPI())]
        )
    }

    private static func send(
        _ visitor: TestVisitor,
        _ path: String,
        _ further: HTTPFields = [.portico: "1"]
    ) async throws -> Reply {
        try await visitor.request(path, .get, [], from: "https://app.example.com/", further)
    }

    @Test("WEB-BFF-4: a request goes on with the person's token, and without cookies")
    func proxied() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        let reply = try await Self.send(
            visitor,
            "/bff/orders/list?page=2",
            [.portico: "1", .accept: "application/json", .referer: "https://x.example/"]
        )
        #expect(reply.status == 200)
        #expect(reply.text.hasPrefix("/v2/list?page=2"))
        #expect(reply.text.contains("authorization: Bearer "))
        for word in ["cookie:", "referer:", "user-agent:", "x-portico:"] {
            #expect(!reply.text.contains(word), "\(word)")
        }
        #expect(reply.headers[.setCookie] == nil && reply.headers[.location] == nil)
        // One refresh serves many requests.
        _ = try await Self.send(visitor, "/bff/orders/list")
        let refreshes = server.standIns.log.requests(to: .token, at: .google)
            .filter { $0["grant_type"] == "refresh_token" }
        #expect(refreshes.count == 1)
    }

    @Test(
        "attack E33: tricks with paths, hosts and headers reach nothing",
        arguments: [
            "/bff/orders/..%2f..%2fadmin", "/bff/orders/../admin", "/bff/unknown/x", "/bff/",
            "/bff",
            "/bff//orders/x", "/bff/orders//x", "/bff/orders/%2e%2e/x",
        ]
    )
    func tricks(_ path: String) async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        let reply = try await Self.send(visitor, path)
        #expect(reply.status == 404)
    }

    @Test(
        "WEB-BFF-5, attack E33: without the header, from another site, or to upgrade, it is refused"
    )
    func forgery() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        #expect(try await Self.send(visitor, "/bff/orders/x", [:]).status == 403)
        let cookie = try #require(visitor.cookies["__Host-session"])
        let foreign = try await server.send(
            .get,
            "/bff/orders/x",
            headers: [
                .cookie: "__Host-session=\(cookie)", .portico: "1", .fetchSite: "cross-site",
            ]
        )
        #expect(foreign.status == 403)
        let upgrade = try await Self.send(
            visitor,
            "/bff/orders/x",
            [.portico: "1", .upgrade: "h2c"]
        )
        #expect(upgrade.status == 400)
        #expect(try await Self.send(TestVisitor(server), "/bff/orders/x").status == 401)
    }

    @Test("Somebody without an identity at the API's provider is told so")
    func noAccess() async throws {
        let server = try await Self.server()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("facebook", as: .paul)
        let reply = try await Self.send(visitor, "/bff/orders/x")
        #expect(reply.status == 403)
        #expect(reply.json.string("error") == "access_denied")
    }
}
