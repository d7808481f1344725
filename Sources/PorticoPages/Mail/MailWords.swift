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
        case .confirmationCode(let code, let minutes):
            Text(
                subject: "\(exact: code) is your code for \(name: service)",
                lines: [
                    "Enter this code on the page that asks for it:",
                    "\(exact: code)",
                    "It works for \(ours: Words.englishSpan(minutes: minutes)), once. We never ask for "
                        + "it by phone or e-mail.",
                    "If you didn’t ask for a code, you needn’t do anything.",
                ]
            )
        case .newDevice(let device, let time, let provider):
            Text(
                subject: "New sign-in to \(name: service)",
                lines: [
                    "Somebody signed in to your account with \(name: provider):",
                    device.isEmpty
                        ? "\(TimeWords.english.moment(of: time))"
                        : "\(name: device), \(TimeWords.english.moment(of: time))",
                    "If that was you, all is well.",
                    "If it wasn’t, open your account, sign out that device under Devices, and change "
                        + "your password at \(name: provider).",
                ]
            )
        case .wayAdded(let provider):
            Text(
                subject: "\(name: provider) was added to your account",
                lines: [
                    "You can now sign in to \(name: service) with \(name: provider) as well.",
                    "If you didn’t do that, open your account and remove it under Ways to sign in.",
                ]
            )
        case .wayRemoved(let provider):
            Text(
                subject: "\(name: provider) was removed from your account",
                lines: [
                    "You can no longer sign in to \(name: service) with \(name: provider).",
                    "If you didn’t do that, open your account and look under Devices for what you "
                        + "don’t know.",
                ]
            )
        case .passwordReset(let address, let minutes):
            Text(
                subject: "Choose a new password for \(name: service)",
                lines: [
                    "Open this address in the browser that you want to sign in with:",
                    "\(exact: address)",
                    "It works for \(ours: Words.englishSpan(minutes: minutes)), once.",
                    "If you didn’t ask for it, you needn’t do anything: your password stays as it is.",
                ]
            )
        case .passwordChanged:
            Text(
                subject: "Your password was changed",
                lines: [
                    "The password of your account at \(name: service) was changed, and you were "
                        + "signed out everywhere.",
                    "If that was you, sign in with the new password.",
                    "If it wasn’t, somebody can read your e-mail: change the password of your "
                        + "mailbox first, then choose a new one at \(name: service).",
                ]
            )
        case .accountDeleted:
            Text(
                subject: "Your account was deleted",
                lines: [
                    "Your account at \(name: service) and what was kept about you has been deleted.",
                    "If you didn’t do that, answer to this mail or ask for help.",
                ]
            )
        }
    }

    static let german = MailWords(greeting: "Guten Tag,") { mail, service in
        switch mail {
        case .confirmationCode(let code, let minutes):
            Text(
                subject: "\(exact: code) ist Ihr Code für \(name: service)",
                lines: [
                    "Geben Sie diesen Code auf der Seite ein, die danach fragt:",
                    "\(exact: code)",
                    "Er gilt \(ours: TimeWords.german.minutes(minutes)), und nur einmal. Wir fragen nie "
                        + "per Telefon oder E-Mail danach.",
                    "Wenn Sie keinen Code angefordert haben, müssen Sie nichts tun.",
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
                    "Ihr Konto bei \(name: service) und was darin über Sie gespeichert war, ist "
                        + "gelöscht.",
                    "Wenn Sie das nicht waren, antworten Sie auf diese E-Mail oder bitten Sie um Hilfe.",
                ]
            )
        }
    }
}
