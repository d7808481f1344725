import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("How many and how long pushed requests are (RFC 9126)") struct PushedRequestLimitTests {
    @Test("WEB-BRUTE-2: pushed requests of public clients are limited for one network address")
    func publicClients() async throws {
        let server = try await ProviderUnderTest()
        for _ in 1...60 {
            #expect(try await server.push(TestFlow.request()).status == 201)
        }
        let refused = try await server.push(TestFlow.request())
        #expect(refused.status == 429)
        #expect(refused.json["request_uri"] == nil)
        // The name of another client costs no one anything.
        #expect(try await server.push(TestFlow.request("third")).status == 429)
        #expect(try await server.remains().pushedRequests == 60)
        let elsewhere = try await server.post(
            .endpoint("ext/par/request"),
            TestFlow.request(),
            from: "192.0.2.2"
        )
        #expect(elsewhere.status == 201)
        #expect(try await server.push(TestFlow.request("web1")).status == 201, "it proves itself")
        server.clock.advance(by: try #require(refused.headers[.retryAfter].flatMap { Double($0) }))
        #expect(try await server.push(TestFlow.request()).status == 201)
        #expect(try await server.push(TestFlow.request()).status == 429)
        #expect(try await server.remains().pushedRequests == 63)
    }

    @Test("WEB-BRUTE-2: a client with a document is a stranger, also if it proves itself")
    func documented() async throws {
        let scene = try await ATScene(isConfidential: true)
        for _ in 1...599 { #expect(try await scene.push().status == 201) }
        let path = scene.server.path(of: "ext/par/request")
        let wrong = [("redirect_uri", "https://x.example")]
        // What is refused is a row, too: its assertion is spent.
        #expect(try await scene.push(wrong).status == 400)
        let spent = try await scene.server.spentAssertions()
        let refused = try await scene.push()
        #expect(refused.status == 429)
        #expect(refused.headers[.retryAfter] != nil)
        #expect(try await scene.push(wrong).status == 429)
        #expect(try await scene.refresh("none").status == 429)
        #expect(try await scene.server.remains().pushedRequests == 599)
        #expect(try await scene.server.spentAssertions() == spent)
        let elsewhere = try await scene.server.post(
            path,
            scene.request() + scene.proof(),
            from: "192.0.2.99"
        )
        #expect(elsewhere.status == 201)
        scene.server.clock.advance(by: 60)
        #expect(try await scene.push().status == 201)
        #expect(try await scene.refresh("none").error == "invalid_grant")
    }

    @Test("WEB-BRUTE-2: as many as come at once are limited as those that come one by one")
    func atOnce() async throws {
        for _ in 0..<5 {
            let server = try await ProviderUnderTest()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await server.push(TestFlow.request()).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 60, 429: 40])
            #expect(try await server.remains().pushedRequests == 60)
        }
    }

    @Test("WEB-BRUTE-2: a request that is refused takes no one's place")
    func refused() async throws {
        let server = try await ProviderUnderTest()
        for _ in 1...70 {
            let wrong = TestFlow.change(TestFlow.request(), [("redirect_uri", "https://x.example")])
            #expect(try await server.push(wrong).status == 400)
        }
        #expect(try await server.push(TestFlow.request()).status == 201)
    }

    /// A good request, as many bytes long as it is kept. What no one knows is not read
    /// (RFC 6749 §3.1).
    private func request(ofLength length: Int) -> [(String, String)] {
        let request = TestFlow.request("third", [("prompt", "login")])
        let bare = FormEncoding.encode((request + [("x", "")]).map { (name: $0.0, value: $0.1) })
        return request + [("x", String(repeating: "x", count: length - bare.count))]
    }

    @Test("RFC 9126 §2.3: a request that no page could carry is refused when it is pushed")
    func length() async throws {
        let server = try await ProviderUnderTest()
        let long = try await server.push(request(ofLength: 16_385))
        #expect(long.status == 400 && long.error == "invalid_request")
        #expect(try await server.remains().pushedRequests == 0)
        // The longest goes through every page.
        let pushed = try await server.push(request(ofLength: 16_384))
        #expect(pushed.status == 201)
        let uri = try pushed.requestURI
        let reference = [("client_id", "third"), ("request_uri", uri)]
        let browser = TestBrowser(server)
        let consent = try await browser.signIn("alice", reference)
        expectPage(consent, "consent")
        expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
    }

    @Test("RFC 9126 §2.3: a request that is too large is 413, one that is no form 400")
    func size() async throws {
        let server = try await ProviderUnderTest()
        let large = TestFlow.request("native1", [("nonce", String(repeating: "n", count: 70_000))])
        #expect(try await server.push(large).status == 413)
        let json = try await server.send(
            .post,
            .endpoint("ext/par/request"),
            headers: [.contentType: "application/json"],
            body: Array("{}".utf8)
        )
        #expect(json.status == 400 && json.error == "invalid_request")
    }

    @Test("RFC 9126 §2.3: wrong client secrets are 429 after a while")
    func guesses() async throws {
        let server = try await ProviderUnderTest()
        var last: Reply?
        for guess in 0..<25 {
            last = try await server.post(
                .endpoint("ext/par/request"),
                TestFlow.request("web1"),
                headers: [.authorization: ProviderUnderTest.basic("web1", "guess \(guess)")]
            )
        }
        #expect(last?.status == 429)
        #expect(last?.headers[.retryAfter] != nil)
    }
}
