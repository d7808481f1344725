import PorticoBytes

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

/// A browser's `Accept-Language` (RFC 9110 §12.5.4).
package struct AcceptLanguage: Sendable {
    /// The tags that it accepts, the preferred one first.
    package let tags: [String]

    /// Members that are not understood are passed over: a language is a wish, never a reason to refuse.
    package init(_ header: String) {
        var weighed: [(tag: String, weight: Int)] = []
        for member in header.utf8.prefix(1_024).split(separator: UInt8(ascii: ",")).prefix(32) {
            let parts = member.split(separator: UInt8(ascii: ";")).map { part in
                String(decoding: part.filter { !$0.isBlank }, as: UTF8.self)
            }
            guard let tag = parts.first, !tag.isEmpty else { continue }
            let weight = parts.dropFirst().first.map { Self.thousandths($0) } ?? 1_000
            if let weight, weight > 0 { weighed.append((tag, weight)) }
        }
        // `sorted` is stable in practice but not by contract, so the place decides between equals.
        tags = weighed.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.tag)
    }

    /// `q=0.8` as 800; `nil` where it is not a weight (RFC 9110 §12.4.2).
    private static func thousandths(_ parameter: String) -> Int? {
        let parts = parameter.lowercased().utf8.split(
            separator: UInt8(ascii: "="),
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, parts[0].elementsEqual("q".utf8) else { return nil }
        let digits = Array(parts[1])
        guard let whole = digits.first, digits.count <= 5,
            digits.count < 2 || digits[1] == UInt8(ascii: "."),
            digits.dropFirst(2).allSatisfy({ $0.isDigit })
        else { return nil }
        var fraction = 0
        for place in 2..<5 {
            let digit = place < digits.count ? Int(digits[place] - UInt8(ascii: "0")) : 0
            fraction = fraction * 10 + digit
        }
        switch whole {
        case UInt8(ascii: "0"): return fraction
        case UInt8(ascii: "1"): return fraction == 0 ? 1_000 : nil
        default: return nil
        }
    }
}
