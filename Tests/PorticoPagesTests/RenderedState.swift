import Foundation
import PorticoGallery
import PorticoPages
import PorticoTestSupport
import Testing

/// A page in one of its states, in one language, as a browser gets it.
struct RenderedState: Sendable, CustomTestStringConvertible {
    let pageName: String
    let state: GalleryState
    let language: Language
    /// With the logo and the marks that an operator can add.
    let isThemed: Bool
    let html: String

    var testDescription: String {
        "\(pageName), \(state.name), \(language.tag)\(isThemed ? ", themed" : "")"
    }

    /// Those that pass an answer on to an app.
    static let pagesWithScript: Set = ["FormPostPage", "HandlePopupPage", "RecoveryCodesPage"]

    /// Those that are sent by GET, and so change nothing and carry no token.
    static let pagesSentByGet: Set = ["ChooseMethodPage", "HandlePage"]

    /// Read once: there are many tests of many pages.
    private let read: Result<Markup, any Error>

    var markup: Markup { get throws { try read.get() } }

    private init(
        pageName: String,
        state: GalleryState,
        language: Language,
        isThemed: Bool,
        html: String
    ) {
        self.pageName = pageName
        self.state = state
        self.language = language
        self.isThemed = isThemed
        self.html = html
        read = Result { try Markup(page: html) }
    }

    static let frame = PageFrame(
        realm: "Demo",
        reference: "7F3K-2M9Q",
        help: PageLink(path: "/help"),
        notice: .withoutHTTPS
    )

    /// A theme with everything in it that one can have.
    static let theme = try? PageTheme(
        light: [
            "accent": "#0b5d4b", "focus": "#0b5d4b", "radius": "4px", "font": "Georgia, serif",
        ],
        dark: ["accent": "#7fdcc4"],
        logo: PageLink(path: "/assets/logo"),
        artwork: [.google, .apple, .facebook]
    )

    /// All of them. Nothing where a template does not parse, which a test of its own reports.
    static let all: [RenderedState] = {
        // Reported by "each template parses".
        guard let renderer = try? PageRenderer() else { return [] }
        // `try?`: as above.
        let themed = theme.flatMap { try? PageRenderer(theme: $0) }
        return PageGallery.pages.flatMap { page in
            page.gallery.flatMap { state in
                let looks: [(Language, PageRenderer?)] =
                    Language.allCases.map { ($0, renderer) }
                    + (page == ChooseMethodPage.self
                        ? [(.english, themed), (.arabic, themed)] : [])
                return looks.compactMap { language, look in
                    look.map {
                        RenderedState(
                            pageName: "\(page)",
                            state: state,
                            language: language,
                            isThemed: $0.styleHash != renderer.styleHash,
                            html: $0.html(state.page, in: language, frame: frame)
                        )
                    }
                }
            }
        }
    }()
}

@Suite("Gallery of the pages") struct PageGalleryFiles {
    private static let folder = ProcessInfo.processInfo.environment["PORTICO_GALLERY_DIRECTORY"]

    @Test(
        "every page in every state is written to a folder, to be looked at",
        .enabled(if: folder != nil, "a folder for them comes from outside, to be looked at by hand")
    )
    func write() throws {
        let folder = URL(filePath: try #require(Self.folder), directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for state in RenderedState.all {
            let name = state.testDescription.replacing(", ", with: "-").replacing(" ", with: "_")
            try Data(state.html.utf8).write(to: folder.appending(path: "\(name).html"))
        }
    }
}
