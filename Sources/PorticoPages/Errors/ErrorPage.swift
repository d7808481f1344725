package import Foundation

/// Something that cannot go on: one sentence, a next step, and for whoever is asked for help a closed
/// box with what happened.
package struct ErrorPage: Page {
    /// For the developer and for support; never what a person must read. Shown as it is, escaped.
    package struct Details: Sendable {
        /// The error code, such as `invalid_scope`.
        package let code: String
        package let clientID: String?
        package let time: Date?
        /// More words for a developer; only on a demonstration or development server, or for a
        /// signed-in administrator.
        package let hint: String?

        package init(code: String, clientID: String? = nil, time: Date?, hint: String? = nil) {
            self.code = code
            self.clientID = clientID
            self.time = time
            self.hint = hint
        }
    }

    package let issue: Issue
    /// The asking client's name, where known.
    package let client: String?
    /// The way back to the client, where its redirect URI was found valid.
    package let wayBack: PageLink?
    package let details: Details?

    package init(
        issue: Issue,
        client: String? = nil,
        wayBack: PageLink? = nil,
        details: Details? = nil
    ) {
        self.issue = issue
        self.client = client
        self.wayBack = wayBack
        self.details = details
    }

    package static let template = PageTemplate.message

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        words.error(issue).heading
    }

    package func view(_ words: Words, _ frame: PageFrame) -> MessageView {
        MessageView(
            lines: [words.error(issue).sentence, words.error(issue).next],
            step: words.common.step(to: wayBack, of: client),
            details: details.map { view(of: $0, words.details, frame) }
        )
    }

    private func view(
        of details: Details,
        _ words: DetailsWords,
        _ frame: PageFrame
    ) -> MessageView.Details {
        let rows: [(label: String, value: String?)] = [
            (words.code, details.code),
            (words.client, details.clientID),
            (words.time, details.time?.formatted(.iso8601)),
            (words.reference, frame.reference),
            (words.hint, details.hint),
        ]
        return MessageView.Details(
            detailsTitle: words.title,
            rows: rows.compactMap { row in
                row.value.map { .init(label: row.label, value: ShownText($0, limit: 500)) }
            }
        )
    }
}

extension ErrorPage {
    package static let gallery: [GalleryState] =
        Issue.gallery.map { name, issue in
            GalleryState(name, ErrorPage(issue: issue))
        } + [
            GalleryState(
                "way back and details",
                ErrorPage(
                    issue: .requestNotUnderstood,
                    client: "Notes",
                    wayBack: PageLink(redirect: "com.example.notes:/callback?error=invalid_scope"),
                    details: Details(
                        code: "invalid_scope",
                        clientID: "notes-app",
                        time: Date(timeIntervalSince1970: 1_760_000_000),
                        hint: "Asked for: everything. Registered for this client: 2 scopes."
                    )
                )
            ),
            GalleryState(
                "few details",
                ErrorPage(issue: .serverError, details: Details(code: "server_error", time: nil))
            ),
        ]
}
