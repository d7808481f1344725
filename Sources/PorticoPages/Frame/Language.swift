/// A language that the pages speak.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case arabic = "ar"

    /// Its tag, for `lang` (BCP 47).
    package var tag: String { rawValue }

    /// Its writing direction, for `dir`.
    package var direction: String {
        switch self {
        case .english, .german: "ltr"
        case .arabic: "rtl"
        }
    }

    /// The first of ours that a person asked for, by lookup (RFC 4647 §3.4), else English.
    ///
    /// - Parameter tags: Language tags, the preferred one first, as `ui_locales` gives them
    ///   (OpenID Connect Core §3.1.2.1).
    package static func best(for tags: some Sequence<String>) -> Language {
        // Every tag in use is shorter than this (RFC 5646 §4.4.1 finds 35 to be enough).
        for tag in tags.prefix(32) where tag.utf8.count <= 64 {
            var range = tag.lowercased().split(separator: "-", omittingEmptySubsequences: false)
            while !range.isEmpty {
                if let language = Language(rawValue: range.joined(separator: "-")) {
                    return language
                }
                range.removeLast()
                // A single letter introduces what follows it and goes with it.
                if range.last?.utf8.count == 1 { range.removeLast() }
            }
        }
        return .english
    }

    /// What the request asks for, else what the browser prefers.
    ///
    /// - Parameter otherwise: The tag of what is spoken to anyone else.
    package static func best(
        uiLocales: String?,
        acceptLanguage: String?,
        otherwise: String? = nil
    ) -> Language {
        let asked = (uiLocales ?? "").split(separator: " ", maxSplits: 32).map { String($0) }
        let accepted = AcceptLanguage(acceptLanguage ?? "").tags
        return best(for: asked + accepted + (otherwise.map { [$0] } ?? []))
    }
}
