import PorticoProvider

/// What became of a realm file, line by line, in words: nothing that it says is dropped in silence.
/// No secret stands in it.
package struct ImportReport: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// It was taken over.
        case read
        /// It was taken over in another form.
        case changed
        /// It was left out.
        case skipped
        /// It has no meaning here.
        case ignored
    }

    package struct Line: Hashable, Sendable {
        package let outcome: Outcome
        /// What it is about: `client shop`, `clients[2].redirectUris[0]`.
        package let subject: String
        package let words: String
    }

    /// The realm's name.
    package let realm: String
    package private(set) var lines: [Line] = []

    init(realm: String) {
        self.realm = PlainText.shown(realm)
    }

    /// - Parameters:
    ///   - subject: May hold what the file says; it is made safe to print.
    ///   - words: Ours.
    mutating func add(_ outcome: Outcome, _ subject: String, _ words: String) {
        lines.append(
            Line(outcome: outcome, subject: PlainText.shown(subject), words: words)
        )
    }

    package func lines(_ outcome: Outcome) -> [Line] {
        lines.filter { $0.outcome == outcome }
    }
}
