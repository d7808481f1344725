import PorticoBytes
import PorticoGallery
import PorticoPages
import PorticoTestSupport
import Testing

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
