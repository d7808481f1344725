package import PorticoBytes

/// The authorization response as a form that the browser posts to the client
/// (OAuth 2.0 Form Post Response Mode §2).
///
/// A script sends it at once; without scripts the button does.
package struct FormPostPage: Page {
    package struct Parameter: Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package let client: String
    /// The redirect URI, found to be the client's own.
    package let action: PageLink
    package let parameters: [Parameter]

    package init(client: String, action: PageLink, parameters: [Parameter]) {
        self.client = client
        self.action = action
        self.parameters = parameters
    }

    private static let sending = InlineSource(unescaped: "document.forms[0].submit()")

    /// The source that admits the script in this page's policy.
    package static let scriptHash = sending.hash

    /// It has one that the policy of this page admits by itself.
    package var script: InlineSource? { nil }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.formPost.heading(client)
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        HTML([
            .line(words.formPost.advice),
            .element(
                .form,
                to: action,
                [.method: "post"],
                HTML(parameters.map { .hidden($0.name, $0.value) }),
                .element(
                    .div,
                    [.class: "actions"],
                    .element(
                        .button,
                        [.class: "button", .type: "submit"],
                        words.common.proceed.html
                    )
                )
            ),
            .script(Self.sending),
        ])
    }
}
