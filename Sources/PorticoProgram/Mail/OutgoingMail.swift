import PorticoBytes
import PorticoMail

/// Who mails are from and how they leave, as the settings have it.
struct OutgoingMail: Sendable {
    let from: MailSender
    let transport: any MailTransport

    /// - Parameter environment: For a mail command.
    /// - Returns: `nil` where no way to send mail is set.
    /// - Throws: where the settings contradict each other, or name a file that is not as it must be.
    init?(_ settings: Settings, environment: [String: String]) throws(Failure) {
        guard let way = try Self.way(settings) else { return nil }
        guard let from = settings.mailFrom else {
            throw Failure(
                .wrongValue,
                "Mail can be sent, but not who it is from.",
                "Name the sender: mail.from: \"Example <portico@example.com>\""
            )
        }
        self.from = from
        switch way {
        case .server(let server):
            transport = try Self.submission(server, settings)
        case .command(let path):
            transport = SendmailCommand(path, environment: environment)
        }
    }

    private enum Delivery {
        case server(SMTPServer)
        case command(String)
    }

    private static func way(_ settings: Settings) throws(Failure) -> Delivery? {
        switch (settings.mailSMTP, settings.mailSendmail) {
        case (let server?, nil): return .server(server)
        case (nil, let path?): return .command(path)
        case (_?, _?):
            throw Failure(
                .wrongValue,
                "Mail cannot be sent both ways: mail.smtp and mail.sendmail are set.",
                "Take one of them away."
            )
        case (nil, nil):
            guard settings.mailFrom == nil, settings.mailPasswordFile == nil else {
                throw Failure(
                    .wrongValue,
                    "Settings for mail are there, but no way to send it.",
                    "Name a mail server, mail.smtp, or a command, mail.sendmail."
                )
            }
            return nil
        }
    }

    private static func submission(_ server: SMTPServer, _ settings: Settings) throws(Failure)
        -> SMTPSubmission
    {
        let password = try settings.mailPasswordFile.map(password)
        do {
            return try SMTPSubmission(to: server, password: password, trusting: settings.mailCAFile)
        } catch {
            throw Failure(
                .secretMissing,
                "The user at the mail server and the password belong together; one is missing.",
                "mail.smtp: smtps://USER@host, and mail.password-file: a file with mode 0600."
            )
        }
    }

    private static func password(_ path: String) throws(Failure) -> SecretText {
        do {
            return try PasswordFile.read(path)
        } catch {
            let (what, advice) =
                switch error {
                case .missing:
                    ("cannot be read.", "Set mail.password-file to a file that is there.")
                case .notAFile: ("is no file.", "Set mail.password-file to a file.")
                case .exposed:
                    (
                        "can be read by others, or belongs to another user.",
                        "chmod 600 \(printable(path))"
                    )
                case .malformed: ("does not hold one password.", "Write it on the file's one line.")
                }
            throw Failure(.secretMissing, "\(printable(path)) \(what)", advice)
        }
    }
}
