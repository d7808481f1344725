package import PorticoBytes
package import PorticoSystem

/// An error that ends the request: one sentence, a next step, and technical details for support,
/// closed.
package struct ErrorPage: Page {
    /// For the developer and for support; never what a person must read. Shown as it is, escaped.
    package struct Details: Sendable {
        /// The error code, such as `invalid_scope`.
        package let code: String
        /// One English sentence naming the rule that was broken.
        package let description: String?
        package let clientID: String?
        package let time: Date?

        package init(
            code: String,
            description: String? = nil,
            clientID: String? = nil,
            time: Date?
        ) {
            self.code = code
            self.description = description
            self.clientID = clientID
            self.time = time
        }
    }

    package let issue: Issue
    /// The asking client's name, where known.
    package let client: String?
    /// The way back to the client, where its redirect URI was found valid.
    package let back: PageLink?
    package let details: Details?

    package init(
        issue: Issue,
        client: String? = nil,
        back: PageLink? = nil,
        details: Details? = nil
    ) {
        self.issue = issue
        self.client = client
        self.back = back
        self.details = details
    }

    package var isError: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        issue.told(words).heading
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let told = issue.told(words)
        return HTML([
            .line(told.sentence), .line(told.next),
            .step(words.common.step(to: back, of: client)),
            details?.html(words.details, frame),
        ])
    }
}

extension ErrorPage.Details {
    func html(_ words: DetailsWords, _ frame: PageFrame) -> HTML {
        let rows: [(label: Phrase, value: String?)] = [
            (words.code, code),
            (words.reason, description),
            (words.client, clientID),
            (words.time, time?.formatted(.iso8601)),
            (words.reference, frame.reference),
        ]
        return .details(
            words.title,
            rows.compactMap { row in
                row.value.map { (row.label, ShownText($0, limit: 500)) }
            }
        )
    }
}
