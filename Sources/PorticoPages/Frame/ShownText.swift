/// Text from outside, such as a name, in the form in which a page shows it.
///
/// It is one line of bounded length that can neither reorder nor overlay the words beside it: controls
/// become U+FFFD; characters without a shape of their own, the bidirectional ones among them, are
/// left out; stacked marks are cut. Never for values that a form carries back.
package struct ShownText: Sendable, Equatable {
    package let text: String

    package init(_ foreign: String, limit: Int = 120) {
        var line = String.UnicodeScalarView()
        var marks = 0
        for scalar in foreign.unicodeScalars.prefix(limit * 8) {
            switch scalar.properties.generalCategory {
            case .format where !Self.joiners.contains(scalar):
                continue
            case .nonspacingMark, .enclosingMark:
                marks += 1
                if marks <= 4 { line.append(scalar) }
                continue
            case .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if line.last != " " { line.append(" ") }
            case .control where scalar.properties.isWhitespace:
                if line.last != " " { line.append(" ") }
            case .control:
                line.append("\u{FFFD}")
            default:
                line.append(scalar)
            }
            marks = 0
        }
        let whole = String(line)
        text = whole.count > limit ? String(whole.prefix(limit)) + "…" : whole
    }

    /// The first character of a name, for the mark beside it.
    package init(initialOf name: String) {
        let first = ShownText(name).text.first { $0.isLetter || $0.isNumber }
        self.init(first.map { String($0).uppercased() } ?? "•")
    }

    /// The zero-width joiners, without which some scripts and emoji fall apart.
    private static let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]
}
