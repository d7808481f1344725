/// A page that is put together from blocks, in their order. What the `sheet` template reads.
package struct Sheet: Sendable {
    let blocks: [Block]

    init(_ blocks: [Block?]) {
        self.blocks = blocks.compactMap(\.self)
    }
}

extension Page where View == Sheet {
    package static var template: PageTemplate { .sheet }
}

/// One part of a page, with the template that it is rendered by.
package struct Block: Sendable {
    let blockTemplate: String
    let content: any Sendable

    private init(_ template: PageTemplate, _ content: some Sendable) {
        blockTemplate = template.rawValue
        self.content = content
    }
}

extension Block {
    /// A sentence below the heading.
    static func line(_ text: Phrase) -> Block {
        Block(.line, LineBlock(text: text, look: "lead", isStatus: false))
    }

    static func lines(_ texts: [Phrase]) -> [Block] { texts.map { .line($0) } }

    /// A sentence in small type.
    static func note(_ text: Phrase) -> Block {
        Block(.line, LineBlock(text: text, look: "lead note", isStatus: false))
    }

    /// A sentence of which nobody should lose sight.
    static func strong(_ text: Phrase) -> Block {
        Block(.line, LineBlock(text: text, look: "strong", isStatus: false))
    }

    /// What has just been done (WCAG 4.1.3).
    static func status(_ text: Phrase?) -> Block? {
        text.map { Block(.line, LineBlock(text: $0, look: "status", isStatus: true)) }
    }

    static func account(_ account: PageAccount) -> Block {
        Block(.account, PageAccount.View(account))
    }

    /// Posts to a path of ours.
    static func form(_ form: PageForm, _ blocks: [Block?]) -> Block {
        Block(.form, FormBlock(form: form, blocks: blocks.compactMap(\.self)))
    }

    static func field(_ field: FieldBlock) -> Block { Block(.field, field) }

    static func check(_ check: CheckBlock) -> Block { Block(.check, check) }

    /// Buttons below each other.
    static func buttons(_ buttons: [ActionButton?]) -> Block {
        Block(.buttons, ButtonsBlock(buttons: buttons.compactMap(\.self), row: "actions"))
    }

    /// Two buttons of one kind, side by side where there is room.
    static func pair(_ one: ActionButton, _ other: ActionButton) -> Block {
        Block(.buttons, ButtonsBlock(buttons: [one, other], row: "actions pair"))
    }

    /// Links that look like buttons; the first is the one to choose.
    static func steps(_ steps: [PageStep?]) -> Block? {
        let steps = steps.compactMap(\.self)
        guard !steps.isEmpty else { return nil }
        return Block(.steps, StepsBlock(steps: steps))
    }

    static func links(_ links: [PageStep?]) -> Block? {
        let links = links.compactMap(\.self)
        guard !links.isEmpty else { return nil }
        return Block(.links, LinksBlock(plainLinks: links))
    }

    static func ways(_ ways: WaysBlock) -> Block { Block(.ways, ways) }

    static func section(_ id: String, _ title: Phrase, _ blocks: [Block?]) -> Block {
        let blocks = blocks.compactMap(\.self)
        return Block(.section, SectionBlock(sectionID: id, sectionTitle: title, blocks: blocks))
    }

    static func rows(_ rows: [RowBlock]) -> Block { Block(.rows, RowsBlock(rows: rows)) }

    static func facts(_ facts: [FactsBlock.Fact?]) -> Block {
        Block(.facts, FactsBlock(facts: facts.compactMap(\.self)))
    }

    /// Sentences of equal weight.
    static func points(_ points: [Phrase]) -> Block {
        Block(.points, PointsBlock(points: points.map { .init(point: $0) }))
    }

    static func code(_ code: String) -> Block { Block(.code, CodeBlock(code: ShownText(code))) }
}
