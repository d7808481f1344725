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

    @Test(
        "colours stand in the properties at the top and nowhere else, so that a theme changes all"
    )
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
