import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// Requests that other sites' pages have a browser send to the Provider (docs/decisions/0093).
@Suite("Other sites' pages and the Provider's rows") struct OtherSitesRowTests {
    private static let restart = "/realms/test/login-actions/restart"

    private func fields(_ site: String, _ mode: String, _ place: String) -> HTTPFields {
        var fields: HTTPFields = [.accept: "*/*"]
        fields[.fetchSite] = site
        fields[.fetchMode] = mode
        fields[.fetchDestination] = place
        return fields
    }

    @Test(
        "decision 0093: a picture or a frame begins no authorization request; a link and prompt=none do",
        arguments: ["auth", "registrations", "forgot-credentials", "restart"]
    )
    func begins(_ name: String) async throws {
        let server = try await ProviderUnderTest(sendsMail: true) {
            $0.realm.registration = .email
        }
        let path = name == "restart" ? Self.restart : server.path(of: name)
        func ask(_ fields: HTTPFields, _ changes: [(String, String)] = []) async throws -> Reply {
            let request = TestFlow.request("native1", changes)
            return try await server.send(
                .get,
                TestBrowser.authorizationPath(request, at: path),
                headers: fields
            )
        }
        // Of restart nothing has begun that could begin again, which is 403 too.
        func isTaken(_ reply: Reply) -> Bool {
            name == "restart"
                ? reply.text.contains("couldn’t match this sign-in") : reply.status != 403
        }
        for (mode, place) in [("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty")] {
            let reply = try await ask(fields("cross-site", mode, place))
            #expect(reply.status == 403 && reply.location == nil && !isTaken(reply))
            #expect(reply.headers[values: .setCookie].isEmpty)
        }
        #expect(isTaken(try await ask(fields("cross-site", "navigate", "document"))))
        #expect(isTaken(try await ask(fields("same-origin", "navigate", "iframe"))))
        if name == "restart" {
            // What goes on may be a silent one.
            let silent = fields("cross-site", "navigate", "iframe")
            #expect(isTaken(try await ask(silent, [("request", "x")])))
        }
        guard name == "auth" else { return }
        let silent = try await ask(fields("cross-site", "navigate", "iframe"), [("prompt", "none")])
        #expect(silent.redirected["error"] == "login_required")
    }

    @Test(
        "decision 0093: what other sites lead a person to uses up nothing of their address",
        arguments: ["get", "post", "forgot-credentials", "restart"]
    )
    func apart(_ way: String) async throws {
        let scene = try await ATScene(sendsMail: true)
        let browser = TestBrowser(scene.server)
        let page = try await browser.authorize(try await scene.reference())
        let sealed = try #require(page.hiddenFields.first { $0.name == "request" }).value
        scene.server.clock.advance(by: 550)
        let reference = try await scene.reference()
        scene.server.clock.advance(by: 50)
        // From now on each request has the document fetched.
        scene.sites[ATScene.url] = nil
        let auth = scene.server.path(of: "auth")
        func ask(_ fields: HTTPFields) async throws -> Int {
            guard way != "post" else {
                return try await browser.post(auth, reference, headers: fields).status
            }
            let path =
                switch way {
                case "get": TestBrowser.authorizationPath(reference, at: auth)
                case "restart":
                    TestBrowser.authorizationPath([("request", sealed)], at: Self.restart)
                default:
                    TestBrowser.authorizationPath(reference, at: String.endpoint(way))
                }
            return try await browser.get(path, headers: fields).status
        }
        var statuses: [Int] = []
        for _ in 1...25 {
            statuses.append(try await ask(fields("cross-site", "navigate", "document")))
        }
        #expect(statuses == [Int](repeating: 400, count: 20) + [Int](repeating: 429, count: 5))
        #expect(scene.sites.fetched.count == 1 + 20)
        #expect(try await ask([.accept: "text/html"]) == 400)
        #expect(scene.sites.fetched.count == 1 + 21)
    }

    @Test("decision 0093: what another site's page pushes uses up nothing of its visitor's")
    func pushed() async throws {
        let server = try await ProviderUnderTest()
        let path = server.path(of: "ext/par/request")
        let form = TestFlow.request("native1")
        func push(_ fields: HTTPFields) async throws -> Int {
            try await server.post(path, form, headers: fields).status
        }
        for (mode, place) in [("no-cors", "empty"), ("navigate", "iframe")] {
            for _ in 1...61 {
                #expect(try await push(fields("cross-site", mode, place)) == 403)
            }
        }
        #expect(try await server.remains().pushedRequests == 0)
        // A browser app's script may.
        for number in 1...62 {
            let status = try await push(fields("cross-site", "cors", "empty"))
            #expect(status == (number > 60 ? 429 : 201), "\(number)")
        }
        #expect(try await push([:]) == 201)
    }

    @Test(
        "decision 0093: documents that other sites' pages have fetched use up nothing of a visitor's",
        arguments: ["ext/par/request", "token", "revoke"]
    )
    func documents(_ name: String) async throws {
        let scene = try await ATScene()
        // Each request has it fetched.
        scene.sites[ATScene.url] = nil
        let form = [("client_id", ATScene.url), ("grant_type", "refresh_token")]
        func ask(_ fields: HTTPFields) async throws -> Int {
            let proof: String? =
                if name == "token" { try await scene.app.proof(.post, name) } else { nil }
            return try await scene.server.post(name, form, proof: proof, headers: fields).status
        }
        let unread = fields("cross-site", "no-cors", "empty")
        if name != "revoke" {
            #expect(try await ask(unread) == 403)
            #expect(scene.sites.fetched.isEmpty)
        }
        let sent = name == "revoke" ? unread : fields("cross-site", "cors", "empty")
        var statuses: [Int] = []
        for _ in 1...25 { statuses.append(try await ask(sent)) }
        #expect(statuses == [Int](repeating: 400, count: 20) + [Int](repeating: 429, count: 5))
        #expect(scene.sites.fetched.count == 20)
        #expect(try await ask([:]) == 400)
        #expect(scene.sites.fetched.count == 21)
    }

    @Test("decision 0093: another site's page asks for no introspection, and uses up no guesses")
    func introspection() async throws {
        let server = try await ProviderUnderTest()
        let path = server.path(of: "token/introspect")
        let form = [("client_id", "web1"), ("client_secret", "wrong"), ("token", "x")]
        for site in ["cross-site", "same-site"] {
            for _ in 1...25 {
                let reply = try await server.post(
                    path,
                    form,
                    headers: fields(site, "no-cors", "empty")
                )
                #expect(reply.status == 403 && reply.error == "forbidden")
            }
        }
        #expect(try await server.post(path, form).status == 401)
    }
}
