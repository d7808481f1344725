import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores

/// Imports Keycloak's roles (Keycloak `RolesRepresentation`).
///
/// A composite role stays one role; its members at the time of the import also get the roles that
/// it contains.
struct RoleImport {
    let realm: Realm
    let clients: [Client]
    let moment: Moment

    func callAsFunction(_ representation: Representation, report: inout ImportReport)
        throws(RealmImportError) -> ImportedRoles
    {
        var imported = ImportedRoles()
        guard let roles = try representation.child("roles") else { return imported }
        for role in try roles.children("realm") {
            try add(role, of: nil, to: &imported, report: &report)
        }
        let known = Set(clients.map(\.clientID))
        if let byClient = try roles.child("client") {
            for (clientID, _) in byClient.object {
                let roles = try byClient.children(clientID)
                if known.contains(clientID) {
                    for role in roles {
                        try add(role, of: clientID, to: &imported, report: &report)
                    }
                } else if !ClientImport.isBuiltIn(clientID, in: realm.name), !roles.isEmpty {
                    report.add(.skipped, "roles of \(clientID)", "the client is not imported")
                }
            }
        }
        return imported
    }

    private func add(
        _ representation: Representation,
        of clientID: String?,
        to imported: inout ImportedRoles,
        report: inout ImportReport
    ) throws(RealmImportError) {
        guard let name = try representation.text("name") else {
            throw .missing(path: representation.path(of: "name"))
        }
        let subject = "role " + (clientID.map { "\($0)/" } ?? "") + name
        let role = Role(
            id: UniqueID(random: moment.random).text,
            realmID: realm.id,
            clientID: clientID,
            name: name,
            description: try representation.text("description") ?? ""
        )
        do {
            try RoleRegistration.check(role)
        } catch {
            report.add(.skipped, subject, "\(error.field): \(error.rule)")
            return
        }
        let key = RoleName(clientID: clientID, name: name)
        guard imported.parts[key] == nil else {
            report.add(.skipped, subject, "the file has it twice")
            return
        }
        let parts = try Self.parts(of: representation)
        imported.roles.append(role)
        imported.parts[key] = parts
        report.add(.read, subject, "")
        if !parts.isEmpty {
            report.add(
                .changed,
                subject,
                "composite: people who have it were given its roles too; later changes do not follow"
            )
        }
    }

    private static func parts(of role: Representation) throws(RealmImportError) -> [RoleName] {
        guard let composites = try role.child("composites") else { return [] }
        var parts = (try composites.strings("realm") ?? []).map {
            RoleName(clientID: nil, name: $0)
        }
        for (clientID, names) in try composites.lists("client") {
            parts += names.map { RoleName(clientID: clientID, name: $0) }
        }
        return parts
    }
}

/// The roles of a file, and the parts of composite ones.
struct ImportedRoles {
    var roles: [Role] = []
    /// Has an entry for every imported role.
    var parts: [RoleName: [RoleName]] = [:]

    func contains(_ role: RoleName) -> Bool {
        parts[role] != nil
    }

    /// These roles and everything that they contain, without repeats, even if they form a cycle.
    func expanded(_ roles: [RoleName]) -> [RoleName] {
        var expanded: [RoleName] = []
        var seen: Set<RoleName> = []
        var pending = Array(roles.reversed())
        while let role = pending.popLast() {
            guard contains(role), seen.insert(role).inserted else { continue }
            expanded.append(role)
            pending.append(contentsOf: (parts[role] ?? []).reversed())
        }
        return expanded
    }
}
