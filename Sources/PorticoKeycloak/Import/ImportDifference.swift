import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What of a realm as a file has it is written over what is here (docs/decisions/0054), and what it
/// lacks. What is here is what the file says afterwards, or where it is only added to, stays.
struct ImportDifference {
    let existing: ExistingRealm
    let file: FileThings
    let conflict: ImportConflict
    let ring: KeyRing
    let random: RandomSource

    /// - Parameter imported: What the file has of the realm.
    func callAsFunction(
        _ imported: RealmImport.Imported,
        report: inout ImportReport
    ) throws -> RealmChanges {
        let new = imported.realm
        var changes = RealmChanges()
        if conflict.writesOver,
            tells("realm", existing.realm, new.realm, \.memberValues, &report)
        {
            changes.realm = new.realm
        }
        let known = existing.keys.map(\.keyID)
        changes.keys = new.keys.filter { !known.contains($0.keyID) }
        let limits = addLimits(of: new, to: &changes, &report)
        for client in new.clients {
            let name = ThingName.client(client.clientID)
            guard mayWrite(name, &report) else { continue }
            let former = existing.clients[ExactText(client.clientID)]
            for loss in former?.losses(as: client) ?? [] {
                report.add(.weaker, name.subject, "\(loss)")
            }
            if tells(name.subject, former, client, \.memberValues, &report) {
                changes.clients.append(client)
            }
        }
        for scope in new.scopes {
            add(scope, isLimited: limits[.scope(scope.id)]?.isEmpty == false, to: &changes, &report)
        }
        addRoles(of: new, to: &changes, &report)
        for group in new.groups {
            let former = existing.groups[GroupPlace(group.group)]
            let (subject, roles) = ("group \(group.group.name)", Set(group.roles))
            guard mayWrite(former != nil, subject, &report) else { continue }
            let isOther = tells(subject, former?.group, group.group, Self.json, &report)
            if isOther { changes.groups.append(group.group) }
            if roles != Set(former?.roles ?? []) {
                changes.groupRoles.append((group.group.id, roles))
                tell(subject, "roles", Set(former?.roles ?? []), roles, &report)
            }
        }
        for part in new.parts {
            let former = existing.parts[PartPlace(part)]
            let subject = "\(part.kind) \(part.id)"
            guard mayWrite(former != nil, subject, &report) else { continue }
            let next = try former.map { try written(part, over: $0) } ?? part
            if tells(subject, former, next, \.document, &report) { changes.parts.append(next) }
        }
        return changes
    }

    private static func json(_ group: Group) -> JSONObject {
        GroupRepresentation(GroupWithRoles(group: group)).json
    }

    /// - Parameter isLimited: It is for people with one of its roles only.
    private func add(
        _ said: ClientScope,
        isLimited: Bool,
        to changes: inout RealmChanges,
        _ report: inout ImportReport
    ) {
        let name = ThingName.scope(said.name)
        guard mayWrite(name, &report) else { return }
        var scope = said
        let former = existing.scopes[ExactText(scope.name)]
        // A file without such lists does not say for whom it is.
        let saysLimits =
            file.object["scopeMappings"] != nil && file.object["clientScopeMappings"] != nil
        if isLimited || former?.isLimited == true && !saysLimits { scope.isLimited = true }
        if former?.isLimited == true, !scope.isLimited {
            report.add(.weaker, name.subject, "was for people with one of its roles here")
        }
        if tells(name.subject, former, scope, Self.json, &report) { changes.scopes.append(scope) }
    }

    private static func json(_ scope: ClientScope) -> JSONObject {
        var json = ClientScopeRepresentation(scope).json
        json["limited"] = .bool(scope.isLimited)
        return json
    }

    static let stays: StaticString = "is here already: stays as it is"

    /// Whether something is written: it is new here, or the file's word counts.
    private func mayWrite(_ name: ThingName) -> Bool {
        !existing.here.contains(name) || conflict.writesOver && file.says(name)
    }

    private func mayWrite(_ name: ThingName, _ report: inout ImportReport) -> Bool {
        guard file.says(name) else { return mayWrite(name) }
        return mayWrite(existing.here.contains(name), name.subject, &report)
    }

    private func mayWrite(
        _ isHere: Bool,
        _ subject: String,
        _ report: inout ImportReport
    ) -> Bool {
        guard isHere, !conflict.writesOver else { return true }
        report.add(.stays, subject, "\(Self.stays)")
        return false
    }

    private func addRoles(
        of new: NewRealm,
        to changes: inout RealmChanges,
        _ report: inout ImportReport
    ) {
        let contents = Dictionary(grouping: new.roleParts, by: \.role)
        for role in new.roles {
            let name = ThingName.role(role.roleName)
            guard mayWrite(name, &report) else { continue }
            let former = existing.roles[role.roleName]
            if tells(name.subject, former, role, { RoleRepresentation($0).json }, &report) {
                changes.roles.append(role)
            }
            let parts = Set((contents[role.roleName] ?? []).map(\.part))
            let before = existing.contents[role.roleName] ?? []
            guard parts != before else { continue }
            changes.contents.append((role.roleName, parts))
            tell(name.subject, "contains", before, parts, &report)
        }
    }

