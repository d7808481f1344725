import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
package import PorticoStores
import PorticoWeb

/// A person as a request of the administration describes them (Keycloak `UserRepresentation`).
struct PersonFields: Sendable {
    private let representation: Representation
    private let call: AdminCall
    private let administration: RealmAdministration

    init(_ representation: Representation, _ call: AdminCall, _ administration: RealmAdministration)
    {
        self.representation = representation
        self.call = call
        self.administration = administration
    }

    /// A new person, with the realm's default roles and groups. `realmRoles` are not read, as there.
    func new() async throws -> NewPerson {
        let email = try representation.text("email")
        let namesByEmail = call.realm.realm.kept.object.bool("registrationEmailAsUsername") ?? false
        guard let username = try representation.text("username") ?? (namesByEmail ? email : nil)
        else { throw AdminRefusal.invalid("User name is missing") }
        var person = Person(
            id: UniqueID(random: call.moment.random).text,
            realmID: call.realmID,
            username: username,
            createdAt: call.moment.seconds
        )
        person.isEnabled = false
        person = try changed(person, isNew: true)
        try await expectUnambiguous(person, former: nil)
        var new = try await administration.newPerson(
            person,
            gets: call.realm.newPersonDefaults
        )
        if let password = try await password(of: person) {
            new.password = password.hash
            new.person.requiredActions = password.actions(person.requiredActions)
        }
        var groupIDs = new.groupIDs
        let named = try ids(ofGroups: try representation.strings("groups") ?? [])
        groupIDs += named.filter { !groupIDs.contains($0) }
        try call.expect(
            call.rights.mayGive(new.roles) && groupIDs.allSatisfy(call.rights.mayJoin)
        )
        new.groupIDs = groupIDs
        for link in try representation.children("federatedIdentities") {
            new.identities.append(try FederatedIdentity(link, provider: nil))
        }
        return new
    }

    /// The person with what is given; what is absent stays.
    func changed(_ former: Person, isNew: Bool = false) throws -> Person {
        // Those that were issued are the server's to say, as there.
        guard try representation.children("verifiableCredentials").isEmpty else {
            throw AdminRefusal.invalid("Verifiable credentials are not issued here.")
        }
        var person = former
        if let username = try representation.text("username") { person.username = username }
        if let email = try representation.string("email") { person.email = email }
        if let name = try representation.string("firstName") { person.givenName = name }
        if let name = try representation.string("lastName") { person.familyName = name }
        if let bool = try representation.bool("emailVerified") { person.isEmailVerified = bool }
        if let bool = try representation.bool("enabled") { person.isEnabled = bool }
        if representation.object["attributes"] != nil {
            person.attributes = Dictionary(
                try representation.lists("attributes").map { ($0.name, $0.values) }
            ) { first, _ in first }
        }
        if let actions = try representation.strings("requiredActions") {
            person.requiredActions = try Self.checked(actions)
        }
        if let time = try representation.integer("notBefore") {
            person.notBefore = max(person.notBefore, min(time, call.moment.seconds))
        }
        if person != former { person.updatedAt = call.moment.seconds }
        return try checked(person, replacing: isNew ? nil : former)
    }

    /// Makes the changes, where the caller may change the person as they are by then.
    func replace(_ former: Person) async throws {
        let person = try changed(former)
        try await expectUnambiguous(person, former: former)
        let password = try await password(of: person)
        // While a password was hashed, the person may have got rights.
        let rights = call.again(administration).rights
        do {
            let change = try await administration.people.update(
                person,
                replacing: former,
                if: rights.mayChange
            )
            guard let change else { throw AdminRefusal.forbidden }
            guard change == .changed else { throw AdminRefusal.notFound("User not found") }
        } catch is StoreConflict {
            throw try await conflict(person)
        }
        guard let password else { return }
        try await administration.set(
            password,
            of: person,
            at: call.moment.seconds,
            if: rights.mayChange
        )
    }

    /// Words without spaces inside, as they are kept.
    static func checked(_ actions: [String]) throws -> [String] {
        guard actions.count <= 20,
            actions.allSatisfy({ action in
                (1...100).contains(action.utf8.count) && action.utf8.allSatisfy { $0.isVisible }
            })
        else { throw AdminRefusal.invalid("Provided invalid required actions") }
        return actions
    }

    private func checked(_ person: Person, replacing former: Person? = nil) throws -> Person {
        do {
            return try administration.registration.checked(person, replacing: former)
        } catch {
            switch error {
            case .username: throw AdminRefusal.field("username", "error-username-invalid-character")
            case .email:
                throw AdminRefusal.field(
                    "email",
                    "error-invalid-email",
                    [
                        .string(PlainText.shown(person.email ?? ""))
                    ]
                )
            case .givenName:
                throw AdminRefusal.field("firstName", "error-person-name-invalid-character")
            case .familyName:
                throw AdminRefusal.field("lastName", "error-person-name-invalid-character")
            case .id, .attributes: throw AdminRefusal.invalid("\(error.rule)")
            }
        }
    }

