import PorticoTestSupport
import Testing

/// A person who has forgotten their password, in one browser.
struct ResetWalk {
    let server: ProviderUnderTest
    let browser: TestBrowser
    static let path = "/realms/test/login-actions/reset-credentials"
    static let password = "a river runs backwards"

    init(_ server: ProviderUnderTest, from address: String = "192.0.2.1") {
        self.server = server
        browser = TestBrowser(server, from: address)
    }

    /// Asks for a link, as from the sign-in page of an app.
    func ask(
        _ email: String = "alice@example.com",
        _ request: [(String, String)] = TestFlow.request()
    ) async throws -> Reply {
        let form = try await browser.get(Self.forgot(browser.authorize(request)))
        return try await browser.submit(form, [("email", email), ("action", "send")])
    }

    /// Asks for a link and opens it in the same browser.
    func open() async throws -> Reply {
        _ = try await ask()
        return try await browser.get(try await server.link())
    }

    /// The link on the sign-in page.
    static func forgot(_ page: Reply) -> String {
        let link = page.text.firstMatch(of: /href="([^"]*reset-credentials[^"]*)"/)?.1 ?? ""
        return String(link).replacing("&amp;", with: "&")
    }

    /// Where a page's one button of that kind leads.
    static func restart(_ page: Reply) -> String {
        String(page.text.firstMatch(of: /href="([^"]*restart[^"]*)"/)?.1 ?? "")
    }

    /// The code that a page of the other browser shows.
    static func code(_ page: Reply) -> String {
        String(
            page.text.firstMatch(of: /<bdi dir="ltr" class="whole">([0-9]{3} [0-9]{3})<\/bdi>/)?.1
                ?? ""
        )
    }
}

extension TestBrowser {
    /// Signs in with a password.
    func signIn(_ name: String, password: String) async throws -> Reply {
        let page = try await authorize(TestFlow.request("native1", [("prompt", "login")]))
        return try await submit(page, [("username", name), ("password", password)])
    }
}
