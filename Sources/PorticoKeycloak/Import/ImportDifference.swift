import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What of a realm as a file has it is written over what is here.
///
/// What the file does not name stays as it is here: it may have been made here. Where it is known what
/// the file of before said, so does what was changed since (``ThreeWay``).
struct ImportDifference {
    let existing: ExistingRealm
    let notes: ImportNotes
    let ring: KeyRing
    /// The names of the client scopes that a file's clients can have: its own. Where it has none, those
    /// that are here and were not made here.
    let scopes: Set<ExactText>

    static let refused: StaticString =
        "changed here and in the file since the last import: it stays as it is here"

    /// - Parameters:
    ///   - imported: What the file has of the realm.
    ///   - notes: Of the things of the file (``ImportNotes``).
    ///   - unsaid: What the file says nothing of.
    func callAsFunction(
        _ imported: RealmImport.Imported,
        _ notes: [RealmPart],
        _ unsaid: UnsaidRights,
        report: inout ImportReport
    ) throws -> RealmChanges {
        let new = imported.realm
        var changes = RealmChanges()
        let made = Set(existing.parts.values.filter(isMadeHere).map(ImportNotes.Name.part))
        let masked = Set(try new.parts.filter(isMasked).map(ImportNotes.Name.part))
        changes.imported = try notes.filter { !made.contains($0.id) }
            .map { keeping(unsaid, masked, $0) }.filter { try !isKept($0) }
        let realm = giving(try merged(new.realm, &report), imported.people, &report)
        if realm != existing.realm { changes.realm = realm }
        addKeys(of: new, to: &changes)
        for client in new.clients {
            let shut = imported.shut[ExactText(client.clientID)]
            let next = try merged(client, shut, &report)
            let former = existing.clients[ExactText(client.clientID)]
            if next != former { changes.clients.append(next) }
        }
        for scope in new.scopes {
            let next = merged(scope, &report)
            let former = existing.scopes[ExactText(scope.name)]
            if next != former { changes.scopes.append(next) }
        }
        let contents = Dictionary(grouping: new.roleParts, by: \.role)
        for role in new.roles {
            let (next, parts) = merged(
                role,
                Set((contents[role.roleName] ?? []).map(\.part)),
                unsaid,
                &report
            )
            let former = existing.roles[role.roleName]
            if next != former { changes.roles.append(next) }
            if parts != existing.contents[role.roleName] ?? [] {
                changes.contents.append((role.roleName, parts))
            }
        }
        for group in new.groups {
            let name = ImportNotes.Name.group(group.group.name, in: group.group.parentID)
            let former = existing.groups[name]
            let (next, roles) = merged(group, over: former, unsaid, &report)
            if next != former?.group { changes.groups.append(next) }
            if roles != Set(former?.roles ?? []) { changes.groupRoles.append((next.id, roles)) }
        }
        addLimits(of: new, to: &changes, unsaid, &report)
        for part in new.parts {
            if let next = try merged(part, &report) { changes.parts.append(next) }
        }
        return changes
    }

    /// - Returns: `nil` where nothing is known of the file of before: the file's word counts.
    func way(_ name: String, id: String?) -> ThreeWay? {
        guard existing.isNoted(name) else { return nil }
        guard let fields = existing.fields(name),
            id == nil || fields.says(id.map(JSONValue.string), at: FieldPath("id"))
        else { return ThreeWay(nil) }
        return ThreeWay(fields)
    }

    func tell(_ way: ThreeWay, _ subject: String, _ report: inout ImportReport) {
        for path in way.refused { report.add(.skipped, subject, path.text, "\(Self.refused)") }
    }

    private func merged(_ realm: Realm, _ report: inout ImportReport) throws -> Realm {
        guard let said = existing.saidOfRealm else { return realm }
        var way = ThreeWay(said)
        var merged = try realm.with(way.merged(realm.fields, existing.realm.fields))
        merged.notBefore = max(realm.notBefore, existing.realm.notBefore)
        tell(way, "realm", &report)
        return merged
    }

    private func merged(
        _ client: Client,
        _ shut: ShutClient?,
        _ report: inout ImportReport
    ) throws -> Client {
        guard let here = existing.clients[ExactText(client.clientID)],
            var way = way(ImportNotes.Name.client(client.clientID), id: here.id)
        else { return client }
        var file = client
        if let shut { file.isEnabled = shut.isEnabled }
        let named = file.defaultScopes + file.optionalScopes
        file.defaultScopes += unsaid(here.defaultScopes, by: named)
        file.optionalScopes += unsaid(here.optionalScopes, by: named)
        let proof = Client.proofMember
        let proven = here.fields[proof]
        var said = file.fields
        if said[proof] != proven, isChangedHere(secretOf: here) {
            let isNew = way.former?.says(said[proof], at: FieldPath(proof)) != true
            if isNew { report.add(.skipped, "client \(client.clientID)", proof, "\(Self.refused)") }
            said[proof] = proven
        }
        var fields = way.merged(said, here.fields)
        // A file's secret goes with the way that it is proven by.
        var secret = fields[proof] == client.fields[proof] ? client.secret : here.secret
        if fields[proof] == proven { secret = secret ?? here.secret }
        if let shut {
            // Its protection would be gone from now on, unless it was given another one here. One that
            // is disabled is enabled by an administrator here only.
            let isShut =
                here.isEnabled
                ? way.former?.says(here.fields[proof], at: FieldPath(proof)) == true
                    && way.takes(true, over: nil, at: .isShut)
                : fields["enabled"] == true
            if isShut {
                fields["enabled"] = false
                report.add(.disabled, "client \(client.clientID)", "\(shut.why)")
            }
        }
        tell(way, "client \(client.clientID)", &report)
        return try client.with(fields, secret: secret)
    }

