/// What the `line` template reads.
struct LineBlock: Sendable {
    let text: Phrase
    let look: String
    let isStatus: Bool
}

/// What the `section` template reads: a heading and what stands below it.
struct SectionBlock: Sendable {
    let sectionID: String
    let sectionTitle: Phrase
    let blocks: [Block]
}

/// What the `facts` template reads: names and what they are.
struct FactsBlock: Sendable {
    struct Fact: Sendable {
        let term: Phrase
        let fact: Phrase

        init(_ term: Phrase, _ fact: Phrase) {
            self.term = term
            self.fact = fact
        }
    }

    let facts: [Fact]
}

/// What the `points` template reads.
struct PointsBlock: Sendable {
    struct Point: Sendable {
        let point: Phrase
    }

    let points: [Point]
}

/// What the `code` template reads: a code to be typed elsewhere.
struct CodeBlock: Sendable {
    let code: ShownText
}

/// What the `rows` template reads: things of one kind, each with what can be done about it.
struct RowsBlock: Sendable {
    let rows: [RowBlock]
}

struct RowBlock: Sendable {
    /// A few words beside the name, such as "This device".
    let tag: Phrase?
    let rowID: String
    let rowTitle: Phrase
    let remarks: [Remark]
    let rowForm: RowForm?
    let rowLinks: [PageStep]

    struct Remark: Sendable {
        let remark: Phrase
    }

    struct RowForm: Sendable {
        let form: PageForm
        let rowButton: ActionButton
    }

    init(
        id: String,
        title: Phrase,
        tag: Phrase? = nil,
        remarks: [Phrase],
        form: (PageForm, ActionButton)? = nil,
        links: [PageStep] = []
    ) {
        rowID = id
        rowTitle = title
        self.tag = tag
        self.remarks = remarks.map { Remark(remark: $0) }
        rowForm = form.map { RowForm(form: $0.0, rowButton: $0.1.describedBy(id)) }
        rowLinks = links
    }
}

/// A link and its words.
package struct PageStep: Sendable {
    let link: PageLink
    let linkText: Phrase

    package init(_ link: PageLink, _ text: Phrase) {
        self.link = link
        linkText = text
    }

    init?(_ link: PageLink?, _ text: Phrase) {
        guard let link else { return nil }
        self.init(link, text)
    }
}

/// What the `steps` template reads.
struct StepsBlock: Sendable {
    struct Step: Sendable {
        let step: PageStep
        let isSecond: Bool
    }

    let steps: [Step]

    init(steps: [PageStep]) {
        self.steps = steps.enumerated().map { Step(step: $1, isSecond: $0 > 0) }
    }
}

/// What the `links` template reads.
struct LinksBlock: Sendable {
    let plainLinks: [PageStep]
}
