import PorticoBytes
import PorticoProvider
import PorticoStores

/// Imports Keycloak's groups with their roles and attributes (Keycloak `GroupRepresentation`).
struct GroupImport {
    let realm: Realm
    let roles: ImportedRoles
    let moment: Moment
    var existing: ExistingRealm?

    func callAsFunction(_ representation: Representation, report: inout ImportReport)
        throws(RealmImportError) -> ImportedGroups
    {
        var imported = ImportedGroups()
        for group in try representation.children("groups") {
            try add(group, in: nil, path: "", to: &imported, report: &report)
        }
        return imported
    }

    private func add(
        _ representation: Representation,
        in parentID: String?,
        path: String,
        to imported: inout ImportedGroups,
        report: inout ImportReport
    ) throws(RealmImportError) {
        guard let name = try representation.text("name") else {
            throw .missing(path: representation.path(of: "name"))
        }
        let path = "\(path)/\(name)"
        let subject = "group \(path)"
        guard PlainText.isLine(name, length: 255) else {
            report.add(.skipped, subject, "its name is not one line of at most 255 bytes")
            return
        }
        guard imported.places.insert([parentID ?? "", name]).inserted else {
            report.add(.skipped, subject, "the file has it twice")
            return
        }
        var names = (try representation.strings("realmRoles") ?? []).map {
            RoleName(clientID: nil, name: $0)
        }
        for (clientID, roles) in try representation.lists("clientRoles") {
            names += roles.map { RoleName(clientID: clientID, name: $0) }
        }
        let group = Group(
            id: imported.taken.take(
                try representation.text("id"),
                here: existing?.groups[[parentID ?? "", name]]?.group.id,
                existing,
                random: moment.random
            ),
            realmID: realm.id,
            parentID: parentID,
            name: name,
            description: try representation.text("description") ?? "",
            attributes: Dictionary(
                try representation.lists("attributes").map { ($0.name, $0.values) }
            ) { first, _ in first }
        )
        imported.groups.append(
            GroupWithRoles(group: group, roles: roles.known(names, subject, report: &report))
        )
        imported.name(group.id, path)
        // Hand-written files call a group by another path, or by its bare name.
        for alias in [try representation.text("path"), parentID == nil ? name : nil] {
            if let alias { imported.nameAlso(group.id, alias) }
        }
        report.add(.read, subject, "")
        for child in try representation.children("subGroups") {
            try add(child, in: group.id, path: path, to: &imported, report: &report)
        }
    }
}

/// The groups of a file, parents before their children.
struct ImportedGroups {
    var groups: [GroupWithRoles] = []
    /// By their names from the top, each behind a slash. A slash in a name may make two groups of one
    /// path: then no one is known to be in either, because the other may have more rights.
    private var ids: [String: String?] = [:]
    private var aliases: [String: String?] = [:]
    /// The parent's id and the name of each.
    var places: Set<[String]> = []
    var taken = ImportedIDs()

    /// The id of the group that a person's `groups` names.
    func id(_ path: String) -> String? {
        (ids[path] ?? aliases[path]) ?? nil
    }

    func isAmbiguous(_ path: String) -> Bool {
        id(path) == nil && (ids[path] ?? aliases[path]) != nil
    }

    fileprivate mutating func name(_ id: String, _ path: String) {
        ids[path] = .some(ids[path] == nil ? id : nil)
    }

    fileprivate mutating func nameAlso(_ id: String, _ alias: String) {
        let former = aliases[alias]
        aliases[alias] = .some(former == nil || former == .some(.some(id)) ? id : nil)
    }
}
