/// The box above a form that could not be accepted; it takes the focus (WCAG 3.3.1, 4.1.3).
package struct ErrorSummary: Sendable {
    package struct Item: Sendable {
        package let text: Phrase
        /// The `id` of the field that it is about, or `nil` when it is about none.
        package let field: String?
    }

    package let summaryTitle: Phrase
    package let items: [Item]
}
