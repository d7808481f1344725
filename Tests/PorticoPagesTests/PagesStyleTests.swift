import Foundation
import PorticoBytes
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Style of the pages") struct PagesStyleTests {
    @Test(
        "WCAG 1.4.3, 1.4.11: text has a contrast of 4.5 to 1 in both schemes, what is operated 3 to 1",
        arguments: PageColour.pairs.map { ($0.front.rawValue, $0.back.rawValue, $0.least) }
    )
    func contrast(front: String, back: String, least: Double) throws {
        for scheme in try Scheme.all() {
            let contrast = try scheme.contrast(front, back)
            #expect(contrast >= least, "\(scheme.name): \(contrast)")
        }
    }

    @Test(
        "PRV-B-1: the vendors' colours are theirs, and can be read",
        arguments: [
            ("on-apple", "apple", 4.5), ("on-google", "google", 4.5),
            ("on-facebook", "facebook", 4.5), ("google-edge", "google", 3),
            ("google-edge", "surface", 3), ("apple", "surface", 3), ("facebook", "surface", 3),
        ]
    )
    func brands(front: String, back: String, least: Double) throws {
        for scheme in try Scheme.all() {
            let contrast = try scheme.contrast(front, back)
            #expect(contrast >= least, "\(scheme.name): \(contrast)")
        }
    }

    @Test("colours stand in the properties at the top and nowhere else, for themes")
    func theming() throws {
        let rules = PageTheme.standard.style.text.split(separator: "\n").filter {
            !$0.drop(while: \.isWhitespace).hasPrefix("--")
        }
        #expect(!rules.contains { $0.contains(/#[0-9a-fA-F]{3}|rgb\(|hsl\(/) })
        let schemes = try Scheme.all()
        let light = try #require(schemes.first).colours.keys,
            dark = try #require(schemes.last).colours.keys
        #expect(Set(light) == Set(dark))
    }

    @Test(
        "WCAG 1.4.10, 1.4.12: logical properties, no fixed heights, nothing is cut off",
        arguments: [
            "margin-left", "margin-right", "padding-left", "padding-right", "border-left", "left:",
            "border-right", "text-align: left", "text-align: right", " height:", "max-block-size",
            "overflow: hidden", "nowrap", "position:", "ellipsis", "user-select",
        ]
    )
    func layout(forbidden: String) {
        // What is short stays on a line, and what is only read out has no place.
        let rules = PageTheme.standard.style.text.split(separator: "\n")
        #expect(
            !rules.contains {
                $0.contains(forbidden) && !$0.hasPrefix(".whole {") && !$0.hasPrefix(".unseen {")
            }
        )
    }

    @Test("WCAG 2.4.7, 2.3.3: the focus is visible, also in forced colours, and motion can be off")
    func focus() {
        let style = PageTheme.standard.style.text
        #expect(
            style.contains(
                ":focus-visible, .summary:focus { outline: 2px solid var(--focus); outline-offset: 2px; }"
            )
        )
        #expect(style.contains("@media (forced-colors: active)"))
        // Motion is opt-in: a person who prefers none gets none.
        let still = style.replacing(
            /@media \(prefers-reduced-motion: no-preference\) \{(?:[^{}]*\{[^}]*\})*\s*\}/,
            with: ""
        )
        #expect(still != style)
        #expect(!still.contains(/transition|animation|scroll-behavior/))
        #expect(style.contains("color-scheme: light dark"))
    }
}

/// The colours of one scheme, by the names of the custom properties.
private struct Scheme {
    let name: String
    let colours: [String: String]

    struct Unknown: Error { let colour: String }

