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
            new.identities.append(try NewPerson.Identity(link, provider: nil))
        }
        return new
    }

    /// The person with what is given; what is absent stays.
    func changed(_ former: Person) throws -> Person {
        // Those that were issued are the server's to say, as there.
        guard try representation.children("verifiableCredentials").isEmpty else {
            throw AdminRefusal.invalid("Verifiable credentials are not issued here.")
        }
        var said = UserRepresentation(NewPerson(person: former, password: nil))
        var report = ImportReport(realm: "")
        try UserRepresentation.members.read(
            representation,
            of: "",
            to: &said,
            where: { name, _ in representation.object[name] != nil },
            report: &report
        )
        var person = said.new.person
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

extension NewPerson.Identity {
    /// - Parameter provider: The alias in the path; `nil`: it is in the object.
    init(_ link: Representation, provider: String?) throws {
        guard let provider = try provider ?? link.text("identityProvider"),
            let subject = try link.text("userId"),
            (1...255).contains(provider.utf8.count), subject.utf8.count <= 1024
        else { throw AdminRefusal.invalid("A link names a provider and the user there.") }
        self.init(provider: provider, subject: subject, username: try link.text("userName"))
    }
}

/// What a person signs in with: `…/users/ID/reset-password`, `…/credentials`, federated identities.
enum AdminCredentials {
    static var rows: [AdminRow] {
        [
            .put("users/{user}/reset-password", .manageUsers, resetPassword),
            .get("users/{user}/credentials", .viewUsers, list),
            .delete("users/{user}/credentials/{credential}", .manageUsers, delete),
            .put("users/{user}/credentials/{credential}/userLabel", .manageUsers, label),
            .get("users/{user}/configured-user-storage-credential-types", .viewUsers) { call in
                _ = try await call.personWithRoles()
                return .json([])
            },
            .put("users/{user}/disable-credential-types", .manageUsers, disable),
            .get("users/{user}/federated-identity", .viewUsers, identities),
            .post("users/{user}/federated-identity/{provider}", .manageUsers, link),
            .delete("users/{user}/federated-identity/{provider}", .manageUsers, unlink),
        ]
    }

    private static func resetPassword(_ call: AdminCall) async throws {
        let person = try await call.person()
        let credential = try call.representation(.credential)
        guard try credential.text("type") ?? "password" == "password" else {
            throw AdminRefusal.invalid("Only a password is taken here.")
        }
        try await call.operations.set(
            try NewPassword(credential, call),
            of: person,
            by: call.administrator,
            at: call.moment
        )
    }

    private static func list(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        var objects: [JSONObject] = []
        let kept = try await call.people.credentials(id: person.id, realmID: call.realmID)
        if let hash = kept?.password {
            var json: JSONObject = [
                "id": .string(Self.password), "type": "password",
                "createdDate": .integer(person.createdAt &* 1000),
            ]
            json["credentialData"] = KeycloakHash.texts(of: hash).map { .string($0.credentialData) }
            objects.append(json)
        }
        for factor in try await call.people.secondFactors(of: person.id, realmID: call.realmID) {
            var data = factor.parameters
            data["type"] = nil
            var json: JSONObject = [
                "id": .string(factor.id),
                "type": factor.parameters["type"] ?? .string(factor.kind.rawValue),
            ]
            if !factor.label.isEmpty { json["userLabel"] = .string(factor.label) }
            json["createdDate"] = .integer(factor.createdAt)
            json["credentialData"] = .string(String(decoding: data.serialized(), as: UTF8.self))
            objects.append(json)
        }
        return .list(objects)
    }

    /// The id that a password has here: a person has one.
    private static let password = "password"

    private static func delete(_ call: AdminCall) async throws {
        try await call.operations.removeSecondFactor(
            try call.segment("credential"),
            of: try await call.person(),
            by: call.administrator
        )
    }

    /// The person's name for a second factor. Of passwords there is one, which needs none.
    private static func label(_ call: AdminCall) async throws {
        let person = try await call.person()
        let id = try call.segment("credential")
        let label = try call.text(upTo: 200).trimmingBlanks
        guard !sameBytes(id, Self.password) else {
            throw AdminRefusal.invalid("A password has no label here.")
        }
        try await call.operations.label(id, of: person, label, by: call.administrator)
    }

    private static func disable(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        guard try call.texts().contains("otp") else {
            try await call.operations.expectChangeable(person, by: call.administrator)
            return .done
        }
        try await call.operations.removeSecondFactors(of: person, by: call.administrator)
        return .done
    }

    // MARK: Accounts at other providers

    private static func identities(_ call: AdminCall) async throws -> AdminAnswer {
        let person = try await call.person()
        let identities = try await call.people.identities(of: person.id)
        return .list(
            identities.map { identity in
                var json: JSONObject = [
                    "identityProvider": .string(identity.provider),
                    "userId": .string(identity.subject),
                ]
                json["userName"] = identity.username.map(JSONValue.string)
                return json
            }
        )
    }

    private static func link(_ call: AdminCall) async throws {
        let person = try await call.person()
        let identity = try NewPerson.Identity(
            try call.representation(.identity),
            provider: try call.segment("provider")
        )
        try await call.operations.link(identity, to: person, by: call.administrator)
    }

    private static func unlink(_ call: AdminCall) async throws {
        try await call.operations.unlink(
            try call.segment("provider"),
            from: try await call.person(),
            by: call.administrator
        )
    }
}
