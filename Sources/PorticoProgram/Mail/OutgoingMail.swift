import PorticoBytes
import PorticoMail
import PorticoStores
import PorticoSystem

/// The sender of emails and how they are sent, as the settings have it.
struct OutgoingMail: Sendable {
    let from: MailSender
    let transport: any MailTransport

    /// - Parameter environment: For a mail command.
    /// - Returns: `nil` if neither a mail server nor a command is set.
    /// - Throws: if the settings contradict each other, or the password file is not usable.
    init?(_ settings: Settings, environment: [String: String]) throws(Failure) {
        guard let delivery = try Self.delivery(settings) else { return nil }
        guard let from = settings.mailFrom else {
            throw Failure(
                .wrongValue,
                "A way to send email is set, but no sender.",
                "Set the sender: mail.from: \"Example <portico@example.com>\""
            )
        }
        self.from = from
        switch delivery {
        case .server(let server):
            transport = try Self.submission(server, settings)
        case .command(let path):
            transport = SendmailCommand(Self.absolute(path), environment: environment)
        }
    }

    private static func absolute(_ path: String) -> String { URL(filePath: path).absoluteURL.path }

    /// Whether the mail command, if one is set, can be run: said before the first mail waits for it.
    static func checkProgram(_ settings: Settings) throws(Failure) {
        guard let path = settings.mailSendmail else { return }
        let absolute = absolute(path)
        var status = stat()
        let isThere = stat(absolute, &status) == 0
        let isOther = isThere && status.st_mode & S_IFMT != S_IFREG
        guard isThere, !isOther, access(absolute, X_OK) == 0 else {
            let reason = isOther ? "It is not a file" : systemReason()
            throw Failure(
                .wrongValue,
                "mail.sendmail names \(printable(absolute)), which cannot be run: \(reason).",
                "Set it to a program that takes mails as sendmail -i does."
            )
        }
    }

    private enum Delivery {
        case server(SMTPServer)
        case command(String)
    }

    private static func delivery(_ settings: Settings) throws(Failure) -> Delivery? {
        switch (settings.mailSMTP, settings.mailSendmail) {
        case (let server?, nil): return .server(server)
        case (nil, let path?): return .command(path)
        case (_?, _?):
            throw Failure(
                .wrongValue,
                "Both mail.smtp and mail.sendmail are set.",
                "Remove one of them."
            )
        case (nil, nil):
            guard settings.mailFrom == nil, settings.mailPasswordFile == nil else {
                throw Failure(
                    .wrongValue,
                    "mail.from or mail.password-file is set, but no way to send email.",
                    "Set a mail server, mail.smtp, or a program, mail.sendmail."
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
                "A mail server needs either both a username and a password, or neither.",
                "Set mail.smtp: smtps://USER@host, and mail.password-file: a file with mode 0600."
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
                    ("cannot be read.", "Set mail.password-file to an existing file.")
                case .notAFile: ("is not a file.", "Set mail.password-file to a file.")
                case .exposed:
                    (
                        "can be read by others, or belongs to another user.",
                        FileOwner.remedy(path) ?? "chmod 600 \(printable(path))"
                    )
                case .malformed: ("does not contain exactly one password.", "Write it on one line.")
                }
            throw Failure(.secretMissing, "\(printable(path)) \(what)", advice)
        }
    }
}

extension Realm {
    /// What does not work in it while the server sends no mail.
    var lackingMail: [String] {
        var lacking: [String] = []
        if confirmsEmail {
            lacking.append("people who have not confirmed their email address cannot sign in")
        }
        if registration == .email || registration == .username && confirmsEmail {
            lacking.append("no one can make an account, and the sign-in page does not offer it")
        }
        return lacking
    }
}

extension Installation {
    /// Whether the server sends mail, as far as these settings say. Those that contradict each other
    /// keep it from starting, and are another matter.
    var sendsMail: Bool {
        guard !directory.isOfDemo else { return true }
        do {
            let environment = ProcessInfo.processInfo.environment
            return try OutgoingMail(settings, environment: environment) != nil
        } catch {
            return true
        }
    }

    /// Says what a realm's rules come to without mail, where that is new.
    func warnOfMail(in realm: Realm, replacing former: Realm?, _ console: Console) {
        let known = former?.lackingMail ?? []
        let lacking = realm.lackingMail.filter { !known.contains($0) }
        guard !lacking.isEmpty, !console.isQuiet, !sendsMail else { return }
        console.warn(
            "These settings send no mail. Without it, in realm \(realm.name) "
                + lacking.joined(separator: "; ") + ". Set mail.from and mail.smtp in portico.yaml."
        )
    }
}
