import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Browsers that the walks of a suite use one after the other: to start one takes as long as a walk.
final class SharedBrowsers: Sendable {
    /// Those of the suite that runs.
    @TaskLocal fileprivate static var current: SharedBrowsers?

    /// The one that waits for the next walk: one at a time, as WebKitGTK's driver has it.
    private let waiting = Locked<Waiting?>(nil)

    private struct Waiting {
        let browser: Browser
        let scripts: Bool
    }

    /// Runs `body` with a browser of one tab that holds no cookie of the server, nor of the stand-ins.
    ///
    /// The browser of a failed walk is not reused.
    ///
    /// - Parameter origin: The server's.
    static func use(
        _ kind: BrowserKind,
        scripts: Bool,
        at origin: String,
        _ body: (Browser) async throws -> Void
    ) async throws {
        let shared = try #require(current, "the suite lacks .sharesBrowsers")
        let browser = try await shared.take(kind, scripts)
        do {
            try await browser.closeOtherTabs()
            // Cookies are the host's, whatever the port. Of the stand-ins there are none, which have
            // another host.
            try await browser.open(origin + "/login")
            // A browser's own error page has no cookies: there would be none to forget.
            #expect(try await browser.run("return location.origin").string == origin)
            // WebKitGTK may still be keeping those of the answer.
            try await waitUntil("a browser without cookies") {
                try await browser.forgetCookies()
                return try await browser.cookies().isEmpty
            }
            try await body(browser)
        } catch {
            try? await browser.end()  // the walk's error says more
            throw error
        }
        shared.waiting.withLock { $0 = Waiting(browser: browser, scripts: scripts) }
    }

    private func take(_ kind: BrowserKind, _ scripts: Bool) async throws -> Browser {
        if let found = waiting.withLock({ $0.take() }) {
            if found.browser.kind == kind, found.scripts == scripts { return found.browser }
            try await found.browser.end()
        }
        return try await Browser.start(kind, scripts: scripts)
    }

    fileprivate func end() async throws {
        try await waiting.withLock { $0.take() }?.browser.end()
    }
}

/// A suite whose walks share browsers; it must be serialized.
struct BrowserSharing: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let shared = SharedBrowsers()
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await SharedBrowsers.$current.withValue(shared, operation: function)
            )
        } catch {
            result = .failure(error)
        }
        try await shared.end()
        try result.get()
    }
}

extension Trait where Self == BrowserSharing {
    static var sharesBrowsers: Self { BrowserSharing() }
}
