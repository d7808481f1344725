import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Imports Keycloak's users (Keycloak `UserRepresentation`).
struct PersonImport {
    let registration: PersonRegistration
    let realm: Realm
    let roles: ImportedRoles
    let groups: ImportedGroups
    var administering: AdministeringPeople
    /// The ids of the clients, by `client_id`.
    let clients: [ExactText: String]
    let seal: CredentialSeal
    let moment: Moment
    /// Whether the realm is here already: who administers it is then known from everyone in it.
    let isOverRealm: Bool

    var taken = Taken()

    /// Values that two people must not share.
    struct Taken {
        var ids = SeenTexts()
        var usernames = SeenTexts()
        var emails = SeenTexts()
        var dids = SeenTexts()
        var accounts = SeenTexts()
        var clients = SeenTexts()
        var credentials = ImportedIDs()
    }

    /// The next person of the file; `nil`: left out.
    mutating func callAsFunction(_ user: Representation, report: inout ImportReport) async throws
        -> NewPerson?
    {
        guard let username = try user.text("username") else {
            throw RealmImportError.missing(path: user.path(of: "username"))
        }
        let subject = "user \(username)"
        guard var new = try person(user, username, report: &report) else { return nil }
        if let clientID = try user.text("serviceAccountClientId") {
            guard let client = clients[ExactText(clientID)] else {
                report.add(.skipped, subject, "the account of a client that is not imported")
                return nil
            }
            guard taken.clients.insert(client) else {
                try expectNewRealm(user)
                report.add(.skipped, subject, "the second account of one client")
                return nil
            }
            new.person.serviceClientID = client
        }
        new.roles = roles.known(new.roles, subject, report: &report)
        new.groupIDs = try groupIDs(of: user, subject, report: &report)
        for identity in try identities(of: user, subject, report: &report) {
            // An alias is bounded by nothing, so its length stands before it.
            let key = "\(identity.provider.utf8.count) \(identity.provider) \(identity.subject)"
            if taken.accounts.insert(key) {
                new.identities.append(identity)
            } else {
                report.add(.skipped, subject, "an account at a provider that another person has")
            }
        }
        new.consents = try consents(of: user, subject, report: &report)
        try await CredentialImport(
            registration: registration,
            realm: realm,
            seal: seal,
            moment: moment
        ).add(user, to: &new, ids: &taken.credentials, report: &report)
        Self.reportActions(of: &new, report: &report)
        RepresentationMembers.person.add(user.object, subject, to: &report)
        if !isOverRealm { administering.add(new, at: moment.seconds, to: &report) }
        let words = new.password == nil ? "without a password" : "with a password"
        report.add(.read, subject, words)
        return new
    }

    /// The accounts of clients that act for themselves, and that no one in the file is: Keycloak makes
    /// them when it reads a file, and tokens without one have no `sub`.
    ///
    /// - Parameter new: Of the file.
    /// - Returns: As a file would have them.
    func missingAccounts(of new: NewRealm) throws(RealmImportError) -> [Representation] {
        let clients = new.clients.filter {
            $0.grantTypes.contains(.clientCredentials) && !taken.clients.contains($0.id)
        }
        guard !clients.isEmpty else { return [] }
        let graph = RoleGraph(parts: new.roleParts, groups: new.groups)
        let known = new.realm.defaultRoles.filter(roles.contains)
        var accounts: [Representation] = []
        for client in clients {
            let account: JSONObject = [
                "username": .string("service-account-\(client.clientID)"), "enabled": true,
                "serviceAccountClientId": .string(client.clientID),
                "realmRoles": .texts(known.ofRealm), "clientRoles": .object(known.byClient),
                "groups": .texts(new.realm.defaultGroupIDs.map(graph.path)),
            ]
            accounts.append(
                try Representation(.object(account), path: "account of \(client.clientID)")
            )
        }
        return accounts
    }

    private static func reportActions(of new: inout NewPerson, report: inout ImportReport) {
        let asked = [
            RequiredAction.updatePassword, RequiredAction.verifyEmail,
            RequiredAction.configureTOTP,
        ]
        let others = new.person.requiredActions.filter { !asked.contains($0) }
        guard !others.isEmpty else { return }
        report.add(
            .changed,
            "user \(new.person.username)",
            others.joined(separator: ", "),
            "required actions that nothing asks for"
        )
    }

    private mutating func person(
        _ user: Representation,
        _ username: String,
        report: inout ImportReport
    ) throws(RealmImportError) -> NewPerson? {
        let subject = "user \(username)"
        let blank = Person(
            id: try id(user, username, report: &report),
            realmID: realm.id,
            username: username,
            createdAt: try createdAt(user)
        )
        var said = UserRepresentation(NewPerson(person: blank, password: nil))
        try UserRepresentation.members.read(user, of: subject, to: &said, report: &report)
        var person = said.new.person
        var left: [(PersonRegistration.Refusal, String?)] = []
        do {
            person = try registration.imported(person) { left.append(($0, $1)) }
        } catch {
            report.add(.skipped, subject, "\(error.field): \(error.rule)")
            return nil
        }
        for (field, attribute) in left {
            report.add(.changed, subject, attribute ?? "\(field.field)", Self.words(for: field))
        }
        if left.contains(where: { $0.0 == .username }) { person.username = free(person) }
        guard taken.ids.insert(ImportedIDs.key(person.id)) else {
            try expectNewRealm(user)
            report.add(.skipped, subject, "the file has this user name or id twice")
            return nil
        }
        guard takeNames(of: &person, subject, report: &report) else {
            try expectNewRealm(user)
            return nil
        }
        if !person.isEnabled { report.add(.read, subject, "disabled") }
        said.new.person = person
        return said.new
    }

