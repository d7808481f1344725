import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoSystem
import PorticoWeb

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

/// An image that the pages show. Its type is read from its content, never from its name.
struct PageImage: Hashable, Sendable {
    enum Kind: String, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webp = "image/webp"
        case svg = "image/svg+xml"
    }

    let bytes: [UInt8]
    let kind: Kind
    /// Strong: a different image has a different tag (RFC 9110 §8.8.3).
    let tag: String

    static let endings: Set<String> = ["png", "jpg", "jpeg", "webp", "svg"]
    private static let limit = 256 * 1024

    /// - Parameter setting: The key of the setting that names the file, for the message.
    init(file path: String, of setting: String) throws(Failure) {
        let bytes: [UInt8]
        do {
            bytes = try FileInput.bytes(path, limit: Self.limit)
        } catch {
            throw Failure(.wrongValue, "\(setting): \(error.what)", "Name another image.")
        }
        guard let kind = Self.kind(of: bytes) else {
            throw Failure(
                .wrongValue,
                "\(setting): \(printable(path)) is not an image that pages can show.",
                "Expected: SVG, PNG, JPEG or WebP, 256 KiB at most."
            )
        }
        self.bytes = bytes
        self.kind = kind
        tag = Self.tag(of: bytes)
    }

    init(svg: String) {
        bytes = Array(svg.utf8)
        kind = .svg
        tag = Self.tag(of: bytes)
    }

    private static func tag(of bytes: [UInt8]) -> String {
        "\"\(Base64URL.encode(Hash256(of: bytes).bytes.prefix(12)))\""
    }

    static let icon = "/favicon.ico"
    static let logo = "/assets/logo"

    static func mark(of kind: MethodLabel.Kind) -> String { "/assets/brand/\(kind.rawValue)" }

    func response(_ context: PlainContext, _ headers: SecurityHeaders) -> Response {
        var fields = headers.plain
        // A new image has the same address, so browsers must ask again after an hour.
        fields[.cacheControl] = "public, max-age=3600"
        fields[.eTag] = tag
        // RFC 9110 §13.1.2: the browser may send several tags; one match is enough.
        let known: [Substring] = context.headers[values: .ifNoneMatch]
            .joined(separator: ",").split(separator: ",")
            .map { part in part.drop { $0 == " " } }
        if known.contains(where: { $0 == tag || $0 == "W/" + tag || $0 == "*" }) {
            return Response(status: .notModified, headers: fields)
        }
        fields[.contentType] = kind.rawValue
        // An SVG opened on its own must not run scripts.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
        return Response(status: .ok, headers: fields, bytes: bytes)
    }

    static func kind(of bytes: [UInt8]) -> Kind? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            return .webp
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let isMarkup = start.hasPrefix("<?xml") || start.hasPrefix("<!--")
        return start.hasPrefix("<svg") || isMarkup && text.hasBytes("<svg") ? .svg : nil
    }
}

/// Serves the icon, the logo and the logos of providers: `/favicon.ico`, `/assets/logo`,
/// `/assets/brand/apple`.
struct PageImages: PageService {
    let page: PageResponder
    let routes: RouteTable<PlainContext>

    /// - Parameter images: By path. Without an icon the logo is it, and without that our mark.
    init(_ images: [String: PageImage], _ page: PageResponder) throws {
        self.page = page
        var images = images
        if images[PageImage.icon] == nil {
            images[PageImage.icon] =
                images[PageImage.logo] ?? PageImage(svg: page.renderer.theme.mark)
        }
        routes = try RouteTable(
            images.map { path, image in
                .get(RoutePath(path), for: .people) { image.response($0, page.headers) }
            }
        )
    }

    func context(_ request: RequestContext, _ parameters: PathParameters) -> PlainContext? {
        PlainContext(request)
    }
}
