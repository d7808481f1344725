import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// What a sign-in by handle leaves in the browser and in the windows that it runs in.
@Suite("Windows of a sign-in by handle") struct HandleWindowTests {
    @Test(
        "a browser where a person is signed in stays that person's, also where an app of another signs in"
    )
    func oneBrowserOnePerson() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        _ = try await visitor.byHandle(.ann, at: server)
        let seal = try #require(visitor.cookies["sid"])
        let begun = try await visitor.begin(
            "bob.example.com",
            [("mobile", "true"), ("app", "moved")]
        )
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .bob))
        #expect(back.redirected["did"] == TestHosts.Person.bob.did)
        #expect(visitor.cookies["sid"] == seal)
        let token = try #require(back.redirected["session_token"])
        #expect(try await server.handleSession(ofSeal: token) != nil)
        // Nor does an app leave one in a browser that has none.
        let other = TestVisitor(server)
        let first = try await other.begin(
            "bob.example.com",
            [("mobile", "true"), ("app", "moved")]
        )
        _ = try await other.request(server.hosts.approve(first.location, as: .bob))
        #expect(other.cookies["sid"] == nil && other.cookies["__Host-session"] == nil)
    }

    @Test("what begins again after an error asks the host for the same: prompt, and a window's end")
    func beginsAgain() async throws {
        for prompt in ["login", "select_account", "consent", "create"] {
            let server = try await BackendUnderTest.withHandles()
            let visitor = TestVisitor(server)
            let begun = try await visitor.begin(
                "ann.example.com",
                [("prompt", prompt), ("pwa", "true")]
            )
            let error = try server.hosts.approve(begun.location, as: .ann)
                .replacing(/code=[^&]*/, with: "error=server_error")
            let page = try await visitor.open(error)
            server.hosts.forgetRequests()
            let again = try await visitor.submit(page, [("handle", "ann.example.com")], form: 0)
            #expect(again.reply.status == 200, "the name of the host comes first")
            let link = try #require(
                again.reply.text.firstMatch(of: /href="(\/login\?handle=[^"]*)"/)
            )
            let path = String(link.1).replacing("&amp;", with: "&")
            _ = try await visitor.request(path, from: again.url)
            let pushed = try #require(server.hosts.asked.last { $0.path == "/oauth/par" })
            #expect(pushed.form["prompt"] == prompt)
            #expect(link.1.contains("pwa=true"))
        }
    }

    @Test(
        "decision 0026: every page in the window of a web app keeps its opener, and leads on with pwa=true",
        arguments: [true, false]
    )
    func openers(isPopup: Bool) async throws {
        let server = try await BackendUnderTest.withHandles()
        let opener = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
        let pwa = isPopup ? [("pwa", "true")] : []
        let visitor = TestVisitor(server)
        func ask(_ handle: String) async throws -> Reply {
            try await visitor.request("/login", .post, [("handle", handle)] + pwa)
        }
        // Opened; mistyped; the name of the host; not finished; at another host.
        var pages = [
            try await visitor.request(FormEncoding.appending(pwa, to: "/mobile-auth")),
            try await ask("what is it?"), try await ask("ann @ example"),
            try await ask("nobody.example.com"),
            try await visitor.request(
                FormEncoding.appending(
                    [("handle", "ann.example.com"), ("ask", "host")] + pwa,
                    to: "/login"
                )
            ),
        ]
        var begun = try await visitor.begin("ann.example.com", pwa)
        let error = try server.hosts.approve(begun.location, as: .ann)
            .replacing(/code=[^&]*/, with: "error=server_error")
        pages.append(try await visitor.request(error))
        begun = try await visitor.begin("https://other.example.com", pwa)
        server.hosts.set(.otherSubject(TestHosts.Person.ann.did))
        pages.append(try await visitor.request(server.hosts.approve(begun.location, as: .bob)))
        #expect(pages.last?.status == 409)
        for page in pages {
            #expect((page.headers[opener] == nil) == isPopup, "\(page.status) \(page.text)")
            #expect(page.text.contains("pwa") == isPopup, "\(page.status) \(page.text)")
        }
    }
}
