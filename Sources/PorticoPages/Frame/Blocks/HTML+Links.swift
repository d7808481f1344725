import PorticoBytes

/// Links, and lists of things with what can be done about each.
extension HTML {
    /// Links that look like buttons; the first is the one to choose.
    static func steps(_ steps: [PageStep?]) -> HTML? {
        let steps = steps.compactMap(\.self)
        guard !steps.isEmpty else { return nil }
        let links = steps.enumerated().flatMap { index, step in
            [step.html(index > 0 ? "button second" : "button"), .text("\n")]
        }
        return .element(.div, [.class: "actions"], HTML(links))
    }

    /// The one step that a page offers which only tells something.
    static func step(_ step: PageStep?) -> HTML? {
        step.map { .element(.p, [.class: "actions"], $0.html("button")) }
    }

    static func links(_ links: [PageStep?]) -> HTML? {
        HTML(links.compactMap(\.self).map { .element(.p, [.class: "small"], $0.html()) })
    }

    /// Where several buttons say the same, each also says for a screen reader what it is about (WCAG
    /// 2.4.9): in a list of buttons nothing else tells them apart.
    static func rows(_ rows: [RowBlock]) -> HTML {
        let labels = rows.map { $0.form?.1.label.plain }
        var told: [String: Int] = [:]
        let items = rows.enumerated().map { index, row in
            guard let label = labels[index], labels.count(where: { $0 == label }) > 1 else {
                return row.html(nil)
            }
            let about = row.remarks.reduce(row.title) { "\($0) \($1)" }
            let count = told["\(label) \(about.plain)", default: 0] + 1
            told["\(label) \(about.plain)"] = count
            return row.html(count == 1 ? " \(about)" : " \(about) \(ours: String(count))")
        }
        return .element(.ul, [.class: "rows"], HTML(items))
    }

    /// Technical details, closed.
    static func details(_ title: Phrase, _ rows: [(label: Phrase, value: ShownText)]) -> HTML {
        .element(
            .details,
            .element(.summary, title.html),
            .element(
                .dl,
                HTML(
                    rows.map { row in
                        .element(
                            .div,
                            .element(.dt, row.label.html),
                            .element(.dd, .exact(row.value))
                        )
                    }
                )
            )
        )
    }
}

/// A link and its words.
package struct PageStep: Sendable {
    let link: PageLink
    let text: Phrase

    package init(_ link: PageLink, _ text: Phrase) {
        self.link = link
        self.text = text
    }

    init?(_ link: PageLink?, _ text: Phrase) {
        guard let link else { return nil }
        self.init(link, text)
    }

    func html(_ look: String? = nil) -> HTML {
        .element(.a, to: link, [.class: look], text.html)
    }
}

/// One thing of a list, and what can be done about it.
struct RowBlock: Sendable {
    let id: String
    let title: Phrase
    /// A few words beside the title, such as "This device".
    let tag: Phrase?
    let remarks: [Phrase]
    let form: (PageForm, ActionButton)?
    let links: [PageStep]

    init(
        id: String,
        title: Phrase,
        tag: Phrase? = nil,
        remarks: [Phrase],
        form: (PageForm, ActionButton)? = nil,
        links: [PageStep] = []
    ) {
        self.id = id
        self.title = title
        self.tag = tag
        self.remarks = remarks
        self.form = form
        self.links = links
    }

    /// - Parameter unseen: What a screen reader says behind the button's words.
    func html(_ unseen: Phrase?) -> HTML {
        .element(
            .li,
            .element(
                .div,
                [.class: "row", .id: id],
                .element(.p, [.class: "name"], title.html, .tag(tag)),
                HTML(remarks.map { .paragraph("remark", $0) })
            ),
            form.map { form, button in .form(form, [button.describedBy(id).saying(unseen).html]) },
            .links(links)
        )
    }
}
