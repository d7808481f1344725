import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Leaves out of a file what came with the one before and was deleted here: it stays deleted. So it
/// leaves out what was made here under a name of the file's, and what has the name of one thing and
/// the id of another: people who should have that of the file get neither, nor rights by it. What
/// was taken away here does not come back under another name, so what the file renames is left out,
/// too.
struct DeletedHere {
    private let existing: ExistingRealm
    /// The names of notes of things that are here.
    private let here: Set<String>
    /// Those whose things are gone.
    private let gone: Set<String>
    /// Those of things that have their names, and came with no file.
    private let made: Set<String>
    /// The ids of what is gone: a file may have renamed it.
    private var goneIDs: Set<KnownID> = []
    /// The notes of things that have an id, or had it in a file.
    private var names: [KnownID: Set<String>] = [:]
    /// The same by the names of notes.
    private var ids: [String: Set<KnownID>] = [:]
    /// Those of the file.
    private let fileIDs: Set<KnownID>

    static let deleted: StaticString = "was deleted here or renamed, and stays so"
    static let made: StaticString =
        "another one was made here under its name: that stays as it is"
    static let other: StaticString =
        "has the id of another one that was imported: what has its name here stays as it is"
    static let moved: StaticString =
        "what has its name here has another id in the file, under another name: stays as it is"
    static let renamed: StaticString =
        "is here under another name or in another group, and stays so"

    /// An id of one kind of things: a file may number each kind from one.
    private struct KnownID: Hashable {
        let kind: String
        /// ``ImportedFields/digest(_:)``
        let digest: UInt64

        /// - Parameter note: The name of the note of a thing of that kind.
        init(_ digest: UInt64, _ note: String) {
            kind = String(note.prefix(while: { $0 != "," }))
            self.digest = digest
        }

        /// - Returns: `nil` where the element has none.
        init?(_ element: JSONObject, _ note: String) {
            // That of an identity provider is kept as it stands.
            let provider = element.string(ImportNotes.internalID)
            guard let id = element.string("id").map(ImportedIDs.key) ?? provider, !id.isEmpty
            else { return nil }
            self.init(ImportedFields.digest(.string(id)), note)
        }
    }

    /// - Parameter realm: As the file has it.
    init(_ existing: ExistingRealm, _ realm: JSONObject) {
        self.existing = existing
        fileIDs = Self.ids(in: realm)
        typealias Name = ImportNotes.Name
        var here: [String: String] = [:]
        for client in existing.clients.values { here[Name.client(client.clientID)] = client.id }
        for scope in existing.scopes.values { here[Name.scope(scope.name)] = scope.id }
        for role in existing.roles.values { here[Name.role(role.roleName)] = role.id }
        for (name, group) in existing.groups { here[name] = group.group.id }
        var made = Set(here.filter { existing.isMadeHere($0.key, id: .string($0.value)) }.keys)
        let providers = IdentityProviderRepresentation.kind
        for part in existing.parts.values where part.kind == providers {
            let (note, id) = (Name.part(part), part.document[ImportNotes.internalID])
            here[note] = id?.string ?? ""
            if existing.isMadeHere(note, id: id, at: .internalID) { made.insert(note) }
        }
        self.made = made
        gone = Set(existing.notes.keys).subtracting(here.keys)
        self.here = Set(here.keys)
        for (name, id) in here {
            know(KnownID(ImportedFields.digest(.string(id)), name), name)
        }
        for name in existing.notes.keys {
            guard let fields = existing.fields(name) else { continue }
            let isGone = gone.contains(name) || made.contains(name)
            let paths = [FieldPath("id"), .fileID, .internalID]
            for digest in paths.compactMap({ fields.said(at: $0) }) {
                let id = KnownID(digest, name)
                know(id, name)
                if isGone { goneIDs.insert(id) }
            }
        }
    }

    private mutating func know(_ id: KnownID, _ note: String) {
        names[id, default: []].insert(note)
        ids[note, default: []].insert(id)
    }

