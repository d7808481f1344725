import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("Pages of stand-ins")
struct StandInPageTests {
    @Test(
        "every page is labelled as a stand-in, and must not be indexed",
        arguments: StandInKind.allCases
    )
    func label(kind: StandInKind) async throws {
        try await Wire.run { wire in
            let chooser = try await wire.get(wire.address(kind))
            let refusal = try await wire.get(wire.addresses(kind).authorization)
            var pages = [chooser, refusal]
            if kind == .apple {
                pages.append(try await wire.post(wire.address(kind), [("person", "ann")]))
            }
            for page in pages {
                let banner = "Stand-in for \(kind.name): nothing here reaches \(kind.name)."
                #expect(page.text.contains(banner))
                #expect(page.text.contains("<html lang=\"en\">"))
                #expect(page.text.contains("<meta name=\"robots\" content=\"noindex\">"))
                #expect(page.text.matches(of: /<h1>/).count == 1)
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
                #expect(policy.contains("frame-ancestors 'none'"))
                // Where the answer goes on to is the relying party's business.
                #expect(!policy.contains("form-action"))
                #expect(page.headers[try #require(.init("X-Robots-Tag"))] == "noindex")
            }
            #expect(!chooser.text.contains("<script"))
        }
    }

    @Test("WEB-XSS-1: names and addresses are text, never markup", arguments: StandInKind.allCases)
    func escaping(kind: StandInKind) async throws {
        try await Wire.run { wire in
            wire.standIns.setPeople([.mia], at: kind)
            let page = try await wire.get(
                wire.address(kind, [("state", "\"><script>alert(2)</script>")])
            )
            #expect(page.status == 200)
            #expect(!page.text.contains("<script"))
            #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt; O&#39;Markup"))
            if kind == .apple {
                let answer = try await wire.post(wire.address(kind), [("person", "mia")])
                let user = answer.hiddenFields.first { $0.name == "user" }?.value
                #expect(user?.contains("<script>alert(1)") == true)
                #expect(answer.text.matches(of: /<script/).count == 1)
            }
        }
    }

    @Test("a person's picture is an image that no other page can run")
    func picture() async throws {
        try await Wire.run { wire in
            let tokens = try await wire.tokens(.google)
            let claims = try await wire.claims(tokens.string("id_token"), .google)
            let reply = try await wire.get(#require(claims.string("picture")))
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "image/svg+xml")
            let nobody = wire.standIns.issuer(of: .google) + "/picture/nobody"
            #expect(try await wire.get(nobody).status == 404)
        }
    }

    @Test(
        "PRV-A-4: Apple's page really posts across sites, with scripts and without, and brings no Lax cookie",
        .enabled(if: BrowserKind.chromium.isThere, "needs TEST_WEBDRIVER"),
        arguments: BrowserKind.allCases.filter(\.isThere),
        [true, false]
    )
    func browser(kind: BrowserKind, scripts: Bool) async throws {
        let receiver = try LocalServer(takesBodies: true) { request in
            LocalServer.reply(
                "200 OK",
                ["Content-Type: text/html", "Set-Cookie: kept=1; Path=/; HttpOnly; SameSite=Lax"],
                "<!doctype html><title>\(request.hasPrefix("POST") ? "Arrived" : "Begun")</title>"
            )
        }
        defer { receiver.stop() }
        let own = "http://127.0.0.1:\(receiver.port)"
        try await Wire.run { wire in
            let settings = try wire.standIns.registerDemo(
                at: .apple,
                redirectURIs: [own + "/callback"]
            )
            try await Browser.use(kind, scripts: scripts) { browser in
                try await browser.open(own + "/begin")
                try await browser.open(
                    FormEncoding.appending(
                        [
                            ("client_id", settings.clientID),
                            ("redirect_uri", own + "/callback"),
                            ("response_type", "code"), ("response_mode", "form_post"),
                            ("scope", "name email"), ("state", "s"),
                        ],
                        to: wire.addresses(.apple).authorization
                    )
                )
                try await browser.click("button[value=ann]")
                if !scripts {
                    try await browser.waitForTitle { $0.hasPrefix("Back to the application") }
                    try await browser.click("main button")
                }
                try await browser.waitForTitle { $0 == "Arrived" }
                try await browser.open(own + "/end")
            }
        }
        let request = try #require(receiver.requests.first { $0.hasPrefix("POST /callback") })
        #expect(request.contains("Sec-Fetch-Site: cross-site"))
        #expect(request.contains("code=code-") && request.contains("user=%7B"))
        // Why Apple's answer becomes a GET (docs/decisions/0027): the cookie is there, and stays
        // away from this post alone.
        #expect(!request.contains("kept=1"))
        let end = try #require(receiver.requests.first { $0.hasPrefix("GET /end") })
        #expect(end.contains("kept=1"))
    }

    /// Where `axe.min.js` is.
    private static let axeCore: String? = ProcessInfo.processInfo.environment["TEST_AXE"]

    @Test(
        "WEB-ACC-2: axe finds nothing on the pages of the stand-ins, light and dark",
        .enabled(
            if: BrowserKind.chromium.isThere && StandInPageTests.axeCore != nil,
            "needs TEST_WEBDRIVER and TEST_AXE"
        ),
        arguments: StandInKind.allCases
    )
    func axe(kind: StandInKind) async throws {
        let script = try String(contentsOfFile: #require(Self.axeCore), encoding: .utf8)
        try await Wire.run { wire in
            let addresses = [
                try wire.address(kind), wire.addresses(kind).authorization,
            ]
            try await Browser.use { browser in
                for address in addresses {
                    for isDark in [false, true] {
                        try await browser.look(width: 320, isDark: isDark)
                        try await browser.open(address)
                        _ = try await browser.run(script)
                        let found = try await browser.runAsynchronously(
                            """
                            const done = arguments[arguments.length - 1];
                            axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa',
                                               'best-practice']})
                                .then(result => done(result.violations.map(one => one.id)));
                            """
                        )
                        #expect(found.strings == [])
                        let width = try await browser.run(
                            "return document.documentElement.scrollWidth"
                        )
                        #expect(try #require(width.int64) <= 320)
                    }
                }
            }
        }
    }
}
