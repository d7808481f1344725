package import PorticoBytes

/// A form that can no longer be sent, and a link to start the same request again (WCAG 2.2.1).
package struct ExpiredPage: Page {
    package enum Reason: Sendable {
        /// The form was open for longer than this.
        case tookTooLong(minutes: Int)
        /// Another browser started it, or this one did not keep our cookie.
        case unmatched
        /// It was sent before, and has brought the person to the app.
        case answered
        /// Something it is about has changed: who is signed in, for one.
        case outdated
    }

    package let reason: Reason
    /// Starts the same request again, where it can be read.
    package let restart: PageLink?

    package init(reason: Reason, restart: PageLink? = nil) {
        self.reason = reason
        self.restart = restart
    }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch reason {
        case .tookTooLong: words.expired.tookTooLong
        case .unmatched: words.expired.unmatched
        case .answered: words.expired.answered
        case .outdated: words.expired.outdated
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let line: Phrase =
            switch reason {
            case .tookTooLong(let minutes): words.expired.closed(words.time.minutes(minutes))
            case .unmatched: words.expired.otherBrowser
            case .answered: words.expired.worksOnce
            case .outdated: words.expired.changedMeanwhile
            }
        return HTML([
            .line(line),
            restart == nil
                ? .line(words.expired.returnToApp)
                : .step(PageStep(restart, words.common.startAgain)),
        ])
    }
}
