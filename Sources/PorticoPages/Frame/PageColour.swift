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
