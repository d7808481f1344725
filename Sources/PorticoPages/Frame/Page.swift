/// A page that a person sees: a typed view model and the template it is rendered by.
///
/// Every page works without scripts and is rendered by `PageRenderer`, which adds what all pages
/// share: language, title, style, realm, reference.
package protocol Page: Sendable {
    /// What the template reads. Each tag of the template names a stored property of it.
    associatedtype View: Sendable

    static var template: PageTemplate { get }

    /// Every state that the page can be in, for tests and for whoever changes the style.
    static var gallery: [GalleryState] { get }

    /// The page's `h1`, from which its title is made as well.
    func heading(_ words: Words, _ frame: PageFrame) -> Phrase

    /// What has to be put right before the form can be sent again (WCAG 3.3.1).
    func problems(_ words: Words) -> ErrorSummary?

    /// Whether the title says "Error: " first.
    var isError: Bool { get }

    /// The pages that this one belongs to, if any.
    var navigation: PageNavigation? { get }

    /// Whether it has more room: for lists.
    var isWide: Bool { get }

    func view(_ words: Words, _ frame: PageFrame) -> View
}

extension Page {
    package func problems(_ words: Words) -> ErrorSummary? { nil }
    package var isError: Bool { false }
    package var navigation: PageNavigation? { nil }
    package var isWide: Bool { navigation != nil }
}

/// A page in one of its states.
package struct GalleryState: Sendable {
    /// A few words in lower case, unique within the page.
    package let name: String
    package let page: any Page

    package init(_ name: String, _ page: any Page) {
        self.name = name
        self.page = page
    }
}