    private func merged(_ scope: ClientScope, _ report: inout ImportReport) -> ClientScope {
        guard let here = existing.scopes[ExactText(scope.name)],
            var way = way(ImportNotes.Name.scope(scope.name), id: here.id)
        else { return scope }
        let fields = way.merged(scope.fields, here.fields)
        let merged = fields == scope.fields ? scope : here
        tell(way, "scope \(scope.name)", &report)
        return merged
    }

    private func merged(
        _ role: Role,
        _ parts: Set<RoleName>,
        _ unsaid: UnsaidRights,
        _ report: inout ImportReport
    ) -> (Role, Set<RoleName>) {
        guard let here = existing.roles[role.roleName],
            var way = way(ImportNotes.Name.role(role.roleName), id: here.id)
        else { return (role, parts) }
        var merged = here
        let fields = way.merged(role.fields, here.fields)
        merged.description = fields.string("description") ?? ""
        merged.attributes = fields.attributes
        let former = existing.contents[role.roleName] ?? []
        let contents = way.merged(parts, unsaid.said(former)) {
            .role($0, in: ImportNotes.contents)
        }
        tell(way, "role \(role.name)", &report)
        return (merged, contents.union(unsaid.unsaid(former)))
    }

    private func merged(
        _ group: GroupWithRoles,
        over here: GroupWithRoles?,
        _ unsaid: UnsaidRights,
        _ report: inout ImportReport
    ) -> (Group, Set<RoleName>) {
        let name = ImportNotes.Name.group(group.group.name, in: group.group.parentID)
        guard let here, var way = way(name, id: here.group.id) else {
            return (group.group, Set(group.roles))
        }
        var merged = here.group
        let fields = way.merged(group.group.fields, here.group.fields)
        merged.description = fields.string("description") ?? ""
        merged.attributes = fields.attributes
        let former = Set(here.roles)
        let roles = way.merged(Set(group.roles), unsaid.said(former)) {
            .role($0, in: ImportNotes.roles)
        }
        tell(way, "group \(group.group.name)", &report)
        return (merged, roles.union(unsaid.unsaid(former)))
    }

    private func addLimits(
        of new: NewRealm,
        to changes: inout RealmChanges,
        _ unsaid: UnsaidRights,
        _ report: inout ImportReport
    ) {
        typealias Owner = (owner: RoleLimit.Owner, note: String, id: String?, subject: String)
        let limits = Dictionary(grouping: new.roleLimits, by: \.owner)
        let clients = new.clients.map { client -> Owner in
            (
                .client(client.id), ImportNotes.Name.client(client.clientID),
                existing.clients[ExactText(client.clientID)]?.id, "client \(client.clientID)"
            )
        }
        let scopes = new.scopes.map { scope -> Owner in
            (
                .scope(scope.id), ImportNotes.Name.scope(scope.name),
                existing.scopes[ExactText(scope.name)]?.id, "scope \(scope.name)"
            )
        }
        for (owner, note, id, subject) in clients + scopes {
            var roles = Set((limits[owner] ?? []).map(\.role))
            let former = existing.limits[owner] ?? []
            if let id, var way = way(note, id: id) {
                roles = way.merged(roles, unsaid.said(former)) {
                    .role($0, in: ImportNotes.limits)
                }
                roles.formUnion(unsaid.unsaid(former))
                tell(way, subject, &report)
            }
            if roles != former { changes.limits.append((owner, roles)) }
        }
    }

    private func addKeys(of new: NewRealm, to changes: inout RealmChanges) {
        let keys = Set(existing.keys.map(\.keyID))
        // They verify. What signs here was chosen here, and one that is gone may have been stolen.
        let oldest = existing.keys.map(\.activeFrom).min() ?? 0
        changes.keys = new.keys.filter { !keys.contains($0.keyID) }.map { key in
            var key = key
            key.activeFrom = oldest - 1
            key.retiredFrom = existing.retirements[ImportNotes.Name.key(key.keyID)]
            return key
        }
        // Those that verify tokens of before are deleted when their time is over.
        changes.keptKeys = new.keptKeys.filter {
            existing.keptKeys[$0.keyID] == nil && !keys.contains($0.keyID)
        }
        // What the file has disabled verifies nothing here either, and signs nothing.
        changes.disabledKeys = new.keptKeys.filter { key in
            key.kind == .silent
                && (keys.contains(key.keyID) || existing.keptKeys[key.keyID] ?? .silent != .silent)
        }
    }
}

extension JSONObject {
    fileprivate var attributes: [String: [String]] {
        Dictionary(
            (object("attributes") ?? [:]).map { ($0.name, $0.value.strings ?? []) }
        ) { first, _ in first }
    }
}
