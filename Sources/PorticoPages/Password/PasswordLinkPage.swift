package import PorticoBytes

/// The result of opening a link to choose a new password.
package struct PasswordLinkPage: Page {
    package enum Outcome: Sendable, CaseIterable {
        case done, expired, used
    }

    package let outcome: Outcome
    /// To sign in, or to have another link sent.
    package let next: PageLink?
    /// For how long links are good.
    package let minutes: Int

    package init(outcome: Outcome, next: PageLink? = nil, minutes: Int = 30) {
        self.outcome = outcome
        self.next = next
        self.minutes = minutes
    }

    package var isError: Bool { outcome != .done }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase {
        switch outcome {
        case .done: words.reset.done
        case .expired: words.reset.expired
        case .used: words.reset.used
        }
    }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let (line, step): (Phrase, Phrase) =
            switch outcome {
            case .done: (words.reset.doneWhat, words.choose.toSignIn)
            case .expired: (words.reset.expiredWhy(words.time.minutes(minutes)), words.reset.again)
            case .used: (words.reset.usedWhy, words.reset.again)
            }
        return HTML([.line(line), .steps([PageStep(next, step)])])
    }
}
