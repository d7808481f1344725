import PorticoBytes

/// Turns pages into HTML. Made once, where the program is wired.
package struct PageRenderer: Sendable {
    package let theme: PageTheme

    /// The source that admits the pages' style in their policy: `'sha256-…'`.
    package var styleHash: String { theme.style.hash }

    package init(theme: PageTheme = .standard) throws {
        self.theme = theme
    }

    /// The whole page, to be sent as `text/html; charset=utf-8`.
    package func bytes(_ page: any Page, in language: Language, frame: PageFrame) -> [UInt8] {
        var frame = frame
        frame.theme = theme
        return PageLayout(page: page, language: language, frame: frame).html.bytes
    }

    package func html(_ page: any Page, in language: Language, frame: PageFrame) -> String {
        String(decoding: bytes(page, in: language, frame: frame), as: UTF8.self)
    }
}
