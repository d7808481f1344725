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
    let ring: KeyRing

    static let refused: StaticString =
        "changed here and in the file since the last import: it stays as it is here"

    /// - Parameter notes: Of the things of the file (``ImportNotes``).
    func callAsFunction(
        _ new: NewRealm,
        _ notes: [RealmPart],
        report: inout ImportReport
    ) throws -> RealmChanges {
        var changes = RealmChanges()
        changes.imported = try notes.filter { try !isKept($0) }
        let realm = try merged(new.realm, &report)
        if realm != existing.realm { changes.realm = realm }
        addKeys(of: new, to: &changes)
        for client in new.clients {
            let next = try merged(client, &report)
            if next != existing.clients[ExactText(client.clientID)] {
                changes.clients.append(next)
            }
        }
        for scope in new.scopes {
            let next = merged(scope, &report)
            if next != existing.scopes[ExactText(scope.name)] { changes.scopes.append(next) }
        }
        let contents = Dictionary(grouping: new.roleParts, by: \.role)
        for role in new.roles {
            let (next, parts) = merged(
                role,
                Set((contents[role.roleName] ?? []).map(\.part)),
                &report
            )
            if next != existing.roles[role.roleName] { changes.roles.append(next) }
            if parts != existing.contents[role.roleName] ?? [] {
                changes.contents.append((role.roleName, parts))
            }
        }
        for group in new.groups {
            let former = existing.groups[[group.group.parentID ?? "", group.group.name]]
            let (next, roles) = merged(group, over: former, &report)
            if next != former?.group { changes.groups.append(next) }
            if roles != Set(former?.roles ?? []) { changes.groupRoles.append((next.id, roles)) }
        }
        addLimits(of: new, to: &changes, &report)
        changes.parts = try new.parts.compactMap(changed)
        return changes
    }

    /// Whether a note says what the one that is kept does. A seal is another each time.
    private func isKept(_ note: RealmPart) throws -> Bool {
        guard let former = existing.notes[note.id], former.document == note.document else {
            return false
        }
        let secrets = try [former, note].map { note in
            try ImportNotes.secret(of: note, ring: ring)?.reveal() ?? ""
        }
        return sameBytes(secrets[0], secrets[1])
    }

    /// - Returns: `nil` where nothing is known of the file of before: the file's word counts.
    private func way(_ name: String, id: String?) -> ThreeWay? {
        guard existing.isNoted else { return nil }
        guard let fields = existing.notes[name].flatMap({ ImportedFields(document: $0.document) }),
            id == nil || fields.says(id.map(JSONValue.string), at: FieldPath("id"))
        else { return ThreeWay(nil) }
        return ThreeWay(fields)
    }

    private func tell(_ way: ThreeWay, _ subject: String, _ report: inout ImportReport) {
        for path in way.refused { report.add(.skipped, subject, path.text, "\(Self.refused)") }
    }

    private func merged(_ realm: Realm, _ report: inout ImportReport) throws -> Realm {
        guard var way = way(ImportNotes.Name.realm, id: nil) else { return realm }
        var merged = try realm.with(way.merged(realm.fields, existing.realm.fields))
        merged.notBefore = max(realm.notBefore, existing.realm.notBefore)
        tell(way, "realm", &report)
        return merged
    }

    private func merged(_ client: Client, _ report: inout ImportReport) throws -> Client {
        guard let here = existing.clients[ExactText(client.clientID)],
            var way = way(ImportNotes.Name.client(client.clientID), id: here.id)
        else { return client }
        let fields = way.merged(client.fields, here.fields)
        // A file's secret goes with the way that it is proven by.
        let proof = Client.proofMember
        let secret = fields[proof] == client.fields[proof] ? client.secret : here.secret
        tell(way, "client \(client.clientID)", &report)
        return try client.with(fields, secret: secret)
    }

    private func merged(_ scope: ClientScope, _ report: inout ImportReport) -> ClientScope {
        guard let here = existing.scopes[ExactText(scope.name)],
            var way = way(ImportNotes.Name.scope(scope.name), id: here.id)
        else { return scope }
        var merged = here
        let fields = way.merged(scope.fields, here.fields)
        merged.representation = fields.object("representation") ?? here.representation
        tell(way, "scope \(scope.name)", &report)
        return merged
    }

    private func merged(
        _ role: Role,
        _ parts: Set<RoleName>,
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
        let contents = way.merged(parts, former) { .role($0, in: ImportNotes.contents) }
        tell(way, "role \(role.name)", &report)
        return (merged, contents)
    }

    private func merged(
        _ group: GroupWithRoles,
        over here: GroupWithRoles?,
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
        let roles = way.merged(Set(group.roles), Set(here.roles)) {
            .role($0, in: ImportNotes.roles)
        }
        tell(way, "group \(group.group.name)", &report)
        return (merged, roles)
    }

    private func addLimits(
        of new: NewRealm,
        to changes: inout RealmChanges,
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
                roles = way.merged(roles, former) { .role($0, in: ImportNotes.limits) }
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
    }

    /// Nothing here changes what nothing acts on.
    private func changed(_ part: RealmPart) throws -> RealmPart? {
        guard let former = existing.parts[[part.kind, part.id]] else { return part }
        var part = part
        let secrets = try secrets(of: part)
        // What a file masks it does not say.
        if secrets.isMasked { part.sealed = former.sealed }
        guard former.document == part.document else { return part }
        return try secrets.isMasked || self.secrets(of: former) == secrets ? nil : part
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

    fileprivate var attributes: [String: [String]] {
        Dictionary(
            (object("attributes") ?? [:]).map { ($0.name, $0.value.strings ?? []) }
        ) { first, _ in first }
    }
}
