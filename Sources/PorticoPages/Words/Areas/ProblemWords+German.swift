extension ProblemWords {
    static func german(_ problem: ChooseMethodPage.Problem) -> ProblemWords {
        let way = WayWords.german
        return switch problem {
        case .cancelled:
            .init(
                "Sie haben die Anmeldung abgebrochen",
                "Es wurde nichts geändert. Versuchen Sie es noch einmal oder wählen Sie einen "
                    + "anderen Weg."
            )
        case .tookTooLong:
            .init(
                "Das hat zu lange gedauert",
                "Die Anmeldung wurde vor mehr als 10 Minuten begonnen. Zu Ihrer Sicherheit wurde "
                    + "sie beendet. Beginnen Sie unten neu."
            )
        case .unmatched:
            .init(
                "Wir konnten diese Anmeldung nicht zuordnen",
                "Sie wurde in einem anderen Browser begonnen, oder Ihr Browser hat unser Cookie "
                    + "nicht behalten. Beginnen Sie unten neu und erlauben Sie Cookies für diese "
                    + "Website."
            )
        case .notAnswering(let provider):
            .init(
                "\(way.name(provider)) antwortet nicht",
                "Das liegt am Anbieter oder am Netz, nicht an Ihrem Konto. Versuchen Sie es noch "
                    + "einmal oder wählen Sie einen anderen Weg."
            )
        case .misconfigured(let provider):
            .init(
                "\(way.name(provider)) hat unsere Anfrage nicht angenommen",
                "Die Betreiber dieses Dienstes müssen eine Einstellung berichtigen und wissen "
                    + "Bescheid. Wählen Sie vorerst einen anderen Weg."
            )
        case .organisationDenies:
            .init(
                "Ihre Organisation erlaubt diese App nicht",
                "Fragen Sie Ihre Administration oder verwenden Sie ein anderes Konto."
            )
        case .signUpClosed:
            .init(
                "Neue Konten sind zurzeit nicht möglich",
                "Im Moment können nur Eingeladene dazukommen. Wenn Sie schon ein Konto haben, "
                    + "nehmen Sie den Weg, den Sie schon verwendet haben."
            )
        case .accountBlocked:
            .init(
                "Dieses Konto ist gesperrt",
                "Wenden Sie sich an den Support und nennen Sie die Kennung unten."
            )
        case .emailUnverified:
            .init(
                "Bestätigen Sie bitte zuerst Ihre E-Mail-Adresse",
                "Der andere Dienst hat Ihre E-Mail-Adresse nicht bestätigt. Holen Sie das dort "
                    + "nach oder wählen Sie einen anderen Weg."
            )
        case .linkRequired(let provider):
            .init(
                "Sie haben schon ein Konto",
                provider.map {
                    "Sie melden sich sonst mit \(name: $0.displayName) an. Tun Sie das einmal, dann "
                        + "können Sie den anderen Weg hinzufügen."
                }
                    ?? "Melden Sie sich an wie sonst, dann können Sie den anderen Weg hinzufügen."
            )
        case .signInAgain:
            .init(
                "Melden Sie sich erneut an",
                "Für diesen Schritt müssen wir wissen, dass Sie es wirklich sind."
            )
        case .notReauthenticated(let provider):
            .init(
                "\(way.name(provider)) hat keine neue Anmeldung verlangt",
                "Für diesen Schritt müssen Sie sich neu anmelden. Melden Sie sich bei "
                    + "\(way.name(provider)) ab und versuchen Sie es noch einmal, oder bestätigen "
                    + "Sie es auf einem anderen Weg."
            )
        case .failed(let provider):
            .init(
                provider.map { "Die Anmeldung mit \(name: $0.displayName) ist nicht gelungen" }
                    ?? "Die Anmeldung ist nicht gelungen",
                "Das ist nicht Ihr Fehler, und es wurde nichts geändert. Versuchen Sie es noch "
                    + "einmal oder wählen Sie einen anderen Weg."
            )
        }
    }
}
