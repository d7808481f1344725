import Mustache

/// Turns pages into HTML. Made once, where the program is wired.
package struct PageRenderer: Sendable {
    private let layout: MustacheTemplate
    private let library: MustacheLibrary
    package let theme: PageTheme

    /// The source that admits the pages' style in their policy: `'sha256-…'`.
    package var styleHash: String { theme.style.hash }

    /// - Throws: Where a template does not parse, which a test rules out.
    package init(theme: PageTheme = .standard) throws {
        self.theme = theme
        MustacheContentTypes.register(HTMLEscaping(), named: HTMLEscaping.name)
        var library = MustacheLibrary()
        for template in PageTemplate.allCases {
            library.register(try Self.compiled(template), named: template.rawValue)
        }
        self.library = library
        layout = try Self.compiled(.layout)
    }

    /// The whole page, to be sent as `text/html; charset=utf-8`.
    package func html<P: Page>(_ page: P, in language: Language, frame: PageFrame) -> String {
        var frame = frame
        frame.theme = theme
        let view = ViewProperties(PageLayout(page, in: language, frame: frame))
        return layout.render(view, library: library)
    }

    /// A template starts with the library's escaping, a partial within it does so again; the first line
    /// puts ours in its place, in all of them.
    private static func compiled(_ template: PageTemplate) throws -> MustacheTemplate {
        try MustacheTemplate(
            string: "{{% CONTENT_TYPE: \(HTMLEscaping.name)}}\n" + template.text
        )
    }
}
