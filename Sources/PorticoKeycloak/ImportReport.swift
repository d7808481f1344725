import PorticoProvider

/// The outcome of importing a realm file, line by line: nothing in the file is dropped without a
/// line. It contains no secrets.
package struct ImportReport: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// It was imported.
        case read
        /// It was imported in another form.
        case changed
        /// It was left out.
        case skipped
        /// It has no meaning in Portico.
        case ignored
    }

    package struct Line: Hashable, Sendable {
        package let outcome: Outcome
        /// What the line is about: `client shop`, `clients[2].redirectUris[0]`.
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
    ///   - subject: May contain text from the file; it is made safe to print.
    ///   - words: Our own text.
    mutating func add(_ outcome: Outcome, _ subject: String, _ words: String) {
        lines.append(
            Line(outcome: outcome, subject: PlainText.shown(subject), words: words)
        )
    }

    package func lines(_ outcome: Outcome) -> [Line] {
        lines.filter { $0.outcome == outcome }
    }
}
