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

    package static let template = PageTemplate.formPost

    static let script = "document.forms[0].submit()"

    /// The source that admits the script in this page's policy: `'sha256-…'` (CSP Level 3 §2.3.1).
    package static let scriptHash = PageStyle.hash(of: script)

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.formPost.heading(client)
    }

    package func view(_ words: Words, _ frame: PageFrame) -> View {
        View(
            intro: words.formPost.advice,
            action: action,
            parameters: parameters,
            proceed: words.common.proceed,
            script: Self.script
        )
    }

    package struct View: Sendable {
        let intro: Phrase
        let action: PageLink
        let parameters: [Parameter]
        let proceed: String
        let script: String
    }
}

extension FormPostPage {
    package static let gallery: [GalleryState] =
        PageLink(redirect: "https://notes.example/callback").map {
            [
                GalleryState(
                    "answer",
                    FormPostPage(
                        client: "Notes",
                        action: $0,
                        parameters: [
                            Parameter("code", "AbC_123-xyz"),
                            Parameter("session_state", "8d0b3c6e"),
                            Parameter("state", "a&b=\"c\""),
                            Parameter("iss", "https://id.example/realms/demo"),
                        ]
                    )
                )
            ]
        } ?? []
}
