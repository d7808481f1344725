import Foundation
import PorticoPages

/// How the pages look, as the settings say it: read once, before anything listens. What is wrong
/// stops the start.
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

    /// What was set and makes the pages hard to read, in one line each.
    var warnings: [String] {
        theme.faints.map { "The theme is too hard to see: \($0) (WCAG 1.4.3, 1.4.11)." }
    }

    /// The kinds of provider whose vendors have a mark.
    static let branded: [MethodLabel.Kind] = [.apple, .facebook, .google]

    /// `apple.svg`, `google.png` and so on. What is no image, such as a licence, is left alone.
    private static func marks(in folder: String) throws(Failure) -> [(MethodLabel.Kind, PageImage)]
    {
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw Failure(
                .wrongValue,
                "pages.brand is no folder that can be read: \(printable(folder)).",
                "Name the folder with apple.svg, google.svg or facebook.svg in it."
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
                        + ["There can be one each for \(names.joined(separator: ", "))."]
                )
            }
            guard !marks.contains(where: { $0.0 == kind }) else {
                throw Failure(
                    .wrongValue,
                    "pages.brand has two images for \(name): \(printable(folder)).",
                    "Leave one of them there."
                )
            }
            marks.append((kind, try PageImage(file: folder + "/" + file, of: "pages.brand")))
        }
        return marks
    }
}
