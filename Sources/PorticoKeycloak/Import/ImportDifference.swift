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
        // They verify. What signs here was chosen here, and one that is gone may have been stolen.
        let oldest = existing.keys.map(\.activeFrom).min() ?? 0
        changes.keys = new.keys.filter { !keys.contains($0.keyID) }.map { key in
            var key = key
            key.activeFrom = oldest - 1
            return key
        }
        // Those that verify tokens of before are deleted when their time is over.
        changes.keptKeys = new.keptKeys.filter {
            $0.kind != .hmac && existing.keptKeys[$0.keyID] == nil && !keys.contains($0.keyID)
        }
        // What the file has disabled verifies nothing here either, and signs nothing.
        changes.disabledKeys = new.keptKeys.filter { key in
            key.kind == .silent
                && (keys.contains(key.keyID) || existing.keptKeys[key.keyID] ?? .silent != .silent)
        }
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
        changes.parts = try new.parts.compactMap { part in
            guard let former = existing.parts[[part.kind, part.id]] else { return part }
            var part = part
            let secrets = try secrets(of: part)
            // What a file masks it does not say.
            if secrets.isMasked { part.sealed = former.sealed }
            guard former.document == part.document else { return part }
            return try secrets.isMasked || self.secrets(of: former) == secrets ? nil : part
        }
        return changes
    }

    private func secrets(of part: RealmPart) throws -> JSONObject {
        try part.sealed.map {
            try RealmPartSeal(ring: ring).open(
                $0,
                of: part.kind,
                id: part.id,
                realmID: part.realmID
            )
        } ?? [:]
    }
}

extension JSONObject {
    /// Whether one of its members, or of theirs, is a mask.
    fileprivate var isMasked: Bool {
        contains { $0.value.string == RealmSecrets.mask || $0.value.object?.isMasked == true }
    }
}
