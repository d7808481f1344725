/// What the `message` template reads: the pages that only tell something and offer a next step.
package struct MessageView: Sendable {
    package struct Line: Sendable {
        let line: Phrase
    }

    package struct Step: Sendable {
        let link: PageLink
        let linkText: Phrase
    }

    package struct Details: Sendable {
        package struct Row: Sendable {
            let label: String
            let value: ShownText
        }

        let detailsTitle: String
        let rows: [Row]
    }

    let lines: [Line]
    let step: Step?
    let details: Details?

    init(lines: [Phrase], step: Step? = nil, details: Details? = nil) {
        self.lines = lines.map { Line(line: $0) }
        self.step = step
        self.details = details
    }
}
