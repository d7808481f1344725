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
        if conflict.writesOver {
            if new.realm != existing.realm {
                tell("realm", existing.realm.fields, new.realm.fields, &report)
                changes.realm = new.realm
            }
        }
        let known = existing.keys.map(\.keyID)
        changes.keys = new.keys.filter { !known.contains($0.keyID) }
        let limits = addLimits(of: new, to: &changes, &report)
        for client in new.clients {
            let name = ThingName.client(client.clientID)
            guard mayWrite(name, &report) else { continue }
            let former = existing.clients[ExactText(client.clientID)]
            guard client != former else { continue }
            tell(name.subject, former?.fields, client.fields, &report)
            for loss in former?.losses(as: client) ?? [] {
                report.add(.weaker, name.subject, "\(loss)")
            }
            changes.clients.append(client)
        }
        for var scope in new.scopes {
            let name = ThingName.scope(scope.name)
            guard mayWrite(name, &report) else { continue }
            // It is for people with one of its roles only.
            if limits[.scope(scope.id)]?.isEmpty == false {
                scope.isLimited = true
            }
            let former = existing.scopes[ExactText(scope.name)]
            // A file without such lists does not say for whom it is.
            let saysLimits =
                file.object["scopeMappings"] != nil && file.object["clientScopeMappings"] != nil
            if former?.isLimited == true, !saysLimits { scope.isLimited = true }
            guard scope != former else { continue }
            if former?.isLimited == true, !scope.isLimited {
                report.add(.weaker, name.subject, "was for people with one of its roles here")
            }
            tell(
                name.subject,
                former.map { ClientScopeRepresentation($0).json },
                ClientScopeRepresentation(scope).json,
                &report
            )
            changes.scopes.append(scope)
        }
        addRoles(of: new, to: &changes, &report)
        for group in new.groups {
            let former = existing.groups[GroupPlace(group.group)]
            let (subject, roles) = ("group \(group.group.name)", Set(group.roles))
            guard mayWrite(former != nil, subject, &report) else { continue }
            if group.group != former?.group {
                tell(subject, former?.group.fields, group.group.fields, &report)
                changes.groups.append(group.group)
            }
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
            guard next != former else { continue }
            tell(subject, former?.document, next.document, &report)
            changes.parts.append(next)
        }
        return changes
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
            if role != former {
                tell(name.subject, former?.fields, role.fields, &report)
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
    private func tell(
        _ subject: String,
        _ former: JSONObject?,
        _ next: JSONObject,
        _ report: inout ImportReport
    ) {
        guard let former else { return report.add(.written, subject, "\(Self.new)") }
        let members = Set(former.changes(to: next)).sorted().joined(separator: ", ")
        report.add(.written, subject, members.isEmpty ? nil : members, "\(Self.written)")
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

/// Things as the objects whose members a report names.
extension MemberOwner {
    fileprivate var fields: JSONObject { memberValues }
}

extension Role {
    fileprivate var fields: JSONObject {
        ["description": .string(description), "attributes": .lists(attributes)]
    }
}

extension Group {
    fileprivate var fields: JSONObject {
        ["description": .string(description), "attributes": .lists(attributes)]
    }
}
