package import PorticoBytes

/// The result of signing out, and what it does not cover.
package struct SignedOutPage: Page {
    package enum Outcome: Sendable {
        case signedOut
        /// No one was signed in any more.
        case wasNotSignedIn
        /// The person chose to stay.
        case stayed
    }

    package let outcome: Outcome
    /// The client that asked, where known.
    package let client: String?
    /// Where that client wants the person to go on.
    package let back: PageLink?

    package init(outcome: Outcome, client: String? = nil, back: PageLink? = nil) {
        self.outcome = outcome
        self.client = client
        self.back = back
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch outcome {
        case .signedOut: words.signedOut.heading
        case .wasNotSignedIn: words.signedOut.wasNotSignedIn
        case .stayed: words.signedOut.stayed
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let lines: [Phrase] =
            switch outcome {
            case .signedOut: [words.signedOut.done(frame.owner), words.signedOut.stillOpen]
            case .wasNotSignedIn: [words.signedOut.stillOpen]
            case .stayed: [words.signedOut.nothingChanged]
            }
        return HTML(HTML.lines(lines) + [.step(words.common.step(to: back, of: client))])
    }
}
