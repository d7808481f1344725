import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// What a person typed into the page for a new account, and what is wrong with it.
struct TypedRegistration: Sendable {
    let entries: RegistrationPage.Entries
    let person: Person
    let password: SecretText
    let problems: [RegistrationPage.Problem]

    init(_ form: FormParameters, id: UniqueID, asksForEmail: Bool, _ context: RealmContext) {
        func typed(_ name: String) -> String {
            (form[name] ?? "").trimmingBlanks(upTo: 255)
        }
        let realm = context.realm.realm
        var entries = RegistrationPage.Entries()
        entries.givenName = typed("given_name")
        entries.familyName = typed("family_name")
        if asksForEmail { entries.email = typed("email") }
        if realm.registration == .username { entries.userName = typed("username") }
        var problems: [RegistrationPage.Problem] = []
        // Many people have one name only.
        if entries.givenName.isEmpty, entries.familyName.isEmpty {
            problems.append(.givenNameMissing)
        }
        if !PlainText.isLine(entries.givenName, length: 200) { problems.append(.givenNameWrong) }
        if !PlainText.isLine(entries.familyName, length: 200) { problems.append(.familyNameWrong) }
        let email = EmailAddress.folded(entries.email)
        if asksForEmail, email == nil {
            problems.append(entries.email.isEmpty ? .emailMissing : .emailWrong)
        }
        let username: String
        switch realm.registration {
        case .email:
            username = LoginName.folded(email ?? "")
            if email != nil, !LoginName.isName(username) { problems.append(.emailWrong) }
        case .username, nil:
            username = LoginName.folded(entries.userName)
            // A name that is another person's address would be found in that person's place.
            if !LoginName.isName(username) || username.utf8.contains(UInt8(ascii: "@")) {
                problems.append(entries.userName.isEmpty ? .userNameMissing : .userNameWrong)
            } else if username.utf8.starts(with: "service-account-".utf8) {
                // What the accounts of clients are called: APIs may know them by it.
                problems.append(.userNameTaken)
            }
        }
        var person = Person(
            id: id.text,
            realmID: realm.id,
            username: username,
            createdAt: context.now
        )
        person.email = email
        person.givenName = entries.givenName.isEmpty ? nil : entries.givenName
        person.familyName = entries.familyName.isEmpty ? nil : entries.familyName
        let password = form["password"] ?? ""
        if password.isEmpty {
            problems.append(.password(.missing))
        } else {
            do throws(PasswordPolicy.Refusal) {
                _ = try PasswordPolicy().check(password, for: person, in: realm.name)
            } catch {
                problems.append(.password(.init(error)))
            }
        }
        self.entries = entries
        self.person = person
        self.password = SecretText(password)
        self.problems = problems
    }
}
