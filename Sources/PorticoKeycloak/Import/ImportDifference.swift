import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What of a realm as a file has it differs from what is here.
///
/// What the file does not name stays as it is here: it may have been made here.
struct ImportDifference {
    let existing: ExistingRealm
    let ring: KeyRing

    func callAsFunction(_ new: NewRealm) throws -> RealmChanges {
        var changes = RealmChanges()
        if new.realm != existing.realm { changes.realm = new.realm }
        let keys = Set(existing.keys.map(\.keyID))
        changes.keys = new.keys.filter { !keys.contains($0.keyID) }
        changes.keptKeys = new.keptKeys.filter { !existing.keptKeys.contains($0.keyID) }
        changes.clients = new.clients.filter {
            existing.clients[ExactText($0.clientID)] != $0
        }
        changes.scopes = new.scopes.filter { existing.scopes[ExactText($0.name)] != $0 }
        changes.roles = new.roles.filter { existing.roles[$0.roleName] != $0 }
        let contents = Dictionary(grouping: new.roleParts, by: \.role)
        for role in new.roles.map(\.roleName) {
            let parts = Set((contents[role] ?? []).map(\.part))
            if parts != existing.contents[role] ?? [] { changes.contents.append((role, parts)) }
        }
        for group in new.groups {
            let former = existing.groups[[group.group.parentID ?? "", group.group.name]]
            if former?.group != group.group { changes.groups.append(group.group) }
            if Set(former?.roles ?? []) != Set(group.roles) {
                changes.groupRoles.append((group.group.id, Set(group.roles)))
            }
        }
        let limits = Dictionary(grouping: new.roleLimits, by: \.owner)
        let owners =
            new.clients.map { RoleLimit.Owner.client($0.id) }
            + new.scopes.map { RoleLimit.Owner.scope($0.id) }
        for owner in owners {
            let roles = Set((limits[owner] ?? []).map(\.role))
            if roles != existing.limits[owner] ?? [] { changes.limits.append((owner, roles)) }
        }
        changes.parts = try new.parts.filter { part in
            guard let former = existing.parts[[part.kind, part.id]],
                former.document == part.document
            else { return true }
            return try secrets(of: former) != secrets(of: part)
        }
        return changes
    }

    private func secrets(of part: RealmPart) throws -> JSONObject? {
        try part.sealed.map {
            try RealmPartSeal(ring: ring).open(
                $0,
                of: part.kind,
                id: part.id,
                realmID: part.realmID
            )
        }
    }
}
