import Testing

/// Walks in a browser run a second time, without scripts, only where a page has one.
@Suite("Pages, and scripts") struct PageScriptTests {
    @Test("only the pages that pass an answer on have a script")
    func scripts() {
        let scripted = RenderedState.all.filter { $0.html.contains(/<script|<[^>]*\son[a-z]+=/) }
        #expect(Set(scripted.map(\.pageName)) == RenderedState.pagesWithScript)
    }
}
