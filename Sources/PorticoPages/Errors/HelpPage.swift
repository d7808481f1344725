package import PorticoBytes

/// Who runs this, whom to ask, what is kept, and what to try.
package struct HelpPage: Page {
    package enum Contact: Sendable {
        case email(String)
        case page(PageLink, host: String)
    }

    package let operatedBy: String?
    package let contact: Contact?
    package let privacy: PageLink?
    package let terms: PageLink?

    package init(
        operatedBy: String? = nil,
        contact: Contact? = nil,
        privacy: PageLink? = nil,
        terms: PageLink? = nil
    ) {
        self.operatedBy = operatedBy
        self.contact = contact
        self.privacy = privacy
        self.terms = terms
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.trouble.help }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let trouble = words.trouble
        var email: Phrase?
        var page: PageStep?
        switch contact {
        case .email(let address): email = "\(exact: address)"
        case .page(let link, let host): page = PageStep(link, "\(exact: host)")
        case nil: break
        }
        let facts: [HTML.Fact] = [
            operatedBy.map { .init(trouble.operatedBy, "\(name: $0)") },
            email.map { .init(trouble.contact, $0) },
        ].compactMap(\.self)
        return HTML([
            .line(trouble.helpIntro(frame.owner)),
            facts.isEmpty ? nil : .facts(facts),
            page.map { .section("contact", trouble.contact, [.links([$0])]) },
            .section("trying", trouble.signingInTitle, [.points(trouble.signingIn())]),
            .section("kept", trouble.keptTitle, [.points(trouble.kept()), .note(trouble.keptNot)]),
            .links([
                PageStep(privacy, trouble.privacy), PageStep(terms, words.welcome.terms),
            ]),
        ])
    }
}
