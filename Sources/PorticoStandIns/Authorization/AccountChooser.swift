import PorticoBytes
import PorticoProtocol

/// The page where a person chooses who they are, or cancels.
struct AccountChooser {
    let request: StandInRequest
    let people: [StandInPerson]
    /// The page's own address: its form is sent to it.
    let target: String

    var page: StandInPage {
        StandInPage(
            kind: request.kind,
            title: "Choose an account",
            body: HTML([
                .element(
                    .p,
                    .text("to continue to "),
                    .element(.strong, .text(request.client.clientID)),
                    .text(".\nThe answer goes to \(Self.origin(of: request.redirectURI)).")
                ),
                .element(
                    .form,
                    to: StandInAddress(href: target),
                    [.method: "post"],
                    .element(.ul, HTML(shown.map(Self.button))),
                    choice,
                    .element(.button, [.name: "cancel", .value: "1"], .text("Cancel"))
                ),
            ])
        )
    }

    /// The person that the relying party hints at, if any (OpenID Connect Core §3.1.2.1).
    private var shown: [StandInPerson] {
        guard let hint = request.loginHint, !request.prompts.contains("select_account") else {
            return people
        }
        let hinted = people.filter { person in
            person.email == hint
                || StandInGrant.subject(of: person, for: request.client, at: request.kind) == hint
        }
        return hinted.isEmpty ? people : hinted
    }

    private static func button(_ person: StandInPerson) -> HTML {
        let name = person.name.isEmpty ? "An account without a name" : person.name
        let notes = [
            person.email ?? "no e-mail address",
            person.email != nil && !person.isEmailVerified ? "not verified" : nil,
            person.hidesEmail ? "behind a relay address" : nil,
        ]
        let note = notes.compactMap(\.self).joined(separator: ", ")
        return .element(
            .li,
            .element(
                .button,
                [.name: "person", .value: person.id],
                .element(.bdi, .text(name)),
                .text(" "),
                .element(.span, .text(note))
            )
        )
    }

    /// The data that Apple and Facebook let a person withhold.
    private var choice: HTML? {
        guard request.scopes.contains("email") else { return nil }
        let (name, label): (String, String)
        switch request.kind {
        case .apple: (name, label) = ("hide_email", "Hide my e-mail address")
        case .facebook: (name, label) = ("keep_email", "Do not share my e-mail address")
        case .google, .openID: return nil
        }
        return .element(
            .label,
            .element(.input, [.type: "checkbox", .name: name, .value: "1"]),
            .text(" " + label)
        )
    }

    private static func origin(of uri: String) -> String {
        HTTPAddress(uri)?.origin ?? uri
    }
}
