import PorticoBytes
import PorticoProvider
import PorticoStores

/// Imports Keycloak's users (Keycloak `UserRepresentation`).
struct PersonImport {
    let registration: PersonRegistration
    let realm: Realm
    let roles: ImportedRoles
    let moment: Moment

    /// Values that two people must not share.
    private struct Taken {
        var ids: Set<String> = []
        var usernames: Set<String> = []
        var emails: Set<String> = []
    }

    func callAsFunction(_ representation: Representation, report: inout ImportReport) async throws
        -> [NewPerson]
    {
        var people: [NewPerson] = []
        var taken = Taken()
        for user in try representation.children("users") {
            guard let username = try user.text("username") else {
                throw RealmImportError.missing(path: user.path(of: "username"))
            }
            let subject = "user \(username)"
            if try user.text("serviceAccountClientId") != nil {
                report.add(.skipped, subject, "a service account: its client speaks for itself")
                continue
            }
            guard let person = try person(user, username, &taken, report: &report) else { continue }
            let password = try await password(of: user, person, report: &report)
            people.append(
                NewPerson(
                    person: person,
                    password: password,
                    roles: try assigned(user, subject, report: &report)
                )
            )
            report.add(.read, subject, password == nil ? "without a password" : "with a password")
            try reportTheRest(of: user, subject, report: &report)
        }
        return people
    }

    private func person(
        _ user: Representation,
        _ username: String,
        _ taken: inout Taken,
        report: inout ImportReport
    ) throws(RealmImportError) -> Person? {
        let subject = "user \(username)"
        var person = Person(
            id: try id(user, subject, report: &report),
            realmID: realm.id,
            username: username,
            createdAt: try createdAt(user)
        )
        person.email = try user.text("email")
        person.isEmailVerified = try user.bool("emailVerified") ?? false
        person.givenName = try user.text("firstName")
        person.familyName = try user.text("lastName")
        // In Keycloak, a user without the member is disabled.
        person.isEnabled = try user.bool("enabled") ?? false
        person.notBefore = max(0, try user.integer("notBefore") ?? 0)
        person.attributes = try Self.attributes(of: user)
        do {
            person = try registration.checked(person)
        } catch {
            report.add(.skipped, subject, "\(error.field): \(error.rule)")
            return nil
        }
        guard taken.usernames.insert(person.username).inserted,
            taken.ids.insert(person.id).inserted
        else {
            report.add(.skipped, subject, "the file has this user name or id twice")
            return nil
        }
        if let email = person.email, !taken.emails.insert(email).inserted {
            person.email = nil
            person.isEmailVerified = false
            report.add(.changed, subject, "another person has the email address: left out")
        }
        if !person.isEnabled { report.add(.read, subject, "disabled") }
        return person
    }

    /// `sub` is in every token and database row of the apps, so it is kept if possible.
    private func id(_ user: Representation, _ subject: String, report: inout ImportReport)
        throws(RealmImportError) -> String
    {
        let id = try user.text("id")
        if let id, PersonRegistration.isSubject(id) { return id }
        if id != nil { report.add(.changed, subject, "gets a new id: the file's is not allowed") }
        return UniqueID(random: moment.random).text
    }

    /// Milliseconds in Keycloak, seconds in Portico; a future or missing time becomes now.
    private func createdAt(_ user: Representation) throws(RealmImportError) -> Int64 {
        guard let milliseconds = try user.integer("createdTimestamp"), milliseconds > 0 else {
            return moment.seconds
        }
        return min(milliseconds / 1000, moment.seconds)
    }

    /// Keycloak's default mappers give some attributes another name in tokens; in Portico the
    /// attribute has the claim's name.
    private static let renamed = [
        "middleName": "middle_name", "phoneNumber": "phone_number",
        "phoneNumberVerified": "phone_number_verified",
    ]

    private static func attributes(of user: Representation) throws(RealmImportError)
        -> [String: [String]]
    {
        var attributes: [String: [String]] = [:]
        for (name, values) in try user.lists("attributes") {
            attributes[name] = values
            if let claim = renamed[name], attributes[claim] == nil { attributes[claim] = values }
        }
        return attributes
    }

    /// A plain password is hashed; one that is already hashed is not supported yet.
    private func password(of user: Representation, _ person: Person, report: inout ImportReport)
        async throws -> PasswordHash?
    {
        let subject = "user \(person.username)"
        var hash: PasswordHash?
        for credential in try user.children("credentials") {
            let type = try credential.text("type") ?? "password"
            guard type == "password" else {
                report.add(
                    .skipped,
                    subject,
                    "a credential other than a password: not imported yet"
                )
                continue
            }
            guard let value = try credential.text("value") else {
                report.add(.skipped, subject, "a hashed password: not imported yet, set a new one")
                continue
            }
            guard hash == nil else { continue }
            do {
                let (made, broken) = try await registration.hashInUse(
                    SecretText(value),
                    for: person,
                    realmName: realm.name,
                    random: moment.random
                )
                hash = made
                if let broken { report.add(.read, subject, "\(broken.description)") }
            } catch let refusal as PasswordPolicy.Refusal {
                report.add(.skipped, subject, "\(refusal.description)")
            }
            if try credential.bool("temporary") == true {
                report.add(.changed, subject, "the password is temporary there, lasting here")
            }
        }
        return hash
    }

    private func assigned(_ user: Representation, _ subject: String, report: inout ImportReport)
        throws(RealmImportError) -> [RoleName]
    {
        var names = (try user.strings("realmRoles") ?? []).map {
            RoleName(clientID: nil, name: $0)
        }
        for (clientID, roles) in try user.lists("clientRoles") {
            names += roles.map { RoleName(clientID: clientID, name: $0) }
        }
        for name in names where !roles.contains(name) {
            if let clientID = name.clientID, ClientImport.isBuiltIn(clientID, in: realm.name) {
                continue
            }
            let shown = PlainText.shown(name.name)
            report.add(.skipped, subject, "role \(shown): it is not imported")
        }
        return roles.expanded(names)
    }

    private func reportTheRest(
        of user: Representation,
        _ subject: String,
        report: inout ImportReport
    ) throws(RealmImportError) {
        if try user.strings("groups")?.isEmpty == false {
            report.add(.skipped, subject, "groups are not imported yet, nor the roles they give")
        }
        if try user.strings("requiredActions")?.isEmpty == false {
            report.add(.skipped, subject, "required actions are not imported yet")
        }
        if try !user.children("federatedIdentities").isEmpty {
            report.add(.skipped, subject, "sign-in by way of other providers is not imported yet")
        }
    }
}
