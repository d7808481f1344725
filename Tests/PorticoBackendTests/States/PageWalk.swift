import PorticoPages
import PorticoTestSupport
import Testing

/// The way to a page in one of the states of its gallery, at the running services.
struct PageWalk: Sendable, CustomTestStringConvertible {
    let page: String
    let state: String
    /// Ends on the page.
    let walk: @Sendable (Walker) async throws -> Reply

    init(
        _ page: any Page.Type,
        _ state: String,
        _ walk: @escaping @Sendable (Walker) async throws -> Reply
    ) {
        self.page = "\(page)"
        self.state = state
        self.walk = walk
    }

    var key: String { "\(page), \(state)" }
    var testDescription: String { key }

    /// Each state of each page once.
    static let all =
        signingIn + secondStep + registering + secondFactors + provider + mailboxes + apps
        + choosing + problems + handles
        + welcomes
        + joining + linking
        + account
        + accountWays + leaving + trouble + demonstration
}

/// A person who takes a walk, and reads one language.
struct Walker: Sendable {
    let language: Language

    /// In a browser, at the backend.
    func visitor(
        _ server: BackendUnderTest,
        userAgent: String = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    ) -> TestVisitor {
        TestVisitor(server, userAgent: userAgent, speaking: language.tag)
    }

    /// In a browser, at the Provider.
    func browser(_ server: ProviderUnderTest, userAgent: String? = nil) -> TestBrowser {
        TestBrowser(server, userAgent: userAgent, speaking: language.tag)
    }
}
