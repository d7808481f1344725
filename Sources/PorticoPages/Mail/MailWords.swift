/// What the mails say, in one language.
struct MailWords: Sendable {
    struct Text: Sendable {
        let subject: Phrase
        let lines: [Phrase]
    }

    let greeting: String
    let text: @Sendable (_ mail: MailText, _ service: String) -> Text

    static let english = MailWords(greeting: "Hello,") { mail, service in
        switch mail {
        case .confirmationCode(let code, let use, let minutes):
            Text(
                subject: "\(exact: code) is your \(name: service) code",
                lines: [
                    use.inEnglish(service),
                    "\(exact: code)",
                    "It expires in \(ours: Words.englishSpan(minutes: minutes)) and works once. Don’t "
                        + "share it with anyone. We never ask for it by phone or email.",
                    "If you didn’t request this code, ignore this email.",
                ]
            )
        case .emailChanged:
            Text(
                subject: "Your email address was changed",
                lines: [
                    "Your \(name: service) account now has a different email address. We won’t write "
                        + "to this one about it any more.",
                    "If this was you, there’s nothing to do.",
                    "If it wasn’t you, sign in to \(name: service), enter your email address again "
                        + "and sign out any device you don’t recognise. If you can’t, reply to this "
                        + "email or contact support.",
                ]
            )
        case .newDevice(let device, let time, let provider):
            Text(
                subject: "New sign-in to your \(name: service) account",
                lines: [
                    "There was a new sign-in to your \(name: service) account with \(name: provider):",
                    device.isEmpty
                        ? "\(TimeWords.english.moment(of: time))"
                        : "\(name: device), \(TimeWords.english.moment(of: time))",
                    "If this was you, there’s nothing to do.",
                    "If it wasn’t you, open your account, sign out that device under Devices, and "
                        + "change your password at \(name: provider).",
                ]
            )
        case .wayAdded(let provider):
            Text(
                subject: "\(name: provider) was added to your account",
                lines: [
                    "You can now sign in to \(name: service) with \(name: provider) as well.",
                    "If you didn’t do this, open your account and remove it under Sign-in methods.",
                ]
            )
        case .wayRemoved(let provider):
            Text(
                subject: "\(name: provider) was removed from your account",
                lines: [
                    "You can no longer sign in to \(name: service) with \(name: provider).",
                    "If you didn’t do this, open your account and, under Devices, sign out any "
                        + "device you don’t recognise.",
                ]
            )
        case .passwordReset(let address, let minutes):
            Text(
                subject: "Choose a new password for \(name: service)",
                lines: [
                    "Open this link in the browser you want to sign in with:",
                    "\(exact: address)",
                    "It expires in \(ours: Words.englishSpan(minutes: minutes)) and works once.",
                    "If you didn’t request this, ignore this email. Your password won’t change.",
                ]
            )
        case .passwordChanged:
            Text(
                subject: "Your password was changed",
                lines: [
                    "The password for your \(name: service) account was changed, and you were "
                        + "signed out everywhere.",
                    "If this was you, sign in with the new password.",
                    "If it wasn’t you, someone may have access to your email. Change your email "
                        + "password first, then choose a new password for \(name: service).",
                ]
            )
        case .accountDeleted:
            Text(
                subject: "Your account was deleted",
                lines: [
                    "Your \(name: service) account and your data in it have been deleted. We keep only "
                        + "a record that the account was deleted.",
                    "If you didn’t ask for this, reply to this email or contact support.",
                ]
            )
        }
    }

