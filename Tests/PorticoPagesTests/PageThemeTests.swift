import PorticoBytes
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Theme of the pages") struct PageThemeTests {
    @Test(
        "what a theme sets is in the style once, in its scheme, and the hash is that of the style"
    )
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

    @Test(
        "WEB-A11Y-1, WCAG 1.1.1: a logo stands beside the name that it means, and hides from readers"
    )
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
