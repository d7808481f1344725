package import PorticoBytes

/// What somebody sees who opens the server's own address, or an issuer's: that it is there, and that
/// a sign-in begins elsewhere.
package struct StartPage: Page {
    package init() {}

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.start.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([.line(words.start.comeFromApp), .line(words.start.nothingToDo)])
    }

    package static let gallery = [GalleryState("start", StartPage())]
}
