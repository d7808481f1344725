import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What an import notes of the things of a realm, one ``RealmPart`` each, so that the next import can
/// tell what its file changed from what was changed here (docs/decisions/0054).
struct ImportNotes {
    private let seal: RealmPartSeal
    private let moment: Moment

    init(ring: KeyRing, moment: Moment) {
        seal = RealmPartSeal(ring: ring)
        self.moment = moment
    }

    /// The names of notes. A thing that comes back under its name is another one: its id is in the note.
    enum Name {
        static let realm = text("realm")
        static func client(_ clientID: String) -> String { text("client", clientID) }
        static func scope(_ name: String) -> String { text("scope", name) }
        static func group(_ name: String, in parentID: String?) -> String {
            text("group", parentID ?? "", name)
        }
        static func key(_ keyID: String) -> String { text("key", keyID) }
        static func role(_ role: RoleName) -> String {
            role.clientID.map { text("role", $0, role.name) } ?? text("role", role.name)
        }

        private static func text(_ names: String...) -> String {
            let value = JSONValue.array(names.map(JSONValue.string))
            return String(decoding: value.serialized(), as: UTF8.self)
        }
    }

    /// - Parameters:
    ///   - secrets: Of clients, as the file has them (``secrets(in:)``).
    ///   - shut: Those that are disabled because their protection would be gone.
    func callAsFunction(
        _ new: NewRealm,
        secrets: [ExactText: SecretText],
        shut: [ExactText: ShutClient]
    ) -> [RealmPart] {
        let limits = Dictionary(grouping: new.roleLimits, by: \.owner)
            .mapValues { $0.map(\.role) }
        let contents = Dictionary(grouping: new.roleParts, by: \.role).mapValues { $0.map(\.part) }
        var parts = [note(Name.realm, ImportedFields(of: new.realm.fields), of: new.realm)]
        for client in new.clients {
            var fields = ImportedFields(of: client.fields)
            fields.add(limits[.client(client.id)] ?? [], in: Self.limits)
            if let shut = shut[ExactText(client.clientID)] {
                fields.add(.bool(shut.isEnabled), at: .isEnabled)
                fields.add(true, at: .isShut)
            }
            if secrets[ExactText(client.clientID)] == nil, let made = client.secretNote {
                fields.add(made, at: .madeSecret)
            }
            var part = note(Name.client(client.clientID), fields, of: new.realm)
            if let secret = secrets[ExactText(client.clientID)], client.type == .confidential {
                part.sealed = seal.seal(
                    ["secret": .string(secret.reveal())],
                    of: part.kind,
                    id: part.id,
                    realmID: part.realmID,
                    random: moment.random
                )
            }
            parts.append(part)
        }
        for scope in new.scopes {
            var fields = ImportedFields(of: scope.fields)
            fields.add(limits[.scope(scope.id)] ?? [], in: Self.limits)
            parts.append(note(Name.scope(scope.name), fields, of: new.realm))
        }
        for role in new.roles {
            var fields = ImportedFields(of: role.fields)
            fields.add(contents[role.roleName] ?? [], in: Self.contents)
            parts.append(note(Name.role(role.roleName), fields, of: new.realm))
        }
        for group in new.groups {
            var fields = ImportedFields(of: group.group.fields)
            fields.add(group.roles, in: Self.roles)
            let name = Name.group(group.group.name, in: group.group.parentID)
            parts.append(note(name, fields, of: new.realm))
        }
        // One that is gone later may have been stolen: it does not come back.
        for keyID in new.keys.map(\.keyID) + new.keptKeys.map(\.keyID) {
            parts.append(begun(Name.key(keyID), id: keyID, of: new.realm))
        }
        return parts
    }

    static let (limits, contents, roles) = ("scopeMappings", "composites", "roles")

    /// Notes only that a thing came with an import: written together with it.
    func begun(_ name: String, id: String, of realm: Realm) -> RealmPart {
        note(name, ImportedFields(of: ["id": .string(id)]), of: realm)
    }