    /// Of one who is here no one can tell which of two is meant: nothing is written.
    private func expectNewRealm(_ user: Representation) throws(RealmImportError) {
        if isOverRealm { throw .repeatedPerson(path: user.path) }
    }

    /// What is said of a value that is left out.
    private static func words(for field: PersonRegistration.Refusal) -> String {
        switch field {
        case .id, .username:
            "cannot be one here: the email address takes its place, or else the id"
        case .email: "left out: an address here is ASCII of the form name@host"
        case .givenName, .familyName: "left out: a name is one line of at most 255 characters"
        case .attributes:
            "left out: a person has at most 1,000 attributes of 1,000 values, 256 KiB together"
        }
    }

    /// A user name for who has none that can be kept: no one else's.
    private func free(_ person: Person) -> String {
        taken.usernames.contains(person.username)
            ? LoginName.folded(person.id) : person.username
    }

    /// - Returns: Whether the user name is free. An address or a DID that is not is left out.
    private mutating func takeNames(
        of person: inout Person,
        _ subject: String,
        report: inout ImportReport
    ) -> Bool {
        guard taken.usernames.insert(person.username) else {
            report.add(.skipped, subject, "the file has this user name or id twice")
            return false
        }
        if let email = person.email, person.holdsEmail, !taken.emails.insert(email) {
            person.email = nil
            report.add(.changed, subject, "another person has the email address: left out")
        }
        if let did = person.did, !taken.dids.insert(did) {
            person.attributes[Person.didAttribute] = nil
            report.add(.changed, subject, "another person has the DID: left out")
        }
        return true
    }

    /// `sub` is in every token and database row of the apps, so it is kept if possible.
    private func id(_ user: Representation, _ username: String, report: inout ImportReport)
        throws(RealmImportError) -> String
    {
        let subject = "user \(username)"
        let said = try user.text("id")
        let id = KnownPeople.id(said, username: username, realmID: realm.id)
        if let said, !sameBytes(said, id) {
            report.add(.changed, subject, "gets a new id: the file's is not allowed")
        }
        return id
    }

    /// Milliseconds in Keycloak, seconds in Portico; a future or missing time becomes now.
    private func createdAt(_ user: Representation) throws(RealmImportError) -> Int64 {
        guard let milliseconds = try user.integer("createdTimestamp"), milliseconds > 0 else {
            return moment.seconds
        }
        return min(milliseconds / 1000, moment.seconds)
    }

    private func groupIDs(of user: Representation, _ subject: String, report: inout ImportReport)
        throws(RealmImportError) -> [String]
    {
        var ids: [String] = []
        for path in try user.strings("groups") ?? [] {
            if let id = groups.id(path) {
                ids.append(id)
            } else {
                report.add(
                    .skipped,
                    subject,
                    "group \(path)",
                    groups.isAmbiguous(path)
                        ? "two groups have that path: make them members of the right one"
                        : "it is not imported"
                )
            }
        }
        return ids
    }

    private func identities(of user: Representation, _ subject: String, report: inout ImportReport)
        throws(RealmImportError) -> [NewPerson.Identity]
    {
        var identities: [NewPerson.Identity] = []
        var providers: Set<ExactText> = []
        for link in try user.children("federatedIdentities") {
            var identity = NewPerson.Identity(provider: "", subject: "", username: nil)
            try NewPerson.Identity.members.read(link, of: subject, to: &identity, report: &report)
            guard !identity.provider.isEmpty, !identity.subject.isEmpty,
                providers.insert(ExactText(identity.provider)).inserted
            else {
                report.add(.skipped, subject, "an account at a provider that it does not name once")
                continue
            }
            identities.append(identity)
        }
        if !identities.isEmpty {
            report.keep(
                subject,
                "its accounts at identity providers are kept: it can sign in with them where the "
                    + "provider can be used"
            )
        }
        return identities
    }

    private func consents(of user: Representation, _ subject: String, report: inout ImportReport)
        throws(RealmImportError) -> [NewPerson.Consent]
    {
        var consents: [NewPerson.Consent] = []
        for consent in try user.children("clientConsents") {
            var said = ConsentRepresentation()
            try ConsentRepresentation.members.read(consent, of: subject, to: &said, report: &report)
            guard let client = clients[ExactText(said.clientID)] else {
                report.add(.skipped, subject, "a consent for a client that is not imported")
                continue
            }
            // A name with a space would be consent to two scopes.
            let scope = Scope(
                tokens: said.scopes.filter { !$0.utf8.contains(UInt8(ascii: " ")) }
            )
            let seconds = said.updatedAt > 0 ? said.updatedAt : said.createdAt
            let time = min(seconds, moment.seconds)
            consents.append(NewPerson.Consent(clientID: client, scope: scope, at: time))
        }
        return consents
    }
}
