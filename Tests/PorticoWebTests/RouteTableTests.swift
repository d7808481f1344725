import HTTPTypes
import PorticoBytes
import Testing

@testable import PorticoWeb

@Suite("Route tables")
struct RouteTableTests {
    private func row(_ method: HTTPRequest.Method, _ path: RoutePath) -> Route<RequestContext> {
        let rows = Route<RequestContext>.any(of: [method], path, for: .programs) { _ in
            Response(status: .ok)
        }
        return rows[0]
    }

    private func found(_ path: String, _ table: RouteTable<RequestContext>) -> String? {
        table.find(path)?.address.routes.first?.path.description
    }

    @Test("A literal segment goes before a named one, and both before a rest")
    func order() throws {
        let table = try RouteTable([
            row(.get, "/v1/{provider}"), row(.get, "/v1/token"), row(.get, "/v1/google/one-tap"),
            row(.get, "/v1/{provider}/callback"), row(.get, "/bff/{api}/{rest...}"), row(.get, "/"),
        ])
        #expect(found("/v1/token", table) == "/v1/token")
        #expect(found("/v1/google", table) == "/v1/{provider}")
        #expect(found("/v1/google/one-tap", table) == "/v1/google/one-tap")
        // What begins like a literal may be a named one after all.
        #expect(found("/v1/google/callback", table) == "/v1/{provider}/callback")
        #expect(found("/v1/token/callback", table) == "/v1/{provider}/callback")
        #expect(found("/", table) == "/")
        for path in ["/v1", "/v1/a/b", "/v1/a/callback/b", "/bff", "/V1/token"] {
            #expect(found(path, table) == nil, "\(path)")
        }
    }

    @Test("Names have what stands in their place; a rest may be nothing")
    func parameters() throws {
        let table = try RouteTable([
            row(.get, "/{a}/{b}"), row(.get, "/{version}/x/{c}"), row(.get, "/bff/{api}/{rest...}"),
        ])
        let two = try #require(table.find("/1/2")).parameters
        #expect(two["a"] == "1" && two["b"] == "2" && two["c"] == "")
        // A path that was tried and left behind leaves nothing.
        let three = try #require(table.find("/1/x/3")).parameters
        #expect(three["version"] == "1" && three["c"] == "3")
        let rest = try #require(table.find("/bff/orders/a/b")).parameters
        #expect(rest["api"] == "orders" && rest["rest"] == "a/b")
        let none = try #require(table.find("/bff/orders")).parameters
        #expect(none["api"] == "orders" && none["rest"] == "")
    }

    @Test("Attack H05: a slash at the end is another path: that of a row that has one, if any")
    func slash() throws {
        let table = try RouteTable([
            row(.get, "/a/{b}"), row(.get, "/a/{b}/"), row(.get, "/c"), row(.get, "/d/"),
            row(.get, "/bff/{rest...}"), row(.get, "/"),
        ])
        #expect(found("/a/1", table) == "/a/{b}" && found("/a/1/", table) == "/a/{b}/")
        #expect(found("/d/", table) == "/d/" && found("/", table) == "/")
        #expect(try #require(table.find("/a/1/")).parameters["b"] == "1")
        for path in ["/c/", "/d", "/bff/x/", "/bff/", "/a/"] {
            #expect(found(path, table) == nil, "\(path)")
        }
    }

    @Test("RFC 9110 §9.3.2: HEAD is GET without a body, unless asking spends something")
    func head() throws {
        let spending = Route<RequestContext>.get("/b", for: .people, answersHead: false) { _ in
            Response(status: .ok)
        }
        let table = try RouteTable([row(.get, "/a"), spending, row(.post, "/c")])
        #expect(table.find("/a")?.address.route(for: .head)?.method == .get)
        #expect(table.find("/b")?.address.route(for: .head) == nil)
        #expect(table.find("/c")?.address.route(for: .head) == nil)
    }

    @Test("Two rows for one address do not start")
    func collision() throws {
        #expect(throws: RouteCollision(path: "/a/{x}")) {
            try RouteTable([row(.get, "/a/{x}"), row(.post, "/a/{x}"), row(.get, "/a/{y}")])
        }
    }
}
