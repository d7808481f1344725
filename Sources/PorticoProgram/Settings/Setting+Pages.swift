import PorticoPages

extension Setting {
    /// How the pages look: only what ``PageTheme`` knows, so that no style gets in by a setting.
    static let pages: [Setting] = [
        properties(
            "pages.light",
            \.pagesLight,
            expected: "NAME=VALUE, as accent=#2450a8, radius=4px or font=Inter; the names are "
                + (PageColour.allCases.map(\.rawValue) + ["radius", "font"])
                .joined(separator: ", ")
        ) { try PageTheme(light: $0) },
        properties(
            "pages.dark",
            \.pagesDark,
            expected: "NAME=VALUE for the dark scheme, as accent=#a3bdf7; the names are "
                + PageColour.allCases.map(\.rawValue).joined(separator: ", ")
        ) { try PageTheme(dark: $0) },
        path("pages.logo", \.pagesLogo, standard: "none"),
        path("pages.brand", \.pagesBrand, expected: "the path of a folder", standard: "none"),
    ]

    private static func properties(
        _ key: String,
        _ field: any WritableKeyPath<Settings, [String: String]> & Sendable,
        expected: String,
        check: @escaping @Sendable ([String: String]) throws -> PageTheme
    ) -> Setting {
        Setting(
            list: key,
            option: key.replacing(".", with: "-"),
            expected: expected,
            apply: { settings, texts in
                var values: [String: String] = [:]
                for text in texts {
                    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                    guard parts.count == 2,
                        values.updateValue(parts[1], forKey: parts[0]) == nil
                    else { return false }
                }
                // `try?`: whether it is one is the question.
                guard (try? check(values)) != nil else { return false }
                settings[keyPath: field] = values
                return true
            },
            show: { settings in
                settings[keyPath: field].sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            }
        )
    }
}