    private static func ids(in realm: JSONObject) -> Set<KnownID> {
        typealias Name = ImportNotes.Name
        let role = Name.role(RoleName(clientID: nil, name: ""))
        let roles = realm.object("roles") ?? JSONObject()
        // Of each list, the name of a note of its kind.
        var lists: [(note: String, list: JSONValue?)] = [
            (Name.client(""), realm["clients"]), (Name.scope(""), realm["clientScopes"]),
            (role, roles["realm"]), (Name.group("", in: nil), realm["groups"]),
            (Name.provider(""), realm[IdentityProviderRepresentation.kind]),
        ]
        for (_, list) in roles.object("client") ?? JSONObject() { lists.append((role, list)) }
        var ids: Set<KnownID> = []
        while let (note, list) = lists.popLast() {
            for element in (list?.array ?? []).compactMap({ $0.object }) {
                if let id = KnownID(element, note) { ids.insert(id) }
                if let groups = element["subGroups"] { lists.append((note, groups)) }
            }
        }
        return ids
    }

    /// Groups are asked for one by one, because their paths are read with all of the file
    /// (``GroupImport``).
    ///
    /// - Parameter realm: As a file has it.
    func callAsFunction(_ realm: JSONObject, report: inout ImportReport) -> JSONObject {
        var realm = realm
        realm["clients"] = left(realm["clients"], "client", key: "clientId", &report) {
            ImportNotes.Name.client($0)
        }
        realm["clientScopes"] = left(realm["clientScopes"], "scope", key: "name", &report) {
            ImportNotes.Name.scope($0)
        }
        let providers = IdentityProviderRepresentation.kind
        realm[providers] = left(realm[providers], providers, key: "alias", &report) {
            ImportNotes.Name.provider($0)
        }
        guard var roles = realm.object("roles") else { return realm }
        roles["realm"] = self.roles(roles["realm"], of: nil, &report)
        if let byClient = roles.object("client") {
            var members: [(name: String, value: JSONValue)] = []
            for (name, list) in byClient {
                members.append((name, self.roles(list, of: name, &report) ?? []))
            }
            roles["client"] = JSONObject(unique: members).map(JSONValue.object)
        }
        realm["roles"] = .object(roles)
        return realm
    }

    private func roles(
        _ list: JSONValue?,
        of clientID: String?,
        _ report: inout ImportReport
    ) -> JSONValue? {
        left(list, "role", key: "name", &report) {
            ImportNotes.Name.role(RoleName(clientID: clientID, name: $0))
        }
    }

    /// What is no list of objects is left as it is: reading it says what is wrong.
    private func left(
        _ list: JSONValue?,
        _ kind: String,
        key: String,
        _ report: inout ImportReport,
        _ note: (String) -> String
    ) -> JSONValue? {
        guard let elements = list?.array else { return list }
        return .array(
            elements.filter { element in
                guard let object = element.object, let name = object.string(key) else {
                    return true
                }
                return !leavesOut(object, "\(kind) \(name)", note(name), report: &report)
            }
        )
    }

    /// Whether an element of a file is left out, which the report then says.
    ///
    /// - Parameter note: The name of its note.
    func leavesOut(
        _ element: JSONObject,
        _ subject: String,
        _ note: String,
        report: inout ImportReport
    ) -> Bool {
        guard let words = reason(KnownID(element, note), note) else { return false }
        report.add(.skipped, subject, "\(words)")
        return true
    }

    /// Why an element of a file is neither the thing of its name here, nor a new one.
    private func reason(_ id: KnownID?, _ note: String) -> StaticString? {
        let others = id.flatMap { names[$0] } ?? []
        if gone.contains(note) { return Self.deleted }
        if existing.notes[note] == nil, let id, goneIDs.contains(id) { return Self.deleted }
        if made.contains(note) { return Self.made }
        if others.contains(note) { return nil }
        guard here.contains(note) else { return others.isEmpty ? nil : Self.renamed }
        if !others.isEmpty { return Self.other }
        return fileIDs.isDisjoint(with: ids[note] ?? []) ? nil : Self.moved
    }
}