    static func all() throws -> [Scheme] {
        let blocks = PageTheme.standard.style.text.matches(of: /:root \{([^}]*)\}/).map(\.output.1)
        try #require(blocks.count == 2)
        return zip(["light", "dark"], blocks).map { name, block in
            let pairs = block.matches(of: /--([a-z-]+): (#[0-9a-f]{6});/)
            return Scheme(
                name: name,
                colours: .init(pairs.map { (String($0.output.1), String($0.output.2)) }) { $1 }
            )
        }
    }

    /// WCAG 2.2, "contrast ratio".
    func contrast(_ front: String, _ back: String) throws -> Double {
        let (one, other) = (try luminance(front), try luminance(back))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private func luminance(_ name: String) throws -> Double {
        guard let colour = colours[name], let value = Int(colour.dropFirst(), radix: 16) else {
            throw Unknown(colour: name)
        }
        let channels = [value >> 16, value >> 8, value].map { channel in
            let part = Double(channel & 0xFF) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
}

@Suite("Theme of the pages") struct PageThemeTests {
    @Test("what a theme sets is in the style once, in its scheme, and in the hash")
    func properties() throws {
        let theme = try PageTheme(
            light: ["accent": "#0B5D4B", "radius": "4px", "font": "\"Source Sans 3\", Georgia"],
            dark: ["accent": "#7fdcc4"]
        )
        let style = theme.style.text
        let (light, dark) = try #require(
            style.firstRange(of: "@media (prefers-color-scheme: dark)")
        )
        .halves(of: style)
        #expect(light.contains("--accent: #0b5d4b;") && !light.contains("--accent: #2450a8;"))
        #expect(dark.contains("--accent: #7fdcc4;") && !dark.contains("--accent: #a3bdf7;"))
        #expect(light.contains("--radius: 4px;"))
        #expect(light.contains("--font: \"Source Sans 3\", Georgia, system-ui"))
        #expect(theme.style.hash == InlineSource.hash(of: style))
        #expect(theme.style.hash != PageTheme.standard.style.hash)
        #expect(try PageTheme().style.text == PageTheme.standard.style.text)
    }

    @Test(
        "WEB-XSS-1: no style gets in by a setting: names and values are those that are allowed",
        arguments: [
            ("accent", "red"), ("accent", "#fff"), ("accent", "#0b5d4b;}"), ("accent", "#0b5d4g"),
            ("accent", "url(https://evil.example)"), ("accent", "var(--page)"), ("accent", ""),
            ("accent", "#0b5d4b\u{301}"), ("accent", "#0b5d4b80"), ("accent", "＃0b5d4b"),
            ("--accent", "#0b5d4b"), ("Accent", "#0b5d4b"), ("apple", "#0b5d4b"),
            ("color", "#0b5d4b"), ("accent: #000; --page", "#0b5d4b"), ("", "#0b5d4b"),
            ("radius", "4"), ("radius", "-4px"), ("radius", "calc(1px)"), ("radius", "4px;"),
            ("radius", "1e9px"), ("radius", ".5rem"), ("radius", "1.2.3px"), ("radius", "px"),
            ("radius", "999999px"), ("font", ""), ("font", "a;b"), ("font", "a{}"),
            ("font", "\"a"), ("font", "\"ab"), ("font", "a\""), ("font", "\"a\"b\""),
            ("font", "\"\""),
            ("font", "url(x)"), ("font", "a,"), ("font", "</style>"), ("font", "a\\"),
            ("font", "é"), ("font", "a\nb"),
        ]
    )
    func refused(name: String, value: String) {
        #expect(throws: PageTheme.Refusal.self) { try PageTheme(light: [name: value]) }
        // The dark scheme has colours only.
        #expect(throws: PageTheme.Refusal.self) { try PageTheme(dark: [name: value]) }
    }

    @Test("the dark scheme has colours and nothing else", arguments: ["radius", "font"])
    func dark(name: String) {
        #expect(throws: PageTheme.Refusal.self) {
            try PageTheme(dark: [name: name == "font" ? "Georgia" : "4px"])
        }
    }

    @Test("WCAG 1.4.3: a theme knows which of its colours are too faint")
    func faints() throws {
        #expect(PageTheme.standard.faints == [])
        let theme = try PageTheme(light: ["accent": "#9db7ff"], dark: ["quiet": "#3a3f48"])
        #expect(theme.faints.contains { $0.hasPrefix("accent on surface, light: ") })
        #expect(theme.faints.contains { $0.hasPrefix("quiet on page, dark: ") })
        #expect(theme.faints.allSatisfy { !$0.hasPrefix("text on") })
        let same = try PageTheme(light: ["text": "#ffffff", "surface": "#ffffff"])
        #expect(same.faints.contains("text on surface, light: 1.0 of 4.5"))
    }

    @Test("WEB-A11Y-1, WCAG 1.1.1: a logo stands beside its name, and hides from readers")
    func logo() throws {
        let theme = try PageTheme(logo: PageLink(path: "/assets/logo?\"x"))
        #expect(theme.logo == nil, "a path with a quotation mark is no path")
        let page = try PageRenderer(theme: try PageTheme(logo: PageLink(path: "/assets/logo")))
            .html(StartPage(), in: .english, frame: PageFrame(realm: "Demo"))
        let header = try #require(try Markup(page: page).all("header").first)
        #expect(header.all("img").map { $0.attributes["alt"] } == [""])
        #expect(header.text.contains("Demo") && header.all("span").isEmpty)
    }
}

extension Range<String.Index> {
    fileprivate func halves(of text: String) -> (Substring, Substring) {
        (text[..<lowerBound], text[upperBound...])
    }
}

@Suite("QR codes") struct QRCodeTests {
    private static func text(_ length: Int) -> String {
        String(
            String.UnicodeScalarView(
                (0..<length).map { Unicode.Scalar(UInt8(33 + ($0 * 7 + length) % 90)) }
            )
        )
    }

    private static func rows(_ code: QRCode) -> [[Bool]] {
        (0..<code.size).map { y in (0..<code.size).map { code.isDark($0, y) } }
    }

    /// Length, mask, size, and a checksum (FNV-1a) of the modules as swift-qrcode-generator 2.0.2 made
    /// them; zbar read each of the texts out of ours.
    private static let samples: [(Int, Int, Int, UInt64)] = [
        (0, 0, 21, 0x594ccb8531955da1),
        (1, 1, 21, 0x98c928decbdb0af1),
        (14, 6, 21, 0xfd10b68a85707a7d),
        (15, 7, 25, 0x8c3e7d9a10cbaf41),
        (26, 2, 25, 0xc1054102992747fd),
        (40, 0, 29, 0xdd0f392bc3c5d7a5),
        (62, 6, 33, 0x4bb30f4ccbf4b2a2),
        (84, 4, 37, 0x1be5f24c15767bb5),
        (106, 2, 41, 0xeaed1367115a048a),
        (121, 1, 45, 0xb1d08cf6ff2df67e),
        (122, 2, 45, 0x1f61618df0df3369),
        (152, 0, 49, 0xdaaf4b05991a0c01),
        (180, 4, 53, 0xc1c737c58a199149),
        (213, 5, 57, 0xac8e07a33fb7da13),
        (250, 2, 61, 0x940cde70f6abf361),
        (287, 7, 65, 0xf36d50d28e4d4ad2),
        (331, 3, 69, 0xd48261dbab171c5b),
        (362, 2, 73, 0xd7abaf38a5e504c1),
        (412, 4, 77, 0xaf67dbd51ab2d7aa),
        (450, 2, 81, 0x81837af002c2d342),
        (504, 0, 85, 0x838498e6f2b49a85),
        (560, 0, 89, 0x18c54cde76f13a0f),
        (624, 0, 93, 0x352915bad51d21b7),
        (665, 1, 97, 0xb1f3d7dd784552),
        (666, 2, 97, 0x6181f31a3ef6ad39),
    ]

    @Test(
        "ISO/IEC 18004: every version, with every mask, is what another encoder makes",
        arguments: samples
    )
    func known(_ length: Int, _ mask: Int, _ size: Int, _ checksum: UInt64) throws {
        let code = try #require(QRCode(Self.text(length), mask: mask))
        #expect(code.size == size)
        let sum = Self.rows(code).joined().reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ ($1 ? 1 : 0)) &* 0x100_0000_01B3
        }
        #expect(sum == checksum)
    }

    @Test("ISO/IEC 18004 §7.8: without a given one, the code is one of the eight masks")
    func mask() throws {
        let code = try #require(QRCode(Self.text(100)))
        let all = (0..<8).compactMap { QRCode(Self.text(100), mask: $0) }
        #expect(all.count == 8 && all.contains(code))
        #expect(Set(all.map { Self.rows($0).joined().count(where: \.self) }).count > 1)
    }

    @Test("A text that is too long is none, whatever is in it")
    func tooLong() {
        #expect(QRCode(Self.text(667)) == nil)
        #expect(QRCode(String(repeating: "\u{301}", count: 334)) == nil)
        #expect(QRCode(String(repeating: "\u{301}", count: 333)) != nil)
    }
}
