extension Words {
    /// What an issue is called, what it means and what to do: a table.
    static func germanError(_ issue: ErrorPage.Issue) -> ErrorWords {
        switch issue {
        case .requestNotUnderstood:
            ErrorWords(
                heading: "Wir verstehen die Anfrage der App nicht",
                sentence: "Das ist ein Fehler der App, nicht Ihrer.",
                next: "Gehen Sie zurück zur App. Wenn es wieder geschieht, geben Sie dem Anbieter "
                    + "der App Bescheid."
            )
        case .unknownClient:
            ErrorWords(
                heading: "Wir kennen diese App nicht",
                sentence:
                    "Sie ist hier nicht für die Anmeldung eingerichtet. Das ist ein Fehler der "
                    + "App, nicht Ihrer.",
                next: "Geben Sie dem Anbieter der App Bescheid."
            )
        case .unknownRedirect:
            ErrorWords(
                heading: "Wir können Sie nicht zu dieser App zurückschicken",
                sentence: "Sie hat uns eine Adresse genannt, die nicht für sie eingetragen ist. Zu "
                    + "Ihrer Sicherheit geht es hier nicht weiter.",
                next: "Gehen Sie zurück zur App. Wenn es wieder geschieht, geben Sie dem Anbieter "
                    + "der App Bescheid."
            )
        case .accountBlocked:
            ErrorWords(
                heading: "Dieses Konto ist gesperrt",
                sentence: "Damit ist zurzeit keine Anmeldung möglich.",
                next: "Wenden Sie sich an den Support und nennen Sie die Kennung unten."
            )
        case .notAllowed:
            ErrorWords(
                heading: "Diese Seite lässt sich so nicht öffnen",
                sentence: "Sie wurde von einer anderen Website aus geöffnet oder ist nicht für das "
                    + "Konto, das Sie gerade verwenden.",
                next: "Gehen Sie zurück zur App und beginnen Sie dort."
            )
        case .providerMisconfigured(let provider):
            ErrorWords(
                heading: "\(name: provider) hat unsere Anfrage nicht angenommen",
                sentence: "Die Betreiber dieses Dienstes müssen eine Einstellung berichtigen.",
                next: "Melden Sie sich auf anderem Weg an."
            )
        case .busy:
            ErrorWords(
                heading: "Gerade ist zu viel los",
                sentence: "Wir sind nicht rechtzeitig zu Ihrer Anfrage gekommen. Es wurde nichts "
                    + "geändert.",
                next: "Versuchen Sie es gleich noch einmal."
            )
        case .serverError:
            ErrorWords(
                heading: "Bei uns ist etwas schiefgegangen",
                sentence: "Das ist nicht Ihr Fehler, und es wurde nichts geändert.",
                next:
                    "Versuchen Sie es gleich noch einmal. Wenn es wieder geschieht, wenden Sie sich "
                    + "an den Support und nennen Sie die Kennung unten."
            )
        case .tooLarge:
            ErrorWords(
                heading: "Das war zu viel auf einmal",
                sentence: "Die Seite oder die App hat mehr gesendet, als wir annehmen.",
                next: "Gehen Sie zurück und versuchen Sie es mit weniger Text."
            )
        case .tooManyTries(let seconds):
            ErrorWords(
                heading: "Zu viele Versuche",
                sentence: "Zum Schutz der Konten gibt es eine Grenze.",
                next: """
                    Warten Sie \(ours: germanSpan(seconds: seconds)) und versuchen Sie es dann noch \
                    einmal.
                    """
            )
        case .notFound:
            ErrorWords(
                heading: "Hier ist keine Seite",
                sentence:
                    "Vielleicht ist die Adresse falsch geschrieben, oder die Seite ist umgezogen.",
                next: "Gehen Sie zurück zur App und beginnen Sie dort."
            )
        case .methodNotAllowed:
            ErrorWords(
                heading: "Diese Adresse ist nicht zum direkten Öffnen",
                sentence: "Sie gehört zu einem Formular oder zu einer App.",
                next: "Gehen Sie zurück zur App und beginnen Sie dort."
            )
        }
    }
}
