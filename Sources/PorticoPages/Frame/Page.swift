package import PorticoBytes

/// A page that a person sees: a typed view model, and what of it stands below the heading.
///
/// Every page works without scripts, and is rendered by `PageRenderer`, which adds what all pages
/// share: language, title, style, realm, reference.
package protocol Page: Sendable {
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

    /// What runs on it: usually what shows that a button was pressed. Without scripts a page does
    /// everything that it is for.
    var script: InlineSource? { get }

    func content(_ words: Words, _ frame: PageFrame) -> HTML
}

extension Page {
    package func problems(_ words: Words) -> ErrorSummary? { nil }
    package var isError: Bool { false }
    package var navigation: PageNavigation? { nil }
    package var isWide: Bool { navigation != nil }
    package var script: InlineSource? { PressedButton.script }
}
