import PorticoAdministration
import PorticoBytes
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
            try add(group, in: Parent(), to: &imported, report: &report)
        }
        return imported
    }

    /// What a group stands below.
    private struct Parent {
        var id: String?
        /// `nil`: too long to name a group.
        var path: String? = ""
        /// The same with a tilde before each slash in a name, as Keycloak can be told to write it.
        var escaped: String? = ""
        var isLeftOut = false
    }

    private func add(
        _ representation: Representation,
        in parent: Parent,
        to imported: inout ImportedGroups,
        report: inout ImportReport
    ) throws(RealmImportError) {
        guard let name = try representation.text("name") else {
            throw .missing(path: representation.path(of: "name"))
        }
        let path = parent.path.flatMap { ImportedGroups.path($0, name) }
        let escaped = parent.escaped.flatMap {
            ImportedGroups.path(
                $0,
                name.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~/")
            )
        }
        let subject = "group \(path ?? name)"
        let place = GroupPlace(name, in: parent.id)
        let isRepeated = !parent.isLeftOut && !imported.places.insert(place).inserted
        var isLeftOut = parent.isLeftOut || isRepeated
        if isRepeated {
            report.add(.skipped, subject, "the file has it twice")
        } else if !isLeftOut, !PlainText.isLine(name, length: 255 * 4) {
            report.add(.skipped, subject, "its name is not one line of at most 255 characters")
            isLeftOut = true
        } else if !isLeftOut, let existing {
            let said = try representation.text("id")
            isLeftOut = existing.leavesOut(said, .group(place), subject, report: &report)
        }
        var id: String?
        if !isLeftOut {
            var group = try group(representation, name, place, in: parent, &imported)
            group.attributes = try representation.attributes(subject, report: &report)
            let names = try representation.roles("realmRoles", "clientRoles")
            imported.groups.append(
                GroupWithRoles(group: group, roles: roles.known(names, subject, report: &report))
            )
            report.add(.read, subject, "")
            id = group.id
        }
        if !isRepeated {
            if let path { imported.name(id, path) }
            // Hand-written files call a group by another path, or by its bare name.
            for alias in [
                try representation.text("path"), parent.path == "" ? name : nil,
                escaped == path ? nil : escaped,
            ] {
                if let alias { imported.nameAlso(id, alias) }
            }
        }
        let here = Parent(id: id, path: path, escaped: escaped, isLeftOut: isLeftOut)
        for child in try representation.children("subGroups") {
            try add(child, in: here, to: &imported, report: &report)
        }
    }

    private func group(
        _ representation: Representation,
        _ name: String,
        _ place: GroupPlace,
        in parent: Parent,
        _ imported: inout ImportedGroups
    ) throws(RealmImportError) -> Group {
        Group(
            id: imported.taken.take(
                try representation.text("id"),
                here: existing?.groups[place]?.group.id,
                existing,
                random: moment.random
            ),
            realmID: realm.id,
            parentID: parent.id,
            name: name,
            description: try representation.text("description") ?? "",
            attributes: [:]
        )
    }
}

extension Representation {
    /// Attributes of a group or a role, as far as they are kept.
    func attributes(_ subject: String, report: inout ImportReport) throws(RealmImportError)
        -> [String: [String]]
    {
        let said = Dictionary(try lists("attributes").map { ($0.name, $0.values) }) { first, _ in
            first
        }
        var left: [String] = []
        let kept = PersonRegistration.keepable(said) { left.append($0) }
        for name in left {
            report.add(.changed, subject, name, "left out: at most 256 KiB of attributes are kept")
        }
        return kept
    }
}

/// The groups of a file, parents before their children.
struct ImportedGroups {
    /// Which group of the file a path names: all of the file's, because what is left out may have had
    /// fewer rights than another one of its path.
    private enum Claim: Equatable {
        case group(String)
        case leftOut
        case several
    }

    var groups: [GroupWithRoles] = []
    /// By their names from the top, each behind a slash. A slash in a name may make two groups of one
    /// path: then no one is known to be in either, because the other may have more rights.
    private var paths: [Hash256: Claim] = [:]
    private var aliases: [Hash256: Claim] = [:]
    /// Those that are left out too, as far as those above them are not.
    var places: Set<GroupPlace> = []
    var taken = ImportedIDs()

    /// - Returns: `nil` where it is longer than 4 KiB: thousands may stand below a long name.
    static func path(_ parent: String, _ name: String) -> String? {
        parent.utf8.count + name.utf8.count < 4096 ? "\(parent)/\(name)" : nil
    }

    /// The id of the group that a person's `groups` names.
    func id(_ path: String) -> String? {
        guard case .group(let id)? = claim(path) else { return nil }
        return id
    }

    func isAmbiguous(_ path: String) -> Bool { claim(path) == .several }

    /// Whether one of the groups has that path by its names.
    func isPath(_ path: String) -> Bool {
        paths[Hash256(of: path)].map { $0 != .leftOut && $0 != .several } ?? false
    }

    private func claim(_ path: String) -> Claim? {
        let path = Hash256(of: path)
        return paths[path] ?? aliases[path]
    }

    /// - Parameter id: `nil`: it is left out.
    fileprivate mutating func name(_ id: String?, _ path: String) {
        Self.add(id, path, to: &paths)
    }

    fileprivate mutating func nameAlso(_ id: String?, _ alias: String) {
        Self.add(id, alias, to: &aliases)
    }

    private static func add(
        _ id: String?,
        _ path: String,
        to claims: inout [Hash256: Claim]
    ) {
        let claim = id.map { Claim.group($0) } ?? .leftOut
        let path = Hash256(of: path)
        let former = claims[path]
        claims[path] = former == nil || former == claim ? claim : .several
    }
}
