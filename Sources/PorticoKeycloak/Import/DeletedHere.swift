import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Leaves out of a file what came with the one before and was deleted here: it stays deleted.
struct DeletedHere {
    private let existing: ExistingRealm
    /// The names of notes whose things are gone.
    private let gone: Set<String>

    init(_ existing: ExistingRealm) {
        self.existing = existing
        typealias Name = ImportNotes.Name
        var here: Set<String> = [Name.realm]
        for client in existing.clients.keys { here.insert(Name.client(client.text)) }
        for scope in existing.scopes.keys { here.insert(Name.scope(scope.text)) }
        for role in existing.roles.keys { here.insert(Name.role(role)) }
        for group in existing.groups.values.map(\.group) {
            here.insert(Name.group(group.name, in: group.parentID))
        }
        gone = Set(existing.notes.keys).subtracting(here)
    }

    /// - Parameter realm: As a file has it.
    func callAsFunction(_ realm: JSONObject, report: inout ImportReport) -> JSONObject {
        guard !gone.isEmpty else { return realm }
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
                guard let name = element.object?.string(key), gone.contains(note(name)) else {
                    return true
                }
                report.add(.skipped, "\(kind) \(name)", "was deleted here, and stays so")
                return false
            }
        )
    }
}
