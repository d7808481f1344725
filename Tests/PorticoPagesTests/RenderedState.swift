import PorticoPages
import Testing

/// A page in one of its states, in one language, as a browser gets it.
struct RenderedState: Sendable, CustomTestStringConvertible {
    let pageName: String
    let state: GalleryState
    let language: Language
    let html: String

    var testDescription: String { "\(pageName), \(state.name), \(language.tag)" }

    var markup: Markup { get throws { try Markup(page: html) } }

    static let frame = PageFrame(
        realm: "Demo",
        reference: "7F3K-2M9Q",
        help: PageLink(path: "/help"),
        notice: .withoutHTTPS
    )

    /// All of them. Nothing where a template does not parse, which a test of its own reports.
    static let all: [RenderedState] = {
        // Reported by "each template parses".
        guard let renderer = try? PageRenderer() else { return [] }
        return PageGallery.pages.flatMap { page in
            page.gallery.flatMap { state in
                Language.allCases.map { language in
                    RenderedState(
                        pageName: "\(page)",
                        state: state,
                        language: language,
                        html: renderer.html(state.page, in: language, frame: frame)
                    )
                }
            }
        }
    }()
}
