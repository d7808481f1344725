import Foundation
import PorticoBytes
import PorticoGallery
import PorticoTestSupport
import Testing

@testable import PorticoPages

@Suite("Pages, as markup") struct PagesMarkupTests {
    @Test("each page has states with names of their own")
    func gallery() throws {
        _ = try PageRenderer()
        for page in PageGallery.pages {
            let names = page.gallery.map(\.name)
            #expect(!names.isEmpty && Set(names).count == names.count, "\(page)")
        }
    }

    @Test("HTML: every page is well-formed, each id is used once", arguments: RenderedState.all)
    func wellFormed(state: RenderedState) throws {
        let page = try state.markup
        let ids = page.all.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let phrasing: Set = ["a", "bdi", "span", "strong", "img", "input"]
        for element in page.all where ["p", "button", "label", "h1", "h2"].contains(element.name) {
            let inside = element.all.dropFirst().map(\.name)
            #expect(phrasing.isSuperset(of: inside), "\(inside) in \(element.name)")
        }
        for list in page.all("ul") {
            for child in list.children {
                if case .element(let item) = child { #expect(item.name == "li") }
            }
        }
    }

    @Test(
        "WEB-CSP-2: nothing inline but the style and the script whose hashes are known",
        arguments: RenderedState.all
    )
    func inline(state: RenderedState) throws {
        let page = try state.markup
        for element in page.all {
            let names = element.attributes.keys
            #expect(!names.contains { $0.hasPrefix("on") || $0 == "style" }, "\(element.name)")
        }
        let styles = page.all("style").map { InlineSource.hash(of: $0.text) }
        let theme = state.isThemed ? try #require(RenderedState.theme) : .standard
        #expect(styles == [theme.style.hash])
        let scripts = page.all("script").map { InlineSource.hash(of: $0.text) }
        switch state.pageName {
        case "FormPostPage": #expect(scripts == [FormPostPage.scriptHash])
        case "RecoveryCodesPage": #expect(scripts == [state.state.page.script?.hash])
        // Its policy admits it by the nonce.
        case "HandlePopupPage":
            #expect(page.all("script").map(\.attributes) == [["nonce": "AbCdEfGhIjKlMnOpQrStUv"]])
        // The one that says at once that a button was pressed.
        default: #expect(scripts == [state.state.page.script?.hash].compactMap(\.self))
        }
    }

    @Test(
        "nothing is fetched from elsewhere: no page names a resource but a theme's images",
        arguments: RenderedState.all
    )
    func requests(state: RenderedState) throws {
        let page = try state.markup
        let links = page.all("link").map(\.attributes)
        #expect(links == [["href": "/favicon.ico", "rel": "icon"]])
        let fetching: Set = ["iframe", "object", "video", "audio", "base"]
        #expect(fetching.isDisjoint(with: page.all.map(\.name)))
        let images = page.all.filter { $0.attributes["src"] != nil }
        // The logo and the marks of a theme: of this server, and said in words beside them.
        #expect(images.isEmpty || state.isThemed)
        for image in images {
            #expect(image.name == "img" && image.attributes["alt"] == "")
            #expect(image.attributes["src"]?.hasPrefix("/assets/") == true)
        }
        let style = page.all("style").map(\.text).joined()
        #expect(!style.contains("url(") && !style.contains("@import"))
    }

    @Test(
        "WEB-XSS-3: whatever a page lets a person do is a form or a link",
        arguments: RenderedState.all
    )
    func withoutScripts(state: RenderedState) throws {
        let page = try state.markup
        for form in page.all("form") {
            let isGet = RenderedState.pagesSentByGet.contains(state.pageName)
            #expect(form.attributes["method"] == (isGet ? "get" : "post"))
            #expect(form.attributes["action"]?.isEmpty == false)
            #expect(
                form.all("button").contains { $0.attributes["type"] == "submit" }
                    || state.state.name == "no methods"
            )
        }
        // What only a script can do is not there without one.
        let scripted = page.all.filter { $0.attributes["hidden"] != nil }
            .flatMap { $0.all("button") }
        #expect(scripted.isEmpty || RenderedState.pagesWithScript.contains(state.pageName))
        let buttons = page.all("button").count - scripted.count
        #expect(page.all("form").flatMap { $0.all("button") }.count == buttons)
        #expect(page.all("button").allSatisfy { $0.attributes["disabled"] == nil })
    }

    @Test(
        "each form of ours carries the token that binds it to the browser",
        arguments: RenderedState.all
    )
    func tokens(state: RenderedState) throws {
        // One is the answer to a client; the others change nothing here.
        guard !RenderedState.pagesSentByGet.union(["FormPostPage"]).contains(state.pageName) else {
            return
        }
        for form in try state.markup.all("form") {
            let hidden = form.all("input").filter { $0.attributes["type"] == "hidden" }
            let values = hidden.map {
                "\($0.attributes["name"] ?? "")=\($0.attributes["value"] ?? "")"
            }
            #expect(values.contains("csrf=cross-site-token_0123456789"))
            if state.state.name != "asked by an unknown client" {
                #expect(values.contains("request=AaBbCcDdEeFfGg-sealed-request_0123456789"))
            }
        }
    }
}

