package import PorticoBytes

/// A person has changed their password on the pages of their account.
package struct ChangedPasswordPage: Page {
    package let account: PageAccount
    private let pages: PageNavigation

    package init(account: PageAccount, navigation: PageNavigation) {
        self.account = account
        pages = navigation
    }

    package var navigation: PageNavigation? { pages.at(.password) }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.reset.done }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([.account(account), .line(words.reset.doneElsewhere)])
    }
}
