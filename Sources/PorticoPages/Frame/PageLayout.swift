/// What the layout template reads: the frame around `content`.
package struct PageLayout<Content: Sendable>: Sendable {
    let lang: String
    let dir: String
    let title: String
    let style: String
    let notice: String?
    let owner: ShownText
    let ownerInitial: ShownText?
    let logo: PageLink?
    let isWide: Bool
    let navigation: PageNavigation.View?
    let summary: ErrorSummary?
    let heading: Phrase
    let template: String
    let content: Content
    let footerLabel: String
    let referenceLabel: String
    let reference: ShownText?
    let helpLabel: String
    let help: PageLink?

    /// - Parameter page: Whatever has `Content` as its view.
    package init<P: Page>(_ page: P, in language: Language, frame: PageFrame)
    where P.View == Content {
        let words = language.words
        let heading = page.heading(words, frame)
        let summary = page.problems(words)
        let prefix = summary != nil || page.isError ? words.common.errorPrefix : ""
        lang = language.tag
        dir = language.direction
        title = "\(prefix)\(heading.plain) – \(ShownText(frame.owner).text)"
        style = frame.theme.style.text
        notice =
            switch frame.notice {
            case .withoutHTTPS: words.common.withoutHTTPS
            case nil: nil
            }
        owner = ShownText(frame.owner)
        logo = frame.theme.logo
        ownerInitial = logo == nil ? ShownText(initialOf: frame.owner) : nil
        navigation = page.navigation.map { PageNavigation.View($0, words) }
        isWide = page.isWide
        self.summary = summary
        self.heading = heading
        template = P.template.rawValue
        content = page.view(words, frame)
        footerLabel = words.common.aboutThisPage
        referenceLabel = words.common.reference
        reference = frame.reference.map { ShownText($0) }
        helpLabel = words.common.help
        help = frame.help
    }
}
