extension Words {
    static let german = Words(
        common: CommonWords(
            errorPrefix: "Fehler: ",
            withoutHTTPS: "Dieser Server läuft ohne https und nur auf diesem Gerät.",
            aboutThisPage: "Über diese Seite",
            reference: "Kennung",
            help: "Hilfe",
            proceed: "Weiter",
            cancel: "Abbrechen",
            tryAgain: "Erneut versuchen",
            startAgain: "Neu beginnen",
            useAnotherAccount: "Anderes Konto verwenden",
            backTo: { "Zurück zu \(name: $0)" },
            backToApp: "Zurück zur App"
        ),
        start: StartWords(
            heading: "Melden Sie sich aus einer App an",
            comeFromApp:
                "Hierher kommt man aus einer App, um sich anzumelden, und kehrt dann zu ihr zurück.",
            nothingToDo: "Auf dieser Seite selbst gibt es nichts zu tun."
        ),
        signIn: SignInWords(
            heading: { "Bei \(name: $0) anmelden" },
            intro: { "Verwenden Sie Ihr Konto bei \(name: $0)." },
            again: "Melden Sie sich erneut an",
            whyAgain: "Für diesen Schritt müssen wir wissen, dass Sie es wirklich sind.",
            endsAnother:
                "Wenn Sie sich mit einem anderen Konto anmelden, wird das zuletzt in diesem "
                + "Browser verwendete Konto abgemeldet, auch in seinen Apps.",
            userName: "Benutzername oder E-Mail-Adresse",
            password: "Passwort",
            signIn: "Anmelden",
            forgot: "Passwort vergessen?",
            problem: "Da stimmt etwas nicht",
            wrongPair: "Benutzername und Passwort passen nicht zusammen. Prüfen Sie beides und "
                + "versuchen Sie es noch einmal.",
            wrongPassword: "Das ist nicht das Passwort dieses Kontos. Versuchen Sie es noch "
                + "einmal.",
            enterUserName: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein",
            enterPassword: "Geben Sie Ihr Passwort ein",
            tooManyTries: "Zu viele Versuche",
            wait: {
                "Warten Sie \(ours: germanSpan(seconds: $0)) und versuchen Sie es dann noch einmal."
            },
            busy: "Gerade melden sich viele Menschen an",
            busyAdvice: "Versuchen Sie es gleich noch einmal."
        ),
        consent: ConsentWords(
            heading: { "Darf \(name: $0) Ihr Konto verwenden?" },
            appOnThisDevice: "Eine App auf diesem Gerät",
            appAdvice: "Wir können nicht prüfen, von wem sie stammt. Fahren Sie nur fort, wenn Sie "
                + "dies in einer App begonnen haben, der Sie vertrauen.",
            site: { "Eine Website unter \(name: $0)" },
            siteAdvice: "Wir wissen nicht, wer sie betreibt. Fahren Sie nur fort, wenn Sie ihr "
                + "vertrauen.",
            grants: { "\(name: $0) kann dann" },
            grant: { germanGrant(of: $0) },
            account: "Ihr Konto",
            allow: "Erlauben",
            deny: "Nicht erlauben"
        ),
        account: AccountWords(
            heading: "Sie sind schon angemeldet",
            choose: { "Welches Konto möchten Sie mit \(name: $0) verwenden?" },
            otherExpected: { "\(name: $0) erwartet ein anderes Konto als dieses." },
            continueAs: { "Weiter als \(name: $0)" }
        ),
        signOut: SignOutWords(
            heading: { "Von \(name: $0) abmelden?" },
            asked: { "\(name: $0) möchte Sie in diesem Browser abmelden." },
            askedElsewhere: {
                "\(name: $0) möchte Sie in einem anderen Browser oder auf einem anderen Gerät abmelden."
            },
            intro: "Damit melden Sie sich in diesem Browser ab.",
            still: "Sie sind weiter angemeldet. Sie können sich hier abmelden.",
            signOut: "Abmelden",
            stay: "Angemeldet bleiben"
        ),
        signedOut: SignedOutWords(
            heading: "Sie sind abgemeldet",
            done: { "Sie sind in diesem Browser nicht mehr bei \(name: $0) angemeldet." },
            stillOpen:
                "In Apps, die Sie vorher geöffnet haben, sind Sie vielleicht noch angemeldet. "
                + "Melden Sie sich dort einzeln ab.",
            nobodyWas: "Sie waren nicht angemeldet",
            stayed: "Sie sind weiter angemeldet",
            nothingChanged: "Es wurde nichts geändert. Sie können diese Seite schließen."
        ),
        expired: ExpiredWords(
            tookTooLong: "Das hat zu lange gedauert",
            closed: {
                """
                Die Anmeldung wurde vor mehr als \(ours: germanSpanAgo(minutes: $0)) begonnen. Zu \
                Ihrer Sicherheit wurde sie beendet.
                """
            },
            unmatched: "Wir konnten diese Anmeldung nicht zuordnen",
            otherBrowser: "Sie wurde in einem anderen Browser begonnen, oder Ihr Browser hat unser "
                + "Cookie nicht behalten.",
            answered: "Diese Anmeldung ist schon abgeschlossen",
            worksOnce: "Jede Anmeldung gilt nur einmal. Wenn die App Sie nicht angemeldet hat, "
                + "beginnen Sie neu.",
            returnToApp: "Gehen Sie zurück zur App und melden Sie sich von dort aus an."
        ),
        cookies: CookiesWords(
            heading: "Cookies sind blockiert",
            why:
                "Für eine sichere Anmeldung brauchen wir ein Cookie dieser Website, und Ihr Browser "
                + "hat es nicht gesendet.",
            advice:
                "Erlauben Sie Cookies für diese Website in den Einstellungen Ihres Browsers und "
                + "versuchen Sie es dann noch einmal."
        ),
        formPost: FormPostWords(
            heading: { "Zurück zu \(name: $0)" },
            advice: "Wenn nichts geschieht, wählen Sie „Weiter“."
        ),
        details: DetailsWords(
            title: "Technische Einzelheiten",
            code: "Code",
            reason: "Grund",
            client: "Client",
            time: "Zeit",
            reference: "Kennung"
        ),
        problem: { .german($0) },
        choose: .german,
        way: .german,
        time: .german,
        code: .german,
        welcome: .german,
        linking: .german,
        leaving: .german,
        trouble: .german,
        reset: .german,
        area: .german,
        lists: .german,
        removal: .german,
        demo: .german,
        error: { germanError($0) }
    )

    static func germanSpan(seconds: Int) -> String {
        switch Wait(seconds: seconds) {
        case .seconds(1): "1 Sekunde"
        case .seconds(let seconds): "\(seconds) Sekunden"
        case .minutes(1): "1 Minute"
        case .minutes(let minutes): "\(minutes) Minuten"
        }
    }

    private static func germanSpanAgo(minutes: Int) -> String {
        minutes == 1 ? "1 Minute" : "\(minutes) Minuten"
    }

    private static func germanGrant(of scope: String) -> Phrase {
        switch scope {
        case "openid": "erkennen, dass Sie es sind, wenn Sie sich anmelden"
        case "profile": "Ihren Namen und den Rest Ihres Profils sehen"
        case "email": "Ihre E-Mail-Adresse sehen"
        case "address": "Ihre Postanschrift sehen"
        case "phone": "Ihre Telefonnummer sehen"
        case "roles": "sehen, welche Rollen Sie haben"
        case "groups": "sehen, zu welchen Gruppen Sie gehören"
        case "offline_access": "diesen Zugriff behalten, auch wenn Sie die App nicht verwenden"
        default: "die Berechtigung \(name: scope) verwenden"
        }
    }
}