@Suite("docs/pages.md") struct PagesDocumentTests {
    private static let sections: [Substring: String] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/pages.md")
        // `try?`: without the document every page is missing, which the test reports.
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let parts = text.components(separatedBy: "\n### `").dropFirst()
        return Dictionary(
            parts.map { ($0.prefix { $0 != "`" }, $0.replacing("\n", with: " ")) }
        ) { first, _ in first }
    }()

    @Test("each page is described there with all of its states, and no page that is not")
    func states() throws {
        #expect(Set(Self.sections.keys.map(String.init)) == Set(PageGallery.pages.map { "\($0)" }))
        for page in PageGallery.pages {
            let section = try #require(Self.sections["\(page)"])
            let said = section.components(separatedBy: "States: ").last ?? ""
            let states = page.gallery.map(\.name)
            #expect(
                said.matches(of: /`([^`]+)`/).map { String($0.output.1) }.prefix(states.count)
                    .sorted() == states.sorted(),
                "\(page)"
            )
        }
    }

    @Test("each custom property that a theme may set is described there")
    func properties() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/pages.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        for name in PageColour.allCases.map(\.rawValue) + ["radius", "font"] {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
    }
}

@Suite("Controls of the pages") struct PagesControlTests {
    @Test(
        "WEB-A11Y-8, WCAG 2.1.1, 2.1.2: what is operated is HTML's own, in the order of the page",
        arguments: RenderedState.all
    )
    func keyboard(state: RenderedState) throws {
        let page = try state.markup
        for element in page.all {
            // Only the summary of a problem is reached without being a control.
            if let order = element.attributes["tabindex"] {
                #expect(order == "-1" && element.attributes["role"] == "alert")
            }
            let operated = ["button", "link", "checkbox", "menuitem", "tab"]
            #expect(!operated.contains(element.attributes["role"] ?? ""))
            for name in ["accesskey", "contenteditable", "inert", "draggable"] {
                #expect(element.attributes[name] == nil)
            }
        }
        for link in page.all("a") { #expect(link.attributes["href"]?.isEmpty == false) }
    }

    @Test(
        "WEB-A11Y-12, WCAG 2.5.3: the name of a button or link is what it shows",
        arguments: RenderedState.all
    )
    func names(state: RenderedState) throws {
        let page = try state.markup
        for control in page.all("button") + page.all("a") {
            #expect(control.text.contains { $0.isLetter })
            for name in ["aria-label", "aria-labelledby", "title"] {
                #expect(control.attributes[name] == nil)
            }
        }
    }

    @Test(
        "WEB-A11Y-15, WCAG 3.2.1, 3.2.2: neither focus nor input does anything by itself",
        arguments: RenderedState.all
    )
    func noSurprise(state: RenderedState) throws {
        let page = try state.markup
        for element in page.all {
            #expect(!element.attributes.keys.contains { $0.hasPrefix("on") })
            #expect(!["select", "iframe", "object", "marquee"].contains(element.name))
        }
        let refresh = page.all("meta").filter { $0.attributes["http-equiv"] != nil }
        #expect(refresh.isEmpty)
        // A page that passes an answer on is no form that a person fills in.
        #expect(
            page.all("script").allSatisfy { $0.text == state.state.page.script?.text }
                || RenderedState.pagesWithScript.contains(state.pageName)
        )
    }

    @Test("WEB-A11Y-13, WCAG 2.5.8: controls and links are at least 24 pixels high")
    func targets() throws {
        // 1rem is 16 pixels, and a line of small text with its padding 1.3125 + 2 x 0.25 rem or more.
        for (selector, least) in [
            ("input", "min-block-size: 2.75rem"), (".button", "min-block-size: 2.75rem"),
            ("summary", "min-block-size: 2.75rem"), (".foot-link", "min-block-size: 2.75rem"),
            (".small a", "padding-block: 0.25rem"), (".summary a", "padding-block: 0.25rem"),
        ] {
            let rule = PageTheme.standard.style.text.split(separator: "}").first {
                $0.split(separator: "{").first?.filter { $0 != "\n" } == "\(selector) "
            }
            #expect(rule?.contains(least) ?? false, "\(selector)")
        }
    }
}

@Suite("Links of a page") struct PageLinkTests {
    @Test(
        "WEB-XSS-2, attack A32: what a browser would run or read itself is no link",
        arguments: [
            "javascript:alert(1)//https://app.example.com/cb", "JavaScript:alert(1)",
            "java\nscript:alert(1)", "\u{1}javascript:alert(1)", " javascript:alert(1)",
            "data:text/html,<script>alert(1)</script>", "data:text/html,x", "vbscript:x",
            "file:///etc/passwd", "about:blank", "blob:https://app.example.com/x",
            "view-source:https://app.example", "intent://x#Intent;end", "filesystem:x", "", ":",
            "x",
            "//evil.example", "1a:b", "https://app.example/\"onclick=x", "https://app.example/<b>",
            "https://app.example/ü",
        ]
    )
    func unsafe(address: String) {
        #expect(PageLink(redirect: address) == nil)
        #expect(PageLink(https: address) == nil)
    }

    @Test(
        "RFC 8252 §7: the ways back to a native app are links",
        arguments: [
            "https://app.example/cb?code=1&state=2", "http://127.0.0.1:51004/callback",
            "http://[::1]:51004/callback", "com.example.app:/callback", "com.example.app://x/y",
        ]
    )
    func redirects(address: String) {
        #expect(PageLink(redirect: address)?.href == address)
    }

    @Test(
        "WEB-XSS-2: an address from a client's registration is https or nothing",
        arguments: [
            ("https://app.example/terms", true), ("HTTPS://app.example", true),
            ("http://app.example/terms", false), ("https:app.example", false), ("https://", false),
            ("com.example.app:/x", false),
        ]
    )
    func https(address: String, isLink: Bool) {
        #expect((PageLink(https: address) != nil) == isLink)
    }

    @Test(
        "attack E12: a path stays on this server",
        arguments: [
            ("/", true), ("/realms/demo?x=https://evil", true), ("/.evil", true),
            ("//evil.example", false), ("/\\evil.example", false), ("\\/evil.example", false),
            ("https:evil.example", false), ("/\t/evil.example", false), ("", false),
            ("/\r\nSet-Cookie:a=b", false), ("///evil.example", false), ("x", false),
        ]
    )
    func paths(path: String, isLink: Bool) {
        #expect((PageLink(path: path) != nil) == isLink)
    }
}

@Suite("Times and counts in words") struct PagesTimeTests {
    @Test(
        "CLDR: Arabic has six forms",
        arguments: [
            (0, "أقل من دقيقة"), (1, "دقيقة واحدة"), (2, "دقيقتين"), (3, "3 دقائق"),
            (10, "10 دقائق"),
            (11, "11 دقيقة"), (99, "99 دقيقة"), (100, "100 دقيقة"), (102, "102 دقيقة"),
            (103, "103 دقائق"), (111, "111 دقيقة"),
        ]
    )
    func arabic(number: Int, expected: String) {
        #expect(Language.arabic.words.time.minutes(number).plain == expected)
    }

    @Test(
        "CLDR: the plural categories of whole numbers",
        arguments: [
            (0, Plural.zero), (1, .one), (2, .two), (3, .few), (10, .few), (11, .many), (99, .many),
            (100, .other), (101, .other), (102, .other), (103, .few), (111, .many), (200, .other),
            (-3, .few), (Int.min, .few), (Int.max, .few),
        ]
    )
    func categories(number: Int, expected: Plural) {
        #expect(Language.arabic.plural(number) == expected)
    }

    @Test(
        "what is near is told by how long ago it was, what is far by its day",
        arguments: [
            (0, "just now", "gerade eben", "الآن"), (59, "just now", "gerade eben", "الآن"),
            (60, "1 minute ago", "vor 1 Minute", "قبل دقيقة واحدة"),
            (150, "2 minutes ago", "vor 2 Minuten", "قبل دقيقتين"),
            (3_600, "1 hour ago", "vor 1 Stunde", "قبل ساعة واحدة"),
            (18_000, "5 hours ago", "vor 5 Stunden", "قبل 5 ساعات"),
            (86_400, "1 day ago", "vor 1 Tag", "قبل يوم واحد"),
            (1_000_000, "11 days ago", "vor 11 Tagen", "قبل 11 يومًا"),
            (2_592_000, "22 October 2026", "22. Oktober 2026", "22 أكتوبر 2026"),
            (-500, "just now", "gerade eben", "الآن"),
        ] as [(Int64, String, String, String)]
    )
    func ago(seconds: Int64, english: String, german: String, arabic: String) {
        let now: Int64 = 1_795_298_400
        #expect(Language.english.words.time.ago(now - seconds, at: now).plain == english)
        #expect(Language.german.words.time.ago(now - seconds, at: now).plain == german)
        #expect(Language.arabic.words.time.ago(now - seconds, at: now).plain == arabic)
    }

    @Test("a time of any size has words", arguments: [Int64.min, Int64.max, 253_402_300_800])
    func extremes(time: Int64) {
        for words in Language.allCases.map(\.words.time) {
            #expect(!words.ago(time, at: 0).plain.isEmpty)
            #expect(!words.ago(0, at: time).plain.isEmpty)
            #expect(!words.moment(of: time).plain.isEmpty)
        }
    }
}
