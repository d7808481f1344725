package import PorticoBytes

/// The mails of a demonstration server, which sends none.
package struct OutboxPage: Page {
    package enum Status: Sendable, Equatable {
        /// As all are, where nothing is sent.
        case waiting
        /// Seconds since 1970.
        case sent(at: Int64)
        case givenUp
    }

    package struct Mail: Sendable {
        package let to: String
        package let subject: String
        package let lines: [String]
        /// The page of ours that the mail links to.
        package let link: PageLink?
        package let status: Status

        package init(
            to: String,
            subject: String,
            lines: [String],
            link: PageLink? = nil,
            status: Status
        ) {
            self.to = to
            self.subject = subject
            self.lines = lines
            self.link = link
            self.status = status
        }
    }

    package let mails: [Mail]
    package let now: Int64

    package init(mails: [Mail], now: Int64) {
        self.mails = mails
        self.now = now
    }

    package var isWide: Bool { true }

    package func heading(_ words: Words, _ frame: PageFrame) -> Phrase { words.demo.outbox }

    package func content(_ words: Words, _ frame: PageFrame) -> HTML {
        let rows = mails.enumerated().map { index, mail in
            let status: Phrase? =
                switch mail.status {
                case .waiting: nil
                case .sent(let time): words.demo.sent(words.time.ago(time, at: now))
                case .givenUp: words.demo.givenUp
                }
            let lines: [Phrase] = mail.lines.filter { !$0.isEmpty }
                .map { "\(name: $0, limit: 2_000)" }
            return RowBlock(
                id: "mail-\(index + 1)",
                title: "\(name: mail.subject)",
                remarks: [words.demo.to(mail.to)] + (status.map { [$0] } ?? []) + lines,
                links: PageStep(mail.link, words.demo.openLink).map { [$0] } ?? []
            )
        }
        return HTML([
            .line(words.demo.outboxIntro),
            mails.isEmpty ? .note(words.demo.empty) : .rows(rows),
        ])
    }
}
