import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A person as a request of the administration describes them (Keycloak `UserRepresentation`).
struct PersonFields: Sendable {
    private let representation: Representation
    private let call: AdminCall

    init(_ representation: Representation, _ call: AdminCall) {
        self.representation = representation
        self.call = call
    }

    /// A new person, without what every new one gets. `realmRoles` are not read, as there.
    func new() throws -> NewPerson {
        let email = try representation.text("email")
        let namesByEmail = call.realm.kept.object.bool("registrationEmailAsUsername") ?? false
        guard let username = try representation.text("username") ?? (namesByEmail ? email : nil)
        else { throw AdminRefusal.invalid("User name is missing") }
        var person = Person(
            id: call.newID(),
            realmID: call.realmID,
            username: username,
            createdAt: call.moment.seconds
        )
        person.isEnabled = false
        var new = NewPerson(person: try changed(person), password: nil)
        new.groupIDs = try ids(ofGroups: try representation.strings("groups") ?? [])
        for link in try representation.children("federatedIdentities") {
            new.identities.append(try FederatedIdentity(link, provider: nil))
        }
        return new
    }

    /// The person with what is given; what is absent stays.
    func changed(_ former: Person) throws -> Person {
        // Those that were issued are the server's to say, as there.
        guard try representation.children("verifiableCredentials").isEmpty else {
            throw AdminRefusal.invalid("Verifiable credentials are not issued here.")
        }
        var person = former
        var report = ImportReport(realm: "")
        try PersonMembers.table.read(
            representation,
            of: "",
            to: &person,
            where: { name, _ in representation.object[name] != nil },
            report: &report
        )
        if person.username.isEmpty { person.username = former.username }
        if person.requiredActions != former.requiredActions {
            person.requiredActions = try Self.checked(person.requiredActions)
        }
        // What was revoked stays revoked.
        person.notBefore = max(former.notBefore, min(person.notBefore, call.moment.seconds))
        if person != former { person.updatedAt = call.moment.seconds }
        return person
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

    /// The password among the credentials; the only kind that is taken here.
    func password() throws -> NewPassword? {
        var password: NewPassword?
        for credential in try representation.children("credentials") {
            guard try credential.text("type") ?? "password" == "password", password == nil else {
                throw AdminRefusal.invalid("Only one password is taken here.")
            }
            password = try NewPassword(credential, call)
        }
        return password
    }

    private func ids(ofGroups paths: [String]) throws -> [String] {
        try paths.map { path in
            guard let group = call.graph.group(atPath: path) else {
                throw AdminRefusal.notFound("Group path does not exist")
            }
            return group.id
        }
    }
}

extension NewPassword {
    /// A hash that another server made is kept as it is; a password must meet the policy.
    init(_ credential: Representation, _ call: AdminCall) throws {
        let isTemporary = try credential.bool("temporary") ?? false
        do {
            if let hash = try KeycloakHash.hash(of: credential.object) {
                self.init(.hash(hash), isTemporary: isTemporary)
                return
            }
        } catch {
            throw AdminRefusal.invalid("\(error.description)")
        }
        guard let value = try credential.text("value") else {
            throw AdminRefusal.error(.badRequest, "Empty password not allowed")
        }
        let asker = HashingAsker(
            address: call.context.address,
            account: "\(call.realmID) \(call.token.person.id)"
        )
        self.init(.typed(SecretText(value), asker), isTemporary: isTemporary)
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
