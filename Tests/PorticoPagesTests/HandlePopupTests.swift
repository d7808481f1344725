import PorticoPages
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Page: signed in, in a window of a web app") struct HandlePopupTests {
    private static func html(_ did: String, _ handle: String) throws -> String {
        let page = HandlePopupPage(
            did: did,
            handle: handle,
            nonce: "AbCdEfGhIjKlMnOpQrStUv",
            proceed: PageLink(path: "/dashboard")
        )
        return try PageRenderer().html(page, in: .english, frame: PageFrame(realm: "Demo"))
    }

    @Test("SEED-TIJS-6: one script with a nonce, which holds nothing foreign and no wildcard")
    func script() throws {
        let page = try Markup(page: Self.html("did:plc:abc", "alice.example.com"))
        let script = try #require(page.all("script").first)
        #expect(page.all("script").count == 1)
        #expect(script.attributes == ["nonce": "AbCdEfGhIjKlMnOpQrStUv"])
        #expect(script.text.contains("postMessage(result, location.origin)"))
        #expect(!script.text.contains("\"*\"") && !script.text.contains("'*'"))
        let hostile = try Markup(page: Self.html("</script><script>1", "\";alert(1);\""))
        #expect(hostile.all("script").map(\.text) == [script.text])
        // Without scripts: where to go on.
        let main = try #require(page.all("main").first)
        #expect(main.all("a").map { $0.attributes["href"] } == ["/dashboard"])
        #expect(main.text.contains("You can close this window."))
    }

    /// Shows the page under the policy that `PageHeaderTests` reads, and an app's page at `/app`, which
    /// keeps the messages that it gets.
    private static func server(_ html: String) throws -> LocalServer {
        let policy = "default-src 'none'; script-src 'nonce-AbCdEfGhIjKlMnOpQrStUv'"
        return try LocalServer { head in
            let type = "Content-Type: text/html; charset=utf-8"
            guard head.hasPrefix("GET /popup ") else {
                return LocalServer.reply(
                    "200 OK",
                    [type],
                    """
                    <!doctype html><title>app</title><script>
                    var told = [];
                    addEventListener("message", function (event) {
                      told.push([event.origin, JSON.stringify(event.data)]);
                    });
                    </script>
                    """
                )
            }
            return LocalServer.reply(
                "200 OK",
                [type, "Content-Security-Policy: \(policy)"],
                html
            )
        }
    }

    @Test(
        "SEED-TIJS-6: the app's own page is told and reads it in the storage, then the window closes; another origin's page hears nothing",
        .enabled(if: BrowserKind.chromium.isThere, "needs a WebDriver server: TEST_WEBDRIVER")
    )
    func told() async throws {
        let handle = "\"</script>'\u{2028}alice"
        let html = try Self.html("did:plc:abc", handle)
        let (own, other) = (try Self.server(html), try Self.server(html))
        let origin = "http://127.0.0.1:\(own.port)"
        try await Browser.use { browser in
            try await browser.open("http://127.0.0.1:\(other.port)/app")
            try await browser.run("window.popup = open(arguments[0])", [.string("\(origin)/popup")])
            try await Self.waitUntilClosed(browser)
            #expect(try await browser.run("return told.length") == 0)

            try await browser.open("\(origin)/app")
            try await browser.run("localStorage.clear(); window.popup = open('/popup')")
            try await Self.waitUntilClosed(browser)
            let told = try await browser.run(
                "return told.concat([['', localStorage.getItem('pwa-oauth-result')]])"
            )
            let messages = try #require(told.array).map { $0.strings ?? [] }
            #expect(messages.map(\.first) == [origin, ""])
            #expect(messages.first?.last == messages.last?.last)
            let text = try #require(messages.last?.last)
            let result = try JSONObject(parsing: Array(text.utf8))
            #expect(result.string("type") == "oauth-callback" && result.bool("success") == true)
            #expect(result.string("did") == "did:plc:abc" && result.string("handle") == handle)
            #expect(result["timestamp"] != nil && result.count == 5)
        }
    }

    private static func waitUntilClosed(_ browser: Browser) async throws {
        try await waitUntil("the window closes") {
            try await browser.run("return window.popup.closed") == true
        }
        // One more turn, in which a message that was sent arrives.
        try await browser.run("return 0")
    }
}
