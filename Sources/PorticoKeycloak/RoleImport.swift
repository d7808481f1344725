import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Imports Keycloak's roles (Keycloak `RolesRepresentation`).
///
/// A role that contains others stays one role: what it amounts to is decided when a token is made.
struct RoleImport {
    let realm: Realm
    let clients: [Client]
    let moment: Moment
    var existing: ExistingRealm?

    func callAsFunction(_ representation: Representation, report: inout ImportReport)
        throws(RealmImportError) -> ImportedRoles
    {
        var imported = ImportedRoles()
        guard let roles = try representation.child("roles") else { return imported }
        for role in try roles.children("realm") {
            try add(role, of: nil, to: &imported, report: &report)
        }
        let known = Set(clients.map { ExactText($0.clientID) })
        if let byClient = try roles.child("client") {
            for (clientID, roles) in try byClient.childrenByName() {
                if known.contains(ExactText(clientID)) {
                    for role in roles {
                        try add(role, of: clientID, to: &imported, report: &report)
                    }
                } else if !roles.isEmpty {
                    report.add(.skipped, "roles of \(clientID)", "the client is not imported")
                }
            }
        }
        imported.keepKnownParts(report: &report)
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
        let here = existing?.roles[RoleName(clientID: clientID, name: name)]
        var role = Role(
            id: imported.ids.take(
                try representation.text("id"),
                here: here?.id,
                existing,
                random: moment.random
            ),
            realmID: realm.id,
            clientID: clientID,
            name: name,
            description: try representation.text("description") ?? "",
            attributes: try representation.attributes(subject, report: &report)
        )
        do {
            try RoleRegistration.check(role, isImported: true)
        } catch .description {
            report.add(
                .changed,
                subject,
                "description",
                "left out: a text of more than 1,000 bytes"
            )
            role.description = ""
        } catch {
            report.add(.skipped, subject, "\(error.field): \(error.rule)")
            return
        }
        guard imported.names.insert(role.roleName).inserted else {
            report.add(.skipped, subject, "the file has it twice")
            return
        }
        imported.roles.append(role)
        imported.parts += try Self.parts(of: representation).map {
            RolePart(role: role.roleName, part: $0)
        }
        report.add(.read, subject, "")
    }

    private static func parts(of role: Representation) throws(RealmImportError) -> [RoleName] {
        try role.child("composites")?.roles("realm", "client") ?? []
    }
}

extension Representation {
    /// Roles by their names: those of the realm in one member, those of clients in another.
    func roles(_ ofRealm: String, _ byClient: String) throws(RealmImportError) -> [RoleName] {
        var names = (try strings(ofRealm) ?? []).map { RoleName(clientID: nil, name: $0) }
        for (clientID, roles) in try lists(byClient) {
            names += roles.map { RoleName(clientID: clientID, name: $0) }
        }
        return names
    }
}

/// The roles of a file, and which of them contain others.
struct ImportedRoles {
    var roles: [Role] = []
    var names: Set<RoleName> = []
    var parts: [RolePart] = []
    var ids = ImportedIDs()

    func contains(_ role: RoleName) -> Bool {
        names.contains(role)
    }

    /// - Returns: Those of the roles that are imported; the others are reported.
    func known(_ roles: [RoleName], _ subject: String, report: inout ImportReport) -> [RoleName] {
        roles.filter { role in
            guard !contains(role) else { return true }
            let owner = role.clientID.map { "\($0)/" } ?? ""
            report.add(.skipped, subject, "role \(owner)\(role.name)", "it is not imported")
            return false
        }
    }

    fileprivate mutating func keepKnownParts(report: inout ImportReport) {
        let all = parts
        parts = all.filter { part in
            let owner = part.role.clientID.map { "\($0)/" } ?? ""
            return !known([part.part], "role \(owner)\(part.role.name)", report: &report).isEmpty
        }
    }
}
