import PorticoProtocol

/// The page where a person says who they are, and may change their mind.
struct AccountChooser {
    let request: StandInRequest
    let people: [StandInPerson]
    /// Where the page itself came from: its form goes there.
    let target: String

    var page: StandInPage {
        StandInPage(
            kind: request.kind,
            title: "Choose an account",
            body: """
                <p>to continue to <strong>\(StandInPage.escaped(request.client.clientID))</strong>.
                The answer goes to \(StandInPage.escaped(Self.origin(of: request.redirectURI))).</p>
                <form method="post" action="\(StandInPage.escaped(target))">
                <ul>
                \(shown.map(Self.button).joined(separator: "\n"))
                </ul>
                \(choice)
                <button name="cancel" value="1">Cancel</button>
                </form>
                """
        )
    }

    /// The one that the relying party hints at, where there is one (OpenID Connect Core §3.1.2.1).
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

    private static func button(_ person: StandInPerson) -> String {
        let name = person.name.isEmpty ? "An account without a name" : person.name
        let notes = [
            person.email ?? "no e-mail address",
            person.email != nil && !person.isEmailVerified ? "not verified" : nil,
            person.hidesEmail ? "behind a relay address" : nil,
        ]
        let note = notes.compactMap(\.self).joined(separator: ", ")
        return """
            <li><button name="person" value="\(StandInPage.escaped(person.id))">\
            <bdi>\(StandInPage.escaped(name))</bdi> \
            <span>\(StandInPage.escaped(note))</span></button></li>
            """
    }

    /// What Apple and Facebook let a person keep back.
    private var choice: String {
        guard request.scopes.contains("email") else { return "" }
        return switch request.kind {
        case .apple:
            "<label><input type=\"checkbox\" name=\"hide_email\" value=\"1\"> "
                + "Hide my e-mail address</label>"
        case .facebook:
            "<label><input type=\"checkbox\" name=\"keep_email\" value=\"1\"> "
                + "Do not share my e-mail address</label>"
        case .google, .openID: ""
        }
    }

    private static func origin(of uri: String) -> String {
        HTTPAddress(uri)?.origin ?? uri
    }
}
