import PorticoMail

extension Setting {
    /// How mail is sent. What they say together is checked by ``OutgoingMail``.
    static let mail: [Setting] = [
        Setting(
            "mail.from",
            expected: "an address, or Name <address>, as Example <portico@example.com>",
            standard: "none",
            apply: { settings, text in
                // `try?`: whether it is one is the question.
                guard let sender = try? MailSender(text) else { return false }
                settings.mailFrom = sender
                return true
            },
            show: { settings in
                settings.mailFrom.map { sender in
                    sender.name.map { "\($0) <\(sender.address.text)>" } ?? sender.address.text
                }
            }
        ),
        Setting(
            "mail.smtp",
            expected: "smtps://USER@HOST:465, or smtp://USER@HOST:587, without a password",
            standard: "none",
            apply: { settings, text in
                // `try?`: whether it is one is the question.
                guard let server = try? SMTPServer(text) else { return false }
                settings.mailSMTP = server
                return true
            },
            show: { $0.mailSMTP?.text }
        ),
        path("mail.password-file", \.mailPasswordFile, standard: "none"),
        path("mail.ca-file", \.mailCAFile, standard: "the system's"),
        path("mail.sendmail", \.mailSendmail, standard: "none"),
    ]
}