    private func note(_ name: String, _ fields: ImportedFields, of realm: Realm) -> RealmPart {
        RealmPart(
            realmID: realm.id,
            kind: RealmPart.imported,
            id: name,
            document: fields.document
        )
    }

    /// The secrets of clients that a file holds. What it masks it does not say.
    static func secrets(in realm: Representation) throws(RealmImportError)
        -> [ExactText: SecretText]
    {
        var secrets: [ExactText: SecretText] = [:]
        for client in try realm.children("clients") {
            guard let clientID = try client.text("clientId"),
                let secret = try client.text("secret"), secret.utf8.count <= 1024,
                !ClientImport.isMask(secret)
            else { continue }
            secrets[ExactText(clientID)] = SecretText(secret)
        }
        return secrets
    }

    /// The secret of a client's note.
    static func secret(of note: RealmPart, ring: KeyRing) throws -> SecretText? {
        try note.sealed.flatMap {
            try RealmPartSeal(ring: ring)
                .open($0, of: note.kind, id: note.id, realmID: note.realmID)
                .string("secret").map { SecretText($0) }
        }
    }
}

extension ImportedFields {
    mutating func add(_ roles: [RoleName], in member: String) {
        for role in roles { add(true, at: .role(role, in: member)) }
    }
}

/// Things as fields that are changed one by one.
extension Realm {
    var fields: JSONObject {
        var fields = JSONObject()
        write(to: &fields)
        return fields
    }

    func with(_ fields: JSONObject) throws -> Realm {
        try Realm(id: id, name: name, issuer: issuer, document: fields)
    }
}

extension Client {
    /// Lists of which each element is changed by itself.
    private static let lists = [
        "redirect_uris", "post_logout_redirect_uris", "web_origins", "default_scopes",
        "optional_scopes",
    ]
    /// How it proves itself: changed together, or not at all.
    private static let proof = ["type", "authentication", "key_set"]
    static let proofMember = "proof"

    /// Without its secret, which is no value that can be compared.
    var fields: JSONObject {
        var fields = JSONObject()
        write(to: &fields)
        fields["secret"] = nil
        fields["id"] = .string(id)
        fields[Self.proofMember] = .array(Self.proof.map { fields[$0] ?? .null })
        for name in Self.proof { fields[name] = nil }
        for name in Self.lists {
            let elements: [(name: String, value: JSONValue)] = (fields.strings(name) ?? []).map {
                (name: $0, value: .bool(true))
            }
            fields[name] = JSONObject(unique: elements).map(JSONValue.object) ?? fields[name]
        }
        return fields
    }

    /// Of the secret as it is kept here.
    var secretNote: JSONValue? {
        var document = JSONObject()
        write(to: &document)
        return document["secret"]
    }

    /// - Parameter fields: As ``fields``.
    func with(_ fields: JSONObject, secret: ClientSecret?) throws -> Client {
        var document = fields
        for (name, value) in zip(Self.proof, fields.array(Self.proofMember) ?? [])
        where value != .null {
            document[name] = value
        }
        for name in Self.lists {
            guard let elements = fields.object(name) else { continue }
            document[name] = .texts(elements.map { $0.name })
        }
        var client = try Client(
            id: id,
            realmID: realmID,
            clientID: clientID,
            document: document
        )
        client.secret = secret
        return client
    }
}

extension FieldPath {
    /// Of a client: whether the file enables it, and whether its protection would be gone.
    static var isEnabled: FieldPath { FieldPath("enabled") }
    static var isShut: FieldPath { FieldPath("shut") }
    /// Of a client whose secret the file does not say.
    static var madeSecret: FieldPath { FieldPath("secret") }
}

extension ClientScope {
    var fields: JSONObject { ["id": .string(id), "representation": .object(representation)] }
}

extension Role {
    var fields: JSONObject {
        [
            "id": .string(id), "description": .string(description),
            "attributes": .lists(attributes),
        ]
    }
}

extension Group {
    var fields: JSONObject {
        [
            "id": .string(id), "description": .string(description),
            "attributes": .lists(attributes),
        ]
    }
}
