/// What somebody sees who opens the server's own address, or an issuer's: that it is there, and that
/// a sign-in begins elsewhere.
package struct StartPage: Page {
    package init() {}

    package static let template = PageTemplate.message

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.start.heading
    }

    package func view(_ words: Words, _ frame: PageFrame) -> MessageView {
        MessageView(lines: [words.start.comeFromApp, words.start.nothingToDo])
    }

    package static let gallery = [GalleryState("start", StartPage())]
}
