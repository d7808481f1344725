package import PorticoBytes

/// Links to every page in every state and language, on a demonstration server.
package struct GalleryIndexPage: Page {
    /// The path below which the states are: `{base}/{page}/{state}?ui_locales={language}`.
    package let base: String

    package init(base: String = "/_gallery") {
        self.base = base
    }

    package var isWide: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.demo.gallery }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let sections: [HTML?] = PageGallery.pages.map { page in
            let rows = page.gallery.enumerated().map { index, state in
                RowBlock(
                    id: "\(Self.slug("\(page)"))-\(index + 1)",
                    title: "\(name: state.name)",
                    remarks: [],
                    links: Language.allCases.compactMap { language in
                        PageLink(path: Self.path(base, "\(page)", state.name, language))
                            .map { PageStep($0, "\(name: language.ownName)") }
                    }
                )
            }
            return .section(Self.slug("\(page)"), "\(name: "\(page)")", [.rows(rows)])
        }
        return HTML([.line(words.demo.galleryIntro)] + sections)
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

    package static let gallery = [GalleryState("all", GalleryIndexPage())]
}

extension PageGallery {
    /// The page that `GalleryIndexPage` links to, by the last two parts of the path.
    package static func state(page: String, state: String) -> GalleryState? {
        pages.first { GalleryIndexPage.slug("\($0)") == page }?
            .gallery.first { GalleryIndexPage.slug($0.name) == state }
    }
}
