import PorticoPages
import PorticoSystem

/// The theme and images of the pages, read from the settings once, before the server listens. An
/// error stops the start.
struct PageLook {
    let theme: PageTheme
    let images: [String: PageImage]

    init(_ settings: Settings) throws(Failure) {
        var images: [String: PageImage] = [:]
        var logo: PageLink?
        if let path = settings.pagesLogo {
            images[PageImage.logo] = try PageImage(file: path, of: "pages.logo")
            logo = PageLink(path: PageImage.logo)
        }
        var artwork: Set<MethodLabel.Kind> = []
        if let folder = settings.pagesBrand {
            for (kind, image) in try Self.marks(in: folder) {
                artwork.insert(kind)
                images[PageImage.mark(of: kind)] = image
            }
        }
        self.images = images
        do throws(PageTheme.Refusal) {
            theme = try PageTheme(
                light: settings.pagesLight,
                dark: settings.pagesDark,
                logo: logo,
                artwork: artwork
            )
        } catch {
            throw Failure(
                .wrongValue,
                "pages.light or pages.dark has a wrong value: \(printable(error.property)).",
                "See the theme's properties in docs/pages.md."
            )
        }
    }

    /// What makes the pages hard to read, a line each.
    var warnings: [String] {
        theme.faints.map { "The theme has too little contrast: \($0) (WCAG 1.4.3, 1.4.11)." }
    }

    /// The kinds of provider that have a logo.
    static let branded: [MethodLabel.Kind] = [.apple, .facebook, .google]

    /// `apple.svg`, `google.png` and so on. Other files, such as a licence, are ignored.
    private static func marks(in folder: String) throws(Failure) -> [(MethodLabel.Kind, PageImage)]
    {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw Failure(
                .wrongValue,
                "The folder in pages.brand cannot be read: \(printable(folder)).",
                "Set it to the folder that has apple.svg, google.svg or facebook.svg."
            )
        }
        var marks: [(MethodLabel.Kind, PageImage)] = []
        for file in files {
            let parts = file.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count > 1, let end = parts.last?.lowercased(),
                PageImage.endings.contains(end)
            else { continue }
            let name = parts.dropLast().joined(separator: ".")
            guard let kind = branded.first(where: { $0.rawValue == name }) else {
                let names = branded.map(\.rawValue)
                let nearest = Suggestion.nearest(to: name, among: names)
                throw Failure(
                    .wrongValue,
                    "pages.brand has an image that no provider uses: \(printable(folder + "/" + file)).",
                    advice: (nearest.map { ["Did you mean \($0).\(end)?"] } ?? [])
                        + ["Expected: one image each for \(names.joined(separator: ", "))."]
                )
            }
            guard !marks.contains(where: { $0.0 == kind }) else {
                throw Failure(
                    .wrongValue,
                    "pages.brand has two images for \(name): \(printable(folder)).",
                    "Remove one of them."
                )
            }
            marks.append((kind, try PageImage(file: folder + "/" + file, of: "pages.brand")))
        }
        return marks
    }
}
