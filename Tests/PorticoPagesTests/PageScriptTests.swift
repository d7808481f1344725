import PorticoBytes
import PorticoGallery
import PorticoPages
import Testing

/// Walks in a browser run a second time, without scripts, only where a page has one.
@Suite("Pages, and scripts") struct PageScriptTests {
    @Test(
        "but for the one that all have, only pages that pass an answer on, or codes, have a script"
    )
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
