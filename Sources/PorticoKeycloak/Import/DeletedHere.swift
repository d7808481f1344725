import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Leaves out of a file what came with the one before and was deleted here: it stays deleted. So it
/// leaves out what was made here under a name of the file's: nobody gets it, or rights by it, who
/// should have that of the file.
struct DeletedHere {
    private let existing: ExistingRealm
    /// The names of notes whose things are gone.
    private let gone: Set<String>
    /// Those of things that have their names, and came with no file.
    private let made: Set<String>

    init(_ existing: ExistingRealm) {
        self.existing = existing
        typealias Name = ImportNotes.Name
        var here: [String: String] = [:]
        for client in existing.clients.values { here[Name.client(client.clientID)] = client.id }
        for role in existing.roles.values { here[Name.role(role.roleName)] = role.id }
        for group in existing.groups.values.map(\.group) {
            here[Name.group(group.name, in: group.parentID)] = group.id
        }
        made = Set(here.filter { existing.isMadeHere($0.key, id: $0.value) }.keys)
        // A scope gives no one anything: one that was made here stays as it is (``ThreeWay``).
        let scopes = existing.scopes.keys.map { Name.scope($0.text) }
        gone = Set(existing.notes.keys).subtracting(here.keys).subtracting(scopes)
    }

    /// - Parameter realm: As a file has it.
    func callAsFunction(_ realm: JSONObject, report: inout ImportReport) -> JSONObject {
        guard !gone.isEmpty || !made.isEmpty else { return realm }
        var realm = realm
        realm["clients"] = left(realm["clients"], "client", key: "clientId", &report) {
            ImportNotes.Name.client($0)
        }
        realm["clientScopes"] = left(realm["clientScopes"], "scope", key: "name", &report) {
            ImportNotes.Name.scope($0)
        }
        realm["groups"] = groups(realm["groups"], in: nil, &report)
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

    /// Groups below one that is not here are new.
    private func groups(
        _ list: JSONValue?,
        in parentID: String?,
        _ report: inout ImportReport
    ) -> JSONValue? {
        let left = left(list, "group", key: "name", &report) {
            ImportNotes.Name.group($0, in: parentID)
        }
        guard let elements = left?.array else { return left }
        return .array(
            elements.map { element in
                guard var group = element.object, let name = group.string("name"),
                    let id = existing.groups[[parentID ?? "", name]]?.group.id,
                    group["subGroups"] != nil
                else { return element }
                group["subGroups"] = groups(group["subGroups"], in: id, &report)
                return .object(group)
            }
        )
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
                guard let name = element.object?.string(key) else { return true }
                let isGone = gone.contains(note(name))
                guard isGone || made.contains(note(name)) else { return true }
                report.add(
                    .skipped,
                    "\(kind) \(name)",
                    isGone
                        ? "was deleted here, and stays so"
                        : "another one was made here under its name: that stays as it is"
                )
                return false
            }
        )
    }
}
