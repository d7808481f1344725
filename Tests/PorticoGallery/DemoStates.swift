package import PorticoPages

extension OutboxPage: PageWithStates {
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
                    mail(.sent(at: 1_795_298_300), .methodAdded(provider: "Apple")),
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
