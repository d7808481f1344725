import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// What is here and not in the file: it stays and is named, or is deleted where that is asked for.
extension ImportDifference {
    /// A file that has no list of a kind says nothing of it.
    ///
    /// - Parameter named: What was shown as deleted: what came later stays. `nil`: this shows it.
    func addMissing(
        _ imported: RealmImport.Imported,
        named: Set<RealmDeletion>?,
        to changes: inout RealmChanges,
        _ report: inout ImportReport
    ) {
        let missing =
            clients + roles + parts(imported.realm)
            + groups(imported.people.groups, imported.realm) + scopes
        for (subject, deletion) in missing {
            guard conflict.prunes else {
                report.add(.stays, subject, "not in the file: --prune deletes it")
                continue
            }
            guard named?.contains(deletion) ?? true else {
                report.add(.stays, subject, "\(Self.came)")
                continue
            }
            report.add(.deleted, subject, "not in the file")
            changes.deletions.append(deletion)
        }
    }

    /// Of what was not shown before.
    static let came: StaticString =
        "not in the file, and made or changed here while it was read: import it again to delete it"

    private typealias Missing = (subject: String, deletion: RealmDeletion)

    /// Without Keycloak's own, and in realm master without those whose own account may administer.
    private var clients: [Missing] {
        guard file.object["clients"] != nil else { return [] }
        return existing.clients.values.filter {
            !file.has(.client($0.clientID), id: $0.id)
                && !Client.isBuiltIn($0.clientID, in: existing.realm.name)
                && !(existing.realm.name == AdminRights.master
                    && $0.grantTypes.contains(.clientCredentials))
        }.map { ("client \($0.clientID)", .client(id: $0.id)) }.sorted { $0.subject < $1.subject }
    }

    private var scopes: [Missing] {
        guard file.object["clientScopes"] != nil else { return [] }
        return existing.scopes.values.filter { !file.has(.scope($0.name), id: $0.id) }.map {
            ("scope \($0.name)", .scope(id: $0.id, claims: StandardClaims.claims(of: $0.name)))
        }.sorted { $0.subject < $1.subject }
    }

    /// Those of clients that the file lacks, or that are left out, go and stay with them.
    private var roles: [Missing] {
        guard let said = file.object.object("roles") else { return [] }
        return existing.roles.values.filter { role in
            guard !file.has(.role(role.roleName), id: role.id), !isBuiltIn(role) else {
                return false
            }
            guard let clientID = role.clientID else { return said["realm"] != nil }
            return said["client"] != nil && file.says(.client(clientID))
        }.map { ("role \($0.roleName.text)", .role(id: $0.id)) }
            .sorted { $0.subject < $1.subject }
    }

    /// Whether Keycloak puts it into every realm, or everyone has it.
    private func isBuiltIn(_ role: Role) -> Bool {
        if let clientID = role.clientID {
            return Client.isBuiltIn(clientID, in: existing.realm.name)
        }
        let own = BuiltInRealm(existing.realm.name).completing([:]).object("roles")?.array("realm")
        let names =
            (own ?? []).compactMap { $0.object?.string("name") }
            + existing.realm.defaultRoles.filter { $0.clientID == nil }.map(\.name)
        return names.contains { sameBytes($0, role.name) }
    }

    /// Those above something that stays stay, and so do those below what is left out.
    private func groups(_ said: ImportedGroups, _ new: NewRealm) -> [Missing] {
        guard file.object["groups"] != nil else { return [] }
        let all = Dictionary(existing.groups.values.map { ($0.group.id, $0.group) }) { $1 }
        func above(_ group: Group) -> [Group] {
            var (above, next): ([Group], Group?) = ([], group)
            while let group = next, above.count <= RoleGraph.deepest {
                above.append(group)
                next = group.parentID.flatMap { all[$0] }
            }
            return above
        }
        let written = Set(new.groups.map(\.group.id))
        let named = Set(
            all.values.filter {
                let place = GroupPlace($0)
                return said.places.contains(place) || file.has(.group(place), id: $0.id)
            }.map(\.id)
        )
        var kept: Set<String> = []
        for group in all.values {
            let above = above(group)
            let isBelow = above.contains { named.contains($0.id) && !written.contains($0.id) }
            if isBelow || named.contains(group.id) { kept.formUnion(above.map(\.id)) }
        }
        return all.values.filter { !kept.contains($0.id) }
            .map { ("group \($0.name)", .group(id: $0.id)) }.sorted { $0.subject < $1.subject }
    }

    private func parts(_ new: NewRealm) -> [Missing] {
        let said = Set(new.parts.map { PartPlace($0) })
        return existing.parts.filter { place, part in
            guard file.object[part.kind] != nil, !said.contains(place) else { return false }
            return part.kind != IdentityProviderRepresentation.kind
                || !file.has(.provider(part.id), id: part.document.string("internalId"))
        }.values.map { ("\($0.kind) \($0.id)", .part(kind: $0.kind, id: $0.id)) }
            .sorted { $0.subject < $1.subject }
    }
}
