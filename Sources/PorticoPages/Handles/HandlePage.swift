package import PorticoBytes

/// Asks for an internet handle (AT Protocol): one field, which takes a DID or the address of a host
/// too.
///
/// The form is sent by GET to `/login`, with `handle`, `ask=host` and `fields`. Nothing is changed by
/// that, so it carries no token.
package struct HandlePage: Page {
    /// What was typed or is known; may be empty.
    package let handle: String
    /// What the person may have meant, the likeliest first: a button each, never sent by itself.
    package let proposals: [String]
    package let problem: HandleProblem?
    /// What the request carries on: `mobile`, `app`, `redirect_uri`, `state`, …
    package let fields: [PageField]
    /// The asking app's name; `nil` for the service itself.
    package let app: String?
    package let otherMethods: PageLink?
    private let example: String

    /// - Parameter domain: Of the handle that is shown as an example.
    package init(
        handle: String = "",
        proposals: [String] = [],
        problem: HandleProblem? = nil,
        fields: [PageField] = [],
        app: String? = nil,
        otherMethods: PageLink? = nil,
        domain: String = "bsky.social"
    ) {
        self.handle = handle
        self.proposals = proposals
        self.problem = problem
        self.fields = fields
        self.app = app
        self.otherMethods = otherMethods
        example = "ann.\(domain)"
    }

    static let field = "handle"
    private static let exampleHost = "https://bsky.social"

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        guard problem == nil, let first = proposals.first else { return words.handle.heading }
        return words.handle.didYouMean(first)
    }

    package func problems(_ words: Words) -> ErrorSummary? {
        problem?.told(words, example: example)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            proposals.isEmpty ? .line(words.handle.intro(app ?? frame.owner)) : nil,
            proposals.isEmpty
                ? nil
                : form(
                    .buttons(
                        proposals.map {
                            ActionButton($0, words.handle.use($0), .first, name: Self.field)
                        }
                    )
                ),
            form(
                .field(
                    FieldBlock(
                        Self.field,
                        .handle,
                        label: words.handle.label,
                        value: handle,
                        hint: words.handle.hint(example),
                        problem: problems(words)?.items.first { $0.field != nil }?.text,
                        startsHere: problem == nil && proposals.isEmpty
                    )
                ),
                .note(words.handle.orHost(Self.exampleHost)),
                .element(
                    .div,
                    [.class: "actions"],
                    .element(
                        .button,
                        [
                            .class: proposals.isEmpty ? "button" : "button second",
                            .type: "submit",
                        ],
                        words.common.proceed.html
                    )
                )
            ),
            .links([PageStep(otherMethods, words.trouble.otherMethods)]),
        ])
    }

    private func form(_ content: HTML...) -> HTML {
        .element(
            .form,
            to: PageLink(path: "/login"),
            [.method: "get"],
            .hidden(fields + [PageField("ask", "host")]),
            HTML(content)
        )
    }
}
