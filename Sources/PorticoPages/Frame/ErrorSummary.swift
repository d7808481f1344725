import PorticoBytes

/// The box above a form that could not be accepted; it takes the focus (WCAG 3.3.1, 4.1.3).
package struct ErrorSummary: Sendable {
    package struct Item: Sendable {
        package let text: Phrase
        /// The `id` of the field that it is about, or `nil` when it is about none.
        package let field: String?
    }

    /// The `id` of the list, with `-problem` behind it: fields that the list alone tells of name it.
    static let id = "summary"

    package let summaryTitle: Phrase
    package let items: [Item]

    var html: HTML {
        let lines = items.map { item in
            HTML.element(
                .li,
                item.field.map { .element(.a, to: PageAnchor(id: $0), [:], item.text.html) }
                    ?? item.text.html
            )
        }
        return .element(
            .div,
            [
                .class: "summary", .role: "alert", .tabindex: "-1", .autofocus: "",
                .ariaLabelledBy: "summary-title",
            ],
            .element(.h2, [.id: "summary-title"], summaryTitle.html),
            .element(.ul, [.id: "\(Self.id)-problem"], HTML(lines))
        )
    }
}

/// A place on the same page.
private struct PageAnchor: HTMLAddress {
    let id: String

    var href: String { "#\(id)" }
}