    /// - Returns: The roles that each owner shows afterwards.
    private func addLimits(
        of new: NewRealm,
        to changes: inout RealmChanges,
        _ report: inout ImportReport
    ) -> [RoleLimit.Owner: Set<RoleName>] {
        // A file may say nothing of the roles of the realm, or of those of clients.
        let ofRealm = file.object["scopeMappings"] != nil
        let ofClients = file.object["clientScopeMappings"] != nil
        var limits = Dictionary(grouping: new.roleLimits, by: \.owner)
            .mapValues { Set($0.map(\.role)) }
        let owners =
            new.clients.map { (RoleLimit.Owner.client($0.id), ThingName.client($0.clientID)) }
            + new.scopes.map { (.scope($0.id), .scope($0.name)) }
        for (owner, name) in owners where mayWrite(name) {
            let before = existing.limits[owner] ?? []
            let unsaid = before.filter { $0.clientID == nil ? !ofRealm : !ofClients }
            let roles = (limits[owner] ?? []).union(unsaid)
            limits[owner] = roles
            guard roles != before else { continue }
            changes.limits.append((owner, roles))
            tell(name.subject, "shows", before, roles, &report)
        }
        return limits
    }

    /// A part as the file has it. What it masks, wherever that stands, and secrets that it lacks are as they
    /// are here.
    private func written(_ part: RealmPart, over former: RealmPart) throws -> RealmPart {
        let secrets = RealmSecrets(ring: ring, areShown: true)
        let (said, kept) = (try secrets.whole(part), try secrets.whole(former))
        let next = RealmPartSeal.parted(RealmSecrets.unmasked(said, by: kept))
        let before = RealmPartSeal.parted(kept).secrets
        let closed = RealmSecrets.join(next.secrets, to: before)
        var written = part
        written.document = next.rest
        let id = former.document["internalId"]
        written.document["internalId"] = id ?? part.document["internalId"]
        // A seal is another each time.
        written.sealed =
            closed == before
            ? former.sealed
            : RealmPartSeal(ring: ring).seal(
                closed,
                of: part.kind,
                id: part.id,
                realmID: part.realmID,
                random: random
            )
        return written
    }
}

/// What the report says of it.
extension ImportDifference {
    private static let written: StaticString = "differs from what is here: written over"
    private static let new: StaticString = "new"

    /// - Parameter former: `nil`: it is not here yet.
    /// - Returns: Whether it is another one.
    private func tells<Thing: Equatable>(
        _ subject: String,
        _ former: Thing?,
        _ next: Thing,
        _ json: (Thing) -> JSONObject,
        _ report: inout ImportReport
    ) -> Bool {
        guard next != former else { return false }
        guard let former else {
            report.add(.written, subject, "\(Self.new)")
            return true
        }
        let members = Set(json(former).changes(to: json(next))).sorted().joined(separator: ", ")
        report.add(.written, subject, members.isEmpty ? nil : members, "\(Self.written)")
        return true
    }

    private func tell(
        _ subject: String,
        _ verb: String,
        _ former: Set<RoleName>,
        _ next: Set<RoleName>,
        _ report: inout ImportReport
    ) {
        let words = "\(verb) \(Set(former.map(\.text)).changes(to: Set(next.map(\.text))))"
        report.add(.written, subject, words, "\(Self.written)")
    }
}

extension JSONObject {
    /// The members that another one has otherwise; what is switched on or off, with its new value.
    func changes(to next: JSONObject) -> [String] {
        let names = Set((map(\.name) + next.map(\.name)).map(ExactText.init)).map(\.text).sorted()
        return names.filter { self[$0] != next[$0] }.flatMap { name -> [String] in
            if let inner = self[name]?.object, let other = next[name]?.object {
                return inner.changes(to: other)
            }
            return [next[name]?.bool.map { "\(name) \($0 ? "on" : "off")" } ?? name]
        }
    }
}

extension Set<String> {
    /// `+new -gone`
    func changes(to next: Set<String>) -> String {
        (next.subtracting(self).sorted().map { "+\($0)" }
            + subtracting(next).sorted().map { "-\($0)" }).joined(separator: " ")
    }
}

extension RoleName {
    /// `shop/editor`
    var text: String { (clientID.map { "\($0)/" } ?? "") + name }
}

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

    /// Without Keycloak's own and apps of the backend, and in realm master without those whose own account may
    /// administer.
    private var clients: [Missing] {
        guard file.object["clients"] != nil else { return [] }
        return existing.clients.values.filter {
            !file.has(.client($0.clientID), id: $0.id)
                && !Client.isBuiltIn($0.clientID, in: existing.realm.name)
                && $0.handOff.form == .none
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
        let all = existing.groups.values.map(\.group).keyed(by: \.id)
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