    static let german = MailWords(greeting: "Guten Tag,") { mail, service in
        switch mail {
        case .confirmationCode(let code, let use, let minutes):
            Text(
                subject: "\(exact: code) ist Ihr Code für \(name: service)",
                lines: [
                    use.inGerman(service),
                    "\(exact: code)",
                    "Er gilt \(ours: TimeWords.german.minutes(minutes)) und nur einmal. Geben Sie ihn "
                        + "nicht weiter. Wir fragen nie per Telefon oder E-Mail danach.",
                    "Wenn Sie keinen Code angefordert haben, können Sie diese E-Mail ignorieren.",
                ]
            )
        case .emailChanged:
            Text(
                subject: "Ihre E-Mail-Adresse wurde geändert",
                lines: [
                    "Ihr Konto bei \(name: service) hat jetzt eine andere E-Mail-Adresse. An die "
                        + "bisherige schreiben wir dazu nicht mehr.",
                    "Wenn Sie das waren, müssen Sie nichts tun.",
                    "Wenn nicht, melden Sie sich bei \(name: service) an, tragen Sie Ihre Adresse "
                        + "wieder ein und melden Sie Geräte ab, die Sie nicht kennen. Wenn das nicht "
                        + "geht, antworten Sie auf diese E-Mail oder wenden Sie sich an den Support.",
                ]
            )
        case .newDevice(let device, let time, let provider):
            Text(
                subject: "Neue Anmeldung bei \(name: service)",
                lines: [
                    "Jemand hat sich mit \(name: provider) bei Ihrem Konto angemeldet:",
                    device.isEmpty
                        ? "\(TimeWords.german.moment(of: time))"
                        : "\(name: device), \(TimeWords.german.moment(of: time))",
                    "Wenn Sie das waren, ist alles in Ordnung.",
                    "Wenn nicht, öffnen Sie Ihr Konto, melden Sie das Gerät unter „Geräte“ ab und "
                        + "ändern Sie Ihr Passwort bei \(name: provider).",
                ]
            )
        case .wayAdded(let provider):
            Text(
                subject: "\(name: provider) wurde Ihrem Konto hinzugefügt",
                lines: [
                    "Sie können sich bei \(name: service) jetzt auch mit \(name: provider) anmelden.",
                    "Wenn Sie das nicht waren, öffnen Sie Ihr Konto und entfernen Sie es unter "
                        + "„Anmeldewege“.",
                ]
            )
        case .wayRemoved(let provider):
            Text(
                subject: "\(name: provider) wurde von Ihrem Konto entfernt",
                lines: [
                    "Sie können sich bei \(name: service) nicht mehr mit \(name: provider) anmelden.",
                    "Wenn Sie das nicht waren, öffnen Sie Ihr Konto und sehen Sie unter „Geräte“ nach, "
                        + "was Sie nicht kennen.",
                ]
            )
        case .passwordReset(let address, let minutes):
            Text(
                subject: "Neues Passwort für \(name: service) wählen",
                lines: [
                    "Öffnen Sie diese Adresse in dem Browser, in dem Sie sich anmelden möchten:",
                    "\(exact: address)",
                    "Sie gilt \(ours: TimeWords.german.minutes(minutes)), und nur einmal.",
                    "Wenn Sie das nicht angefordert haben, müssen Sie nichts tun: Ihr Passwort bleibt, "
                        + "wie es ist.",
                ]
            )
        case .passwordChanged:
            Text(
                subject: "Ihr Passwort wurde geändert",
                lines: [
                    "Das Passwort Ihres Kontos bei \(name: service) wurde geändert, und Sie wurden "
                        + "überall abgemeldet.",
                    "Wenn Sie das waren, melden Sie sich mit dem neuen Passwort an.",
                    "Wenn nicht, kann jemand Ihre E-Mails lesen: Ändern Sie zuerst das Passwort Ihres "
                        + "Postfachs, und wählen Sie dann ein neues bei \(name: service).",
                ]
            )
        case .accountDeleted:
            Text(
                subject: "Ihr Konto wurde gelöscht",
                lines: [
                    "Ihr Konto bei \(name: service) und Ihre Daten darin wurden gelöscht. Wir bewahren "
                        + "nur den Vermerk auf, dass das Konto gelöscht wurde.",
                    "Wenn Sie das nicht veranlasst haben, antworten Sie auf diese E-Mail oder wenden "
                        + "Sie sich an den Support.",
                ]
            )
        }
    }
}

/// What a code does, said in front of it.
extension MailText.CodeUse {
    fileprivate func inEnglish(_ service: String) -> Phrase {
        switch self {
        case .confirmAddress(let address):
            "Use this code to confirm \(exact: address) as your email address for \(name: service):"
        case .claimAccount(let provider):
            "Use this code to sign in to your \(name: service) account and add \(name: provider) as "
                + "a sign-in method:"
        case .confirmItsYou:
            "Use this code to confirm that you want to change or delete your \(name: service) account:"
        }
    }

    fileprivate func inGerman(_ service: String) -> Phrase {
        switch self {
        case .confirmAddress(let address):
            "Mit diesem Code bestätigen Sie \(exact: address) als Ihre E-Mail-Adresse bei "
                + "\(name: service):"
        case .claimAccount(let provider):
            "Mit diesem Code melden Sie sich bei Ihrem Konto bei \(name: service) an und fügen "
                + "\(name: provider) als Anmeldeweg hinzu:"
        case .confirmItsYou:
            "Mit diesem Code bestätigen Sie, dass Sie Ihr Konto bei \(name: service) ändern oder "
                + "löschen wollen:"
        }
    }
}
