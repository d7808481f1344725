package import PorticoBytes

/// Links to every page in every state and language, on a demonstration server.
package struct GalleryIndexPage: Page {
    package struct Section: Sendable {
        let page: String
        let states: [String]

        package init(page: String, states: [String]) {
            self.page = page
            self.states = states
        }
    }

    package let sections: [Section]
    /// The path below which the states are: `{base}/{page}/{state}?ui_locales={language}`.
    package let base: String

    package init(sections: [Section], base: String = "/_gallery") {
        self.sections = sections
        self.base = base
    }

    package var isWide: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.demo.gallery }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lists: [HTML?] = sections.map { section in
            let name = Self.slug(section.page)
            let rows = section.states.enumerated().map { index, state in
                RowBlock(
                    id: "\(name)-\(index + 1)",
                    title: "\(name: state)",
                    remarks: [],
                    links: Language.allCases.compactMap { language in
                        PageLink(path: Self.path(base, section.page, state, language))
                            .map { PageStep($0, "\(name: language.ownName)") }
                    }
                )
            }
            return .section(name, "\(name: section.page)", [.rows(rows)])
        }
        return HTML([.line(words.demo.galleryIntro)] + lists)
    }

    static func path(
        _ base: String,
        _ page: String,
        _ state: String,
        _ language: Language
    ) -> String {
        "\(base)/\(slug(page))/\(slug(state))?ui_locales=\(language.tag)"
    }

    /// `name missing, last try` as `name-missing-last-try`.
    package static func slug(_ name: String) -> String {
        let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.joined(separator: "-")
    }
}
