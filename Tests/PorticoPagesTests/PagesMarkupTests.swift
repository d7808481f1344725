import PorticoBytes
import PorticoGallery
import PorticoPages
import PorticoTestSupport
import Testing

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
