import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What an import notes of the things of a realm, one ``RealmPart`` each, so that the next import can
/// tell what its file changed from what was changed here (docs/decisions/0054).
struct ImportNotes {
    private let seal: RealmPartSeal
    private let moment: Moment
    /// ``ImportedIDs/replaced``
    private let fileIDs: [String: String]

    init(ring: KeyRing, moment: Moment, fileIDs: [String: String] = [:]) {
        seal = RealmPartSeal(ring: ring)
        self.moment = moment
        self.fileIDs = fileIDs
    }

    /// The names of notes. A thing that comes back under its name is another one: its id is in the note.
    /// They are ASCII, so that two that Unicode holds equal are not one as keys either.
    enum Name {
        static let realm = text("realm")
        /// Of a realm that came without notes: that a file was begun to be written over it.
        static let start = text("start")
        static func client(_ clientID: String) -> String { text("client", clientID) }
        static func scope(_ name: String) -> String { text("scope", name) }
        static func group(_ name: String, in parentID: String?) -> String {
            text("group", parentID ?? "", name)
        }
        static func part(_ part: RealmPart) -> String { text("part", part.kind, part.id) }
        static func provider(_ alias: String) -> String {
            text("part", IdentityProviderRepresentation.kind, alias)
        }
        static func key(_ keyID: String) -> String { text("key", keyID) }
        static func role(_ role: RoleName) -> String {
            role.clientID.map { text("role", $0, role.name) } ?? text("role", role.name)
        }

        /// What a note's name is made of: its kind, and the names of the thing.
        static func names(in note: String) -> [String] {
            var bytes: [UInt8] = []
            var rest = Array(note.utf8)[...]
            while let byte = rest.popFirst() {
                let escape = byte == UInt8(ascii: "\\") ? rest.popFirst() : nil
                if escape == UInt8(ascii: "x"), let escaped = Hexadecimal.bytes(rest.prefix(2)) {
                    bytes += escaped
                    rest.removeFirst(2)
                } else {
                    bytes.append(byte)
                    if let escape { bytes.append(escape) }
                }
            }
            // `try?`: every name is made below.
            return (try? JSONValue(parsing: bytes))?.strings ?? []
        }

        private static func text(_ names: String...) -> String {
            var text: [UInt8] = []
            for byte in JSONValue.array(names.map(JSONValue.string)).serialized() {
                guard byte >= 0x80 else {
                    text.append(byte)
                    continue
                }
                // No escape of JSON's: no name of other characters reads like this.
                text += Array("\\x".utf8)
                Hexadecimal.append(byte, to: &text)
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// - Parameters:
    ///   - secrets: Of clients, as the file has them (``secrets(in:)``).
    ///   - shut: Those that are disabled because their protection would be gone.
    func callAsFunction(
        _ new: NewRealm,
        secrets: [ExactText: SecretText],
        shut: [ExactText: ShutClient]
    ) throws -> [RealmPart] {
        let limits = Dictionary(grouping: new.roleLimits, by: \.owner)
            .mapValues { $0.map(\.role) }
        let contents = Dictionary(grouping: new.roleParts, by: \.role).mapValues { $0.map(\.part) }
        var parts = [note(Name.realm, ImportedFields(of: new.realm.fields), of: new.realm)]
        for client in new.clients {
            var fields = fields(client.fields, of: client.id)
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
                part.sealed = sealed(["secret": .string(secret.reveal())], in: part)
            }
            parts.append(part)
        }
        for scope in new.scopes {
            var fields = fields(scope.fields, of: scope.id)
            fields.add(limits[.scope(scope.id)] ?? [], in: Self.limits)
            parts.append(note(Name.scope(scope.name), fields, of: new.realm))
        }
        for role in new.roles {
            var fields = fields(role.fields, of: role.id)
            fields.add(contents[role.roleName] ?? [], in: Self.contents)
            parts.append(note(Name.role(role.roleName), fields, of: new.realm))
        }
        for group in new.groups {
            var fields = fields(group.group.fields, of: group.group.id)
            fields.add(group.roles, in: Self.roles)
            let name = Name.group(group.group.name, in: group.group.parentID)
            parts.append(note(name, fields, of: new.realm))
        }
        for part in new.parts {
            var note = note(Name.part(part), ImportedFields(of: part.document), of: new.realm)
            let secrets = try seal.secrets(of: part)
            if !secrets.isEmpty, !secrets.isMasked { note.sealed = sealed(secrets, in: note) }
            parts.append(note)
        }
        // One that is gone later may have been stolen: it does not come back.
        for keyID in new.keys.map(\.keyID) + new.keptKeys.map(\.keyID) {
            let fields = ImportedFields(of: ["id": .string(keyID)])
            parts.append(note(Name.key(keyID), fields, of: new.realm))
        }
        return parts
    }

    static let (limits, contents, roles) = ("scopeMappings", "composites", "roles")

    /// The note that a file is begun to be written over a realm without notes, with what it says of the
    /// realm itself.
    func start(_ realm: Realm) -> RealmPart {
        note(Name.start, ImportedFields(of: realm.fields), of: realm)
    }

    /// - Parameter id: Of the thing.
    private func fields(_ object: JSONObject, of id: String) -> ImportedFields {
        var fields = ImportedFields(of: object)
        if let id = fileIDs[id] { fields.add(.string(id), at: .fileID) }
        return fields
    }

    static let internalID = "internalId"
    /// The member of a key's note that holds when it was retired here.
    static let retiredFrom = "retiredFrom"

    private func sealed(_ secrets: JSONObject, in note: RealmPart) -> String {
        seal.seal(
            secrets,
            of: note.kind,
            id: note.id,
            realmID: note.realmID,
            random: moment.random
        )
    }

    private func note(_ name: String, _ fields: ImportedFields, of realm: Realm) -> RealmPart {
        RealmPart(
            realmID: realm.id,
            kind: RealmPart.imported,
            id: name,
            document: fields.document
        )
    }

    /// The secrets of clients that a file holds, as far as they are taken. What it masks it does not say.
    static func secrets(in realm: Representation) throws(RealmImportError)
        -> [ExactText: SecretText]
    {
        var secrets: [ExactText: SecretText] = [:]
        for client in try realm.children("clients") {
            guard let clientID = try client.text("clientId"),
                let secret = try client.text("secret"), secret.utf8.count <= 1024,
                !ClientImport.isMask(secret), try ClientImport.isProvenBySecret(client)
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

extension FieldPath {
    /// Of a client: whether the file enables it, and whether its protection would be gone.
    static var isEnabled: FieldPath { FieldPath("enabled") }
    static var isShut: FieldPath { FieldPath("shut") }
    /// Of a client whose secret the file does not say.
    static var madeSecret: FieldPath { FieldPath("secret") }
    static var internalID: FieldPath { FieldPath(ImportNotes.internalID) }
    /// The id that a thing has in the file, where it has another one here.
    static var fileID: FieldPath { FieldPath("fileId") }
}

extension ClientScope {
    var fields: JSONObject {
        var fields = document
        fields["id"] = .string(id)
        return fields
    }
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