    /// The password among the credentials; the only kind that is taken here.
    func password(of person: Person) async throws -> NewPassword? {
        var password: NewPassword?
        for credential in try representation.children("credentials") {
            guard try credential.text("type") ?? "password" == "password", password == nil else {
                throw AdminRefusal.invalid("Only one password is taken here.")
            }
            password = try await NewPassword(credential, of: person, call, administration)
        }
        return password
    }

    private func ids(ofGroups paths: [String]) throws -> [String] {
        try paths.map { path in
            guard let group = call.realm.graph.group(atPath: path) else {
                throw AdminRefusal.notFound("Group path does not exist")
            }
            return group.id
        }
    }

    /// Where people sign in by either, no one's user name is another's e-mail address.
    func expectUnambiguous(_ person: Person, former: Person?) async throws {
        guard call.realm.realm.signsInWithEmail else { return }
        func isAnothers(_ name: String?, before: String?, byEmail: Bool) async throws -> Bool {
            guard let name, name != before else { return false }
            let found = try await administration.people.credentials(
                realmID: call.realmID,
                login: name,
                byEmail: byEmail
            )
            return found.map { $0.person.id != person.id } ?? false
        }
        if try await isAnothers(person.username, before: former?.username, byEmail: true) {
            throw AdminRefusal.conflict("User exists with same username")
        }
        if try await isAnothers(person.email, before: former?.email, byEmail: false) {
            throw AdminRefusal.conflict("User exists with same email")
        }
    }

    /// What is taken already.
    func conflict(_ person: Person) async throws -> AdminRefusal {
        let named = try await administration.people.credentials(
            realmID: call.realmID,
            login: person.username,
            byEmail: false
        )
        let isNamesake = named.map { $0.person.id != person.id } ?? false
        return .conflict("User exists with same \(isNamesake ? "username" : "email")")
    }
}

/// A password that an administrator gives someone.
package struct NewPassword: Sendable {
    let hash: PasswordHash
    /// Whether the person has to choose another one at their next sign-in.
    let isTemporary: Bool

    package init(_ hash: PasswordHash, isTemporary: Bool) {
        self.hash = hash
        self.isTemporary = isTemporary
    }

    /// A hash that another server made is kept as it is; a password must meet the policy.
    init(
        _ credential: Representation,
        of person: Person,
        _ call: AdminCall,
        _ administration: RealmAdministration
    ) async throws {
        guard person.serviceClientID == nil else {
            throw AdminRefusal.invalid("No one signs in to the account of a client.")
        }
        isTemporary = try credential.bool("temporary") ?? false
        do {
            if let hash = try KeycloakHash.hash(of: credential.object) {
                self.hash = hash
                return
            }
            guard let value = try credential.text("value") else {
                throw AdminRefusal.error(.badRequest, "Empty password not allowed")
            }
            hash = try await administration.registration.hash(
                SecretText(value),
                for: person,
                realmName: call.realm.name,
                by: HashingAsker(
                    address: call.context.address,
                    account: "\(call.realmID) \(call.bearer.person.id)"
                ),
                random: call.moment.random
            )
        } catch let error as KeycloakHashError {
            throw AdminRefusal.invalid("\(error.description)")
        } catch let refusal as PasswordPolicy.Refusal {
            throw refusal.refusal
        }
    }

    func actions(_ former: [String]) -> [String] {
        let others = former.filter { $0 != RequiredAction.updatePassword }
        return isTemporary ? others + [RequiredAction.updatePassword] : others
    }
}

extension PasswordPolicy.Refusal {
    fileprivate var refusal: AdminRefusal {
        switch self {
        case .tooShort:
            .described(
                "invalidPasswordMinLengthMessage",
                "Invalid password: minimum length \(PasswordPolicy.minimumLength)."
            )
        case .tooLong: .described("invalidPasswordMaxLengthMessage", "\(description)")
        case .common: .described("invalidPasswordBlacklistedMessage", "\(description)")
        case .containsName: .described("invalidPasswordNotUsernameMessage", "\(description)")
        }
    }
}

extension FederatedIdentity {
    /// - Parameter provider: The alias in the path; `nil`: it is in the object.
    init(_ link: Representation, provider: String?) throws {
        guard let provider = try provider ?? link.text("identityProvider"),
            let subject = try link.text("userId"),
            (1...255).contains(provider.utf8.count), subject.utf8.count <= 1024
        else { throw AdminRefusal.invalid("A link names a provider and the user there.") }
        self.init(provider: provider, subject: subject, username: try link.text("userName"))
    }
}
