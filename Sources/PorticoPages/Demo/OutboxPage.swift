package import PorticoBytes

/// The mails of a demonstration server, which sends none.
package struct OutboxPage: Page {
    package enum Status: Sendable, Equatable {
        case waiting
        /// Seconds since 1970.
        case sent(at: Int64)
        case givenUp
    }

    package struct Mail: Sendable {
        package let to: String
        package let subject: String
        package let lines: [String]
        package let status: Status

        package init(to: String, subject: String, lines: [String], status: Status) {
            self.to = to
            self.subject = subject
            self.lines = lines
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
            let status: Phrase =
                switch mail.status {
                case .waiting: words.demo.waiting
                case .sent(let time): words.demo.sent(words.time.ago(time, at: now))
                case .givenUp: words.demo.givenUp
                }
            return RowBlock(
                id: "mail-\(index + 1)",
                title: "\(name: mail.subject)",
                remarks: [words.demo.to(mail.to), status]
                    + mail.lines.filter { !$0.isEmpty }.map { "\(name: $0)" }
            )
        }
        return HTML([
            .line(words.demo.outboxIntro),
            mails.isEmpty ? .note(words.demo.empty) : .rows(rows),
        ])
    }

    package static let gallery = [
        GalleryState(
            "three mails",
            OutboxPage(
                mails: [
                    mail(
                        .waiting,
                        .confirmationCode(
                            code: "481052",
                            use: .confirmAddress("ann@example.com"),
                            minutes: 10
                        )
                    ),
                    mail(.sent(at: 1_795_298_300), .wayAdded(provider: "Apple")),
                    mail(.givenUp, .accountDeleted),
                ],
                now: 1_795_298_400
            )
        ),
        GalleryState("no mail", OutboxPage(mails: [], now: 1_795_298_400)),
    ]

    private static func mail(_ status: Status, _ text: MailText) -> Mail {
        let written = text.text(in: .english, service: "Demo")
        return Mail(
            to: "ann@example.com",
            subject: written.subject,
            lines: written.lines,
            status: status
        )
    }
}
