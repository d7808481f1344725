import Foundation
import PorticoBytes
import PorticoGallery
import PorticoPages
import PorticoProtocol
import PorticoTestSupport
import Testing

/// The whole gallery in a real Chromium, as wide as a phone and as a desk, light and dark.
@Suite("Pages, in a browser", .serialized) struct PagesInBrowserTests {
    struct Look: Sendable, CustomTestStringConvertible {
        let width: Int64
        let isDark: Bool

        static let all: [Look] = [(320, false), (320, true), (1280, false), (1280, true)]
            .map { Look(width: $0, isDark: $1) }

        var testDescription: String { "\(width) pixels, \(isDark ? "dark" : "light")" }
    }

    /// Where axe-core is, if it is.
    fileprivate static let axeCore: String? = ProcessInfo.processInfo.environment["TEST_AXE"]

    /// Shows the states in turn, without the script that would post a page onward, and has `check`, the
    /// body of an asynchronous function of `width`, name what is wrong with each.
    ///
    /// They are put into one document, one after the other: loaded by itself each would get a process,
    /// which takes ten times as long.
    private func expectNothing(
        _ states: [RenderedState],
        _ look: Look,
        library: String = "",
        check: String
    ) async throws {
        try await Browser.use { browser in
            try await browser.look(width: look.width, isDark: look.isDark)
            try await browser.open("data:text/html,<!doctype html><title>-</title>")
            try await browser.run(library)
            for start in stride(from: 0, to: states.count, by: Self.batch) {
                let batch = states[start..<min(start + Self.batch, states.count)]
                let pages = batch.map { state in
                    JSONValue.string(state.html.replacing(/<script[\s\S]*<\/script>/, with: ""))
                }
                let found = try await browser.runAsynchronously(
                    """
                    const [width, pages, done] = arguments;
                    const check = async () => { \(check) };
                    const all = async () => {
                        const found = [];
                        for (const page of pages) {
                            const other = new DOMParser().parseFromString(page, 'text/html');
                            document.documentElement.replaceWith(other.documentElement);
                            found.push(await check());
                        }
                        return found;
                    };
                    all().then(done, error => done(String(error)));
                    """,
                    [.integer(look.width), .array(pages)]
                )
                let faults = try #require(found.array, "\(found)")
                #expect(faults.count == batch.count)
                for (state, faults) in zip(batch, faults) {
                    #expect(faults == [], "\(state.testDescription)")
                }
            }
        }
    }

    /// How many states are looked at before the driver, who waits for 30 seconds, hears of them.
    private static let batch = 20

    @Test(
        "WCAG 1.4.10, 1.4.12, 2.4.3, 2.5.8: nothing sideways, targets of 24 pixels, in reading order",
        .enabled(if: BrowserKind.chromium.isThere, "needs a WebDriver server: TEST_WEBDRIVER"),
        arguments: [PagesInBrowserTests.Look.all[0], PagesInBrowserTests.Look.all[2]]
    )
    func layout(look: Look) async throws {
        try await expectNothing(RenderedState.all, look, check: Self.measuring)
    }

    /// Names what is wrong with the page that is open: as it is, and with the text spacing that
    /// WCAG 1.4.12 wants to be bearable.
    private static let measuring = """
        // Not innerWidth: what is too wide makes that wider.
        const faults = [], fromRight = document.dir === 'rtl';
        const name = element => element.outerHTML.slice(0, 80);
        const measure = state => {
            if (document.documentElement.scrollWidth > width) faults.push(state + ': sideways');
            let last = {top: -1, bottom: 0, left: 0, right: width};
            for (const element of document.querySelectorAll('a, button, summary, input')) {
                if (element.type === 'hidden') continue;
                const box = element.getBoundingClientRect();
                if (box.width < 24 || box.height < 24) faults.push(state + ': small ' + name(element));
                if (box.right > width || box.left < 0) faults.push(state + ': cut off ' + name(element));
                const beside = fromRight ? box.right < last.right : box.left > last.left;
                const follows = box.top >= last.bottom - 1 || beside;
                if (!follows) faults.push(state + ': out of order ' + name(element));
                last = box;
            }
        };
        measure('as it is');
        const spacing = document.createElement('style');
        spacing.textContent = '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; '
            + 'word-spacing: 0.16em !important } p { margin-block-end: 2em !important }';
        document.head.append(spacing);
        measure('spaced');
        return faults;
        """

    @Test(
        "WCAG 2.2 AA: axe-core finds nothing on any page",
        .enabled(
            if: BrowserKind.chromium.isThere && PagesInBrowserTests.axeCore != nil,
            "needs TEST_WEBDRIVER and TEST_AXE"
        ),
        arguments: [PagesInBrowserTests.Look.all[0], PagesInBrowserTests.Look.all[3]]
    )
    func accessibility(look: Look) async throws {
        let axe = try String(contentsOfFile: try #require(Self.axeCore), encoding: .utf8)
        // One language of each direction, each in one look: other words change the layout only, which
        // the test above looks at, and axe takes its time.
        let states = RenderedState.all.filter { $0.language == (look.isDark ? .arabic : .english) }
        try await expectNothing(
            states,
            look,
            library: axe,
            check: """
                const found = await axe.run(document);
                return found.violations.flatMap(
                    fault => fault.nodes.map(node => fault.id + ': ' + node.target));
                """
        )
    }
}

/// Walks in a browser run a second time, without scripts, only where a page has one.
@Suite("Pages, and scripts") struct PageScriptTests {
    @Test("only pages that pass an answer on, or codes, have a script beside everyone's")
    func scripts() throws {
        let start = try #require(RenderedState.all.first { $0.pageName == "StartPage" })
        let common = try #require(start.state.page.script)
        let scripted = RenderedState.all.filter {
            $0.html.replacing("<script>\(common.text)</script>", with: "")
                .contains(/<script|<[^>]*\son[a-z]+=/)
        }
        #expect(Set(scripted.map(\.pageName)) == RenderedState.pagesWithScript)
    }
}
