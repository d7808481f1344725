import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

extension NewPerson {
    /// What an import notes of a person (docs/decisions/0054).
    ///
    /// - Parameters:
    ///   - holdsPassword: Whether the file has the password itself. Of that nothing is noted: a
    ///     digest would be a hash that is quickly guessed.
    ///   - ids: Those of credentials that the file says; others are made anew each time.
    func note(
        _ seal: CredentialSeal,
        holdsPassword: Bool,
        ids: Set<String>
    ) throws -> JSONObject {
        var fields = ImportedFields(of: person.fields)
        for action in person.requiredActions { fields.add(true, at: .action(action)) }
        fields.add(roles, in: "roles")
        for id in groupIDs { fields.add(true, at: .group(id)) }
        for identity in identities {
            fields.add(identity.note, at: .identity(identity.provider))
        }
        for consent in consents { fields.add(consent.scope.note, at: .consent(consent.clientID)) }
        for credential in credentials {
            fields.add(true, at: .credential(try seal.note(of: credential)))
            // Each alone, so that it is known in other words, too, and after a file that lacks it.
            fields.add(.everSaid, at: .credential(try seal.secretNote(of: credential)))
            if ids.contains(credential.id) { fields.add(.everSaid, at: .credential(credential.id)) }
            if credential.kind == .recoveryCodes { fields.add(.everSaid, at: .recoveryCodes) }
        }
        if let password, !holdsPassword { fields.add(password.note, at: .password) }
        var document = fields.document
        let made = Person.madeID(of: person.username, in: person.realmID)
        if !sameBytes(made, person.id) { document[RealmPart.madeID] = .string(made) }
        return document
    }
}

extension FieldPath {
    static var password: FieldPath { FieldPath("password") }
    static var username: FieldPath { FieldPath("username") }
    static var email: FieldPath { FieldPath("email") }

    static var recoveryCodes: FieldPath { FieldPath("recoveryCodes") }

    static func action(_ word: String) -> FieldPath { FieldPath("requiredActions", word) }
    static func group(_ id: String) -> FieldPath { FieldPath("groups", id) }
    static func consent(_ clientID: String) -> FieldPath { FieldPath("clientConsents", clientID) }
    static func credential(_ note: String) -> FieldPath { FieldPath("credentials", note) }

    static func identity(_ provider: String) -> FieldPath {
        FieldPath("federatedIdentities", provider)
    }
}

extension JSONValue {
    /// What a note says of second factors for good: files that lack them do not make it forgotten. No
    /// field that a file fills in is a number.
    static var everSaid: JSONValue { 1 }
}

extension FederatedIdentity {
    /// A person has one at each provider.
    var note: JSONValue {
        ["userId": .string(subject), "userName": username.map(JSONValue.string) ?? .null]
    }
}

/// What can be merged field by field; everything else of a person is this server's.
extension Person {
    var fields: JSONObject {
        var fields: JSONObject = [
            "username": .string(username), "enabled": .bool(isEnabled),
            "attributes": .lists(attributes),
        ]
        fields["email"] = email.map { [.string($0), .bool(isEmailVerified)] }
        fields["firstName"] = givenName.map(JSONValue.string)
        fields["lastName"] = familyName.map(JSONValue.string)
        return fields
    }

    func with(_ fields: JSONObject) -> Person {
        var person = self
        person.username = fields.string("username") ?? username
        person.isEnabled = fields.bool("enabled") ?? isEnabled
        let email = fields.array("email")
        person.email = email?.first?.string
        person.isEmailVerified = email?.last?.bool ?? false
        person.givenName = fields.string("firstName")
        person.familyName = fields.string("lastName")
        person.attributes = Dictionary(
            (fields.object("attributes") ?? [:]).map { ($0.name, $0.value.strings ?? []) }
        ) { first, _ in first }
        return person
    }
}

extension PasswordHash {
    var note: JSONValue { .string(encoded) }
}

extension CredentialSeal {
    /// The same for one credential, whatever its id.
    func note(of credential: Credential) throws -> String {
        let value: JSONValue = [
            .string(credential.kind.rawValue), .string(credential.label),
            .integer(credential.createdAt), .object(credential.parameters),
            .string(try open(credential.sealedSecret, of: credential.id).reveal()),
        ]
        return String(ImportedFields.digest(value), radix: 16)
    }
}

extension CredentialSeal {
    /// The same for one secret, in whatever encoding, white space and order it is written down.
    func secretNote(of credential: Credential) throws -> String {
        let secret = try open(credential.sealedSecret, of: credential.id)
        let key =
            credential.kind == .totp
            ? OneTimePassword.key(credential.parameters, secret: secret) : nil
        let value: JSONValue = [
            .string(credential.kind.rawValue),
            .string(key.map { Base64URL.encode($0) } ?? secret.reveal()),
        ]
        return String(ImportedFields.digest(value), radix: 16)
    }
}

extension Scope {
    /// Of a consent.
    var note: JSONValue { .texts(tokens.sorted()) }
}
