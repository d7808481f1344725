package import PorticoBytes

/// The page at the server's own address, or an issuer's: a sign-in begins in an app.
package struct StartPage: Page {
    package init() {}

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.start.heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([.line(words.start.comeFromApp), .line(words.start.nothingToDo)])
    }
}
