package import PorticoBytes
import PorticoSystem

/// How the pages look: colours by name, font, roundness, logo, marks of providers.
///
/// Only named properties can be set, and only to values of their kind, so that no style gets in by a
/// setting. What is not set stays as it is.
package struct PageTheme: Sendable {
    package static let standard = PageTheme(light: [:], dark: [:], radius: "0.625rem", font: nil)

    /// An image of this server's, shown beside the owner's name.
    package private(set) var logo: PageLink?
    package let style: InlineSource
    private var artwork: Set<MethodLabel.Kind> = []
    private let light: [PageColour: String]
    private let dark: [PageColour: String]

    /// A setting that is no theme: its name or its value is not one of those that are allowed.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package let property: String
        package var description: String { "not a property or not a value of it: \(property)" }
    }

    /// - Parameters:
    ///   - light: By custom property without dashes: a colour as `#rrggbb`; `radius`, a length in
    ///     `px` or `rem`; `font`, names of families.
    ///   - dark: The same for the dark scheme; colours only.
    ///   - logo: A path of this server.
    ///   - artwork: The providers whose mark is served at `/assets/brand/{kind}`.
    package init(
        light: [String: String] = [:],
        dark: [String: String] = [:],
        logo: PageLink? = nil,
        artwork: Set<MethodLabel.Kind> = []
    ) throws(Refusal) {
        var radius = "0.625rem"
        var font: String?
        var colours = light
        if let value = colours.removeValue(forKey: "radius") {
            guard Self.isLength(value) else { throw Refusal(property: "radius") }
            radius = value
        }
        if let value = colours.removeValue(forKey: "font") {
            guard Self.isFamilies(value) else { throw Refusal(property: "font") }
            font = value
        }
        self.init(
            light: try Self.colours(colours),
            dark: try Self.colours(dark),
            radius: radius,
            font: font
        )
        self.logo = logo
        self.artwork = artwork
    }

    private init(
        light: [PageColour: String],
        dark: [PageColour: String],
        radius: String,
        font: String?
    ) {
        self.light = light
        self.dark = dark
        func rule(_ value: (PageColour) -> String, _ brand: (BrandColour) -> String) -> String {
            (PageColour.allCases.map { "  --\($0.rawValue): \(value($0));\n" }
                + BrandColour.allCases.map { "  --\($0.rawValue): \(brand($0));\n" }).joined()
        }
        let system =
            #"system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif"#
        style = InlineSource(
            unescaped: """

                :root {
                  color-scheme: light dark;
                \(rule({ light[$0] ?? $0.standard.light }, \.value.light))  --radius: \(radius);
                  --font: \(font.map { $0 + ", " } ?? "")\(system);
                }
                @media (prefers-color-scheme: dark) {
                :root {
                \(rule({ dark[$0] ?? $0.standard.dark }, \.value.dark))}
                }

                """ + String(decoding: PackageResources.page_css, as: UTF8.self)
        )
    }

    /// What a browser shows beside a page's title, at one address whatever it is.
    static let icon = PageLink(path: "/favicon.ico")

    /// The icon of a server without a logo: a portico, in the colour of its buttons.
    package var mark: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
        <rect width="32" height="32" rx="7" fill="\(light[.accent] ?? PageColour.accent.standard.light)"/>\
        <path fill="\(light[.onAccent] ?? PageColour.onAccent.standard.light)" \
        d="M16 5 5 11v2h22v-2zM7 15h3v8H7zm7.5 0h3v8h-3zm7.5 0h3v8h-3zM5 25h22v2H5z"/></svg>
        """
    }

    /// Where the mark of a kind of provider is, where there is one.
    func artwork(of kind: MethodLabel.Kind) -> PageLink? {
        guard artwork.contains(kind) else { return nil }
        return PageLink(path: "/assets/brand/\(kind.rawValue)")
    }

    /// What of the theme is too hard to see, as "text on page, dark: 2.1 of 4.5" (WCAG 1.4.3, 1.4.11).
    package var faints: [String] {
        [("light", light), ("dark", dark)].flatMap { scheme, set in
            PageColour.pairs.compactMap { front, back, least in
                func value(_ colour: PageColour) -> String {
                    set[colour]
                        ?? (scheme == "light" ? colour.standard.light : colour.standard.dark)
                }
                let contrast = Self.contrast(value(front), value(back))
                guard contrast < least else { return nil }
                let shown = (contrast * 10).rounded(.down) / 10
                return "\(front.rawValue) on \(back.rawValue), \(scheme): \(shown) of \(least)"
            }
        }
    }
}

extension PageTheme {
    private static func colours(
        _ values: [String: String]
    ) throws(Refusal) -> [PageColour: String] {
        var colours: [PageColour: String] = [:]
        for (name, value) in values {
            guard let colour = PageColour(rawValue: name), isColour(value) else {
                throw Refusal(property: name)
            }
            colours[colour] = value.lowercased()
        }
        return colours
    }

    private static func isColour(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        return bytes.count == 7 && bytes[0] == UInt8(ascii: "#")
            && bytes.dropFirst().allSatisfy { $0.hexDigitValue != nil }
    }

    /// `0.5rem`, `12px`: at most four digits and a point.
    private static func isLength(_ value: String) -> Bool {
        let number = ["rem", "px"].first { value.hasSuffix($0) }.map { value.dropLast($0.count) }
        guard let bytes = number?.utf8, 1...5 ~= bytes.count,
            bytes.allSatisfy({ "0123456789.".utf8.contains($0) })
        else { return false }
        return bytes.count(where: { $0 == UInt8(ascii: ".") }) <= 1
            && bytes.first != UInt8(ascii: ".") && bytes.last != UInt8(ascii: ".")
    }

    /// Families with letters, digits, blanks and hyphens, in quotation marks or not, and commas.
    private static func isFamilies(_ value: String) -> Bool {
        guard value.utf8.count <= 200 else { return false }
        return value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { family in
            var name = family.utf8.drop { $0 == UInt8(ascii: " ") }
            let quote = UInt8(ascii: "\"")
            if name.first == quote {
                guard name.count > 2, name.last == quote else { return false }
                name = name.dropFirst().dropLast()
            }
            return !name.isEmpty
                && name.allSatisfy { $0.isLetterOrDigit || " -".utf8.contains($0) }
        }
    }

    /// WCAG 2.2, "contrast ratio", of two colours as `#rrggbb`.
    private static func contrast(_ one: String, _ other: String) -> Double {
        let (first, second) = (luminance(one), luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private static func luminance(_ colour: String) -> Double {
        let value = Int(colour.dropFirst(), radix: 16) ?? 0
        let channels = [value >> 16, value >> 8, value].map { (channel: Int) -> Double in
            let part = Double(channel & 0xFF) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
}

/// A colour that a theme may set: the custom property of its name, in both schemes.
package enum PageColour: String, CaseIterable, Sendable {
    case page
    case surface
    case text
    case quiet
    /// Borders of what can be operated.
    case edge
    /// Lines that only divide.
    case hairline
    case accent
    case onAccent = "on-accent"
    case accentPressed = "accent-pressed"
    case tint
    case problem
    case problemTint = "problem-tint"
    case notice
    case noticeTint = "notice-tint"
    case focus

    var standard: (light: String, dark: String) {
        switch self {
        case .page: ("#f2f4f8", "#10141b")
        case .surface: ("#ffffff", "#1a202a")
        case .text: ("#16202e", "#e8ecf2")
        case .quiet: ("#515d6d", "#a9b4c2")
        case .edge: ("#77828f", "#7e8a99")
        case .hairline: ("#dce1e8", "#323b48")
        case .accent: ("#2450a8", "#a3bdf7")
        case .onAccent: ("#ffffff", "#0f1b36")
        case .accentPressed: ("#1b3f87", "#c1d3fb")
        case .tint: ("#e9eef9", "#253049")
        case .problem: ("#a8261c", "#ffb0a6")
        case .problemTint: ("#fcefed", "#3b2020")
        case .notice: ("#4d3a00", "#f5dd94")
        case .noticeTint: ("#fff3cf", "#372d10")
        case .focus: ("#2450a8", "#a3bdf7")
        }
    }

    /// What is written or drawn on what, and the contrast that it must have (WCAG 1.4.3, 1.4.11).
    package static let pairs: [(front: PageColour, back: PageColour, least: Double)] = [
        (.text, .page, 4.5), (.text, .surface, 4.5), (.text, .tint, 4.5),
        (.text, .problemTint, 4.5), (.quiet, .page, 4.5), (.quiet, .surface, 4.5),
        (.quiet, .tint, 4.5),
        (.accent, .page, 4.5), (.accent, .surface, 4.5), (.accent, .tint, 4.5),
        (.onAccent, .accent, 4.5), (.onAccent, .accentPressed, 4.5), (.problem, .surface, 4.5),
        (.problem, .problemTint, 4.5), (.notice, .noticeTint, 4.5), (.edge, .surface, 3),
        (.edge, .page, 3), (.focus, .surface, 3), (.focus, .page, 3),
    ]
}

/// A colour that a vendor prescribes for its button: outside what a theme can set, and used only where
/// the vendor's mark is there too.
enum BrandColour: String, CaseIterable, Sendable {
    case apple
    case onApple = "on-apple"
    case google
    case onGoogle = "on-google"
    case googleEdge = "google-edge"
    case facebook
    case onFacebook = "on-facebook"

    var value: (light: String, dark: String) {
        switch self {
        case .apple: ("#000000", "#ffffff")
        case .onApple: ("#ffffff", "#000000")
        case .google: ("#ffffff", "#131314")
        case .onGoogle: ("#1f1f1f", "#e3e3e3")
        case .googleEdge: ("#747775", "#8e918f")
        // Not #1877F2, on which white text is too faint (4.23 to 1).
        case .facebook: ("#0866ff", "#0866ff")
        case .onFacebook: ("#ffffff", "#ffffff")
        }
    }
}
