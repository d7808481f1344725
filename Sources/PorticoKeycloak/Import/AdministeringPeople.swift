import PorticoAdministration
import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Who administers a realm: people, groups, those who get the default role, and clients by their
/// own accounts. An import says who does afterwards (``ImportReport/Outcome/administers``).
package struct AdministeringPeople: Sendable {
    /// Someone who is stored.
    package struct Holder: Sendable {
        package let person: Person
        /// Not where they are disabled, or it is the account of a client that gets no tokens for itself.
        package let isEnabled: Bool
        fileprivate var roles: Set<RoleName> = []
        /// Whether they can sign in, and have the whole rights.
        fileprivate var isAdministrator = false
    }

    private let realm: Realm
    private let clients: [Client]
    private let groups: [GroupWithRoles]
    /// The administrative roles that a role is or contains. Most have none, and are not here.
    private let brought: [RoleName: Set<RoleName>]
    /// The same of groups, with those above them, by their ids.
    private let byGroup: [String: Set<RoleName>]
    /// The ids of clients that get tokens for themselves.
    private let acting: Set<String>
    /// Of a realm that a file is written over, by their ids: those that it does not write.
    private var others: [String: Holder] = [:]
    private var cut: [String] = []
    /// Whether someone of the file is an administrator afterwards.
    private var fileHasAdministrator = false
    /// Of a realm that a file is written over: who administered it before, by their ids.
    private var former: Administered?

    /// - Parameter roles: The names of all.
    package init(
        _ realm: Realm,
        roles: some Sequence<RoleName>,
        parts: [RolePart],
        groups: [GroupWithRoles],
        clients: [Client]
    ) {
        let graph = RoleGraph(parts: parts, groups: groups)
        func administrative(_ roles: Set<RoleName>) -> Set<RoleName>? {
            let found = roles.filter { AdminRights.isAdministrative($0, in: realm.name) }
            return found.isEmpty ? nil : found
        }
        var brought: [RoleName: Set<RoleName>] = [:]
        for role in roles { brought[role] = administrative(graph.expanded([role])) }
        var byGroup: [String: Set<RoleName>] = [:]
        for group in groups where !group.roles.isEmpty || group.group.parentID != nil {
            byGroup[group.group.id] = administrative(graph.roles(ofGroup: group.group.id))
        }
        (self.realm, self.clients, self.groups) = (realm, clients, groups)
        (self.brought, self.byGroup) = (brought, byGroup)
        acting = Set(
            clients.filter { $0.isEnabled && $0.grantTypes.contains(.clientCredentials) }.map(\.id)
        )
    }

    /// How many of one role or group are looked at.
    private static let most = 1000

    /// The people who are stored, and clients' own accounts, by their ids.
    ///
    /// - Parameter roleIDs: Of the realm's roles.
    /// - Returns: With the roles and groups that more people have than were looked at.
    package func holders(_ roleIDs: [RoleName: String], in people: PersonStore) async throws
        -> (people: [String: Holder], cut: [String])
    {
        var found: [(person: Person, roles: Set<RoleName>)] = []
        var cut: [String] = []
        for (role, roles) in brought {
            guard let id = roleIDs[role] else { continue }
            let holders = try await people.holders(
                of: id,
                realmID: realm.id,
                first: 0,
                limit: Self.most + 1
            )
            if holders.count > Self.most { cut.append("role \(role.name)") }
            found += holders.map { ($0, roles) }
        }
        for (id, roles) in byGroup {
            let members = try await people.members(
                of: id,
                realmID: realm.id,
                first: 0,
                limit: Self.most + 1
            )
            if members.count > Self.most {
                let name = groups.first { $0.group.id == id }?.group.name ?? id
                cut.append("group \(name)")
            }
            found += members.map { ($0, roles) }
        }
        for client in clients where client.grantTypes.contains(.clientCredentials) {
            guard
                let account = try await people.serviceAccount(of: client.id, realmID: realm.id)
            else { continue }
            let roles = union(account.roles, account.groupIDs)
            guard !roles.isEmpty else { continue }
            found.append((account.person, roles))
        }
        var holders: [String: Holder] = [:]
        for one in found {
            holders[one.person.id] = Holder(
                person: one.person,
                isEnabled: isEnabled(one.person),
                roles: one.roles.union(holders[one.person.id]?.roles ?? [])
            )
        }
        return (holders, cut.sorted())
    }

    private func isEnabled(_ person: Person) -> Bool {
        person.isEnabled && person.serviceClientID.map(acting.contains) ?? true
    }

    /// Of a realm that a file is written over: remembers who is stored.
    ///
    /// - Parameter former: Who administered it before; `nil`: this is before.
    mutating func look(
        _ roleIDs: [RoleName: String],
        in people: PersonStore,
        since former: Administered?,
        at now: Int64
    ) async throws {
        let found = try await holders(roleIDs, in: people)
        (others, cut) = (found.people, found.cut)
        self.former = former
        for (id, holder) in others where isWhole(holder.roles) {
            let password = try await people.credentials(id: id, realmID: realm.id)?.password
            let isOne = isAdministrator(holder.person, password, at: now)
            others[id]?.isAdministrator = isOne
        }
    }

    /// Whether someone who has the whole rights can use them.
    private func isAdministrator(_ person: Person, _ password: PasswordHash?, at now: Int64) -> Bool
    {
        realm.isEnabled && realm.notBefore <= now && isEnabled(person) && person.notBefore <= now
            && (password != nil || person.serviceClientID != nil)
    }

    /// Who is stored and administers.
    var administered: Administered {
        Administered(roles: others.mapValues(\.roles), hasAdministrator: hasAdministrator)
    }

    /// Everything but people.
    func add(to report: inout ImportReport) {
        if isMaster {
            report.add(
                .administers,
                "realm \(realm.name)",
                "its administrators administer every realm, where admin.master is on"
            )
        }
        for group in groups {
            guard let roles = byGroup[group.group.id] else { continue }
            report.add(
                .administers,
                "group \(group.group.name)",
                listed(roles),
                "its members administer \(what)"
            )
        }
        for client in clients where client.administers && client.lendsAdministration {
            report.add(
                .administers,
                "client \(client.clientID)",
                "people administer by way of it"
            )
        }
        let roles = byDefault
        guard !roles.isEmpty else { return }
        report.add(
            .administers,
            realm.defaultRoles.first.map { "role \($0.name)" } ?? "default groups",
            listed(roles),
            realm.registration == nil
                ? "everyone who is made here gets it, and administers \(what)"
                : "everyone who registers gets it, and administers \(what)"
        )
    }

    /// A person of the file, with the roles that they have afterwards.
    mutating func add(_ new: NewPerson, at now: Int64, to report: inout ImportReport) {
        others[new.person.id] = nil
        let roles = union(new.roles, new.groupIDs)
        if isWhole(roles), isAdministrator(new.person, new.password, at: now) {
            fileHasAdministrator = true
        }
        add(new.person, roles, to: &report)
    }

    /// Someone is deleted.
    mutating func forget(_ personID: String) { others[personID] = nil }

    func isAdministering(_ person: PersonWithRoles) -> Bool {
        !union(person.roles, person.groupIDs).isEmpty
    }

    /// Whether anyone who can sign in has the whole rights.
    var hasAdministrator: Bool {
        fileHasAdministrator || others.values.contains(where: \.isAdministrator)
    }

    private func isWhole(_ roles: Set<RoleName>) -> Bool {
        roles.contains(AdminRights.whole(in: realm.name))
    }

    /// Whether someone has the whole rights, be they able to use them or not.
    func isWhole(_ person: NewPerson) -> Bool { isWhole(union(person.roles, person.groupIDs)) }

    /// Those who are here, and stay as they are.
    func addOthers(to report: inout ImportReport) {
        for other in others.values.sorted(by: { $0.person.username < $1.person.username }) {
            add(other.person, other.roles, to: &report)
        }
        for subject in cut {
            report.add(.administers, subject, "has more than 1,000 people: the rest is not counted")
        }
    }

    private func add(
        _ person: Person,
        _ roles: Set<RoleName>,
        to report: inout ImportReport
    ) {
        guard !roles.isEmpty else { return }
        var age = ""
        if let former {
            age = roles.isSubset(of: former.roles[person.id] ?? []) ? "as before: " : "new: "
        }
        report.add(
            .administers,
            "user \(person.username)",
            listed(roles),
            person.serviceClientID == nil
                ? "\(age)administers \(what)"
                : "\(age)a client's own account, which administers \(what)"
        )
    }

    /// Whether everyone who is made, or registers, administers.
    package var isByDefault: Bool { !byDefault.isEmpty }

    private var byDefault: Set<RoleName> { union(realm.defaultRoles, realm.defaultGroupIDs) }

    private var isMaster: Bool { realm.name == AdminRights.master }

    private var what: String { isMaster ? "realms of this server" : "the realm" }

    private func union(_ roles: [RoleName], _ groupIDs: [String]) -> Set<RoleName> {
        let lists = roles.compactMap { brought[$0] } + groupIDs.compactMap { byGroup[$0] }
        return lists.reduce(into: []) { $0.formUnion($1) }
    }

    /// The whole rights alone where they are among them, else some.
    private func listed(_ roles: Set<RoleName>) -> String {
        if isWhole(roles) { return AdminRights.whole(in: realm.name).text }
        let names = roles.map(\.text).sorted()
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    }
}

/// Who administered a realm before a file was written over it.
struct Administered: Sendable {
    /// The administrative roles that each had, by their ids.
    let roles: [String: Set<RoleName>]
    let hasAdministrator: Bool
}

extension ExistingRealm {
    /// Who administers it once a file is written over it.
    func administering(after changes: RealmChanges) -> AdministeringPeople {
        let whole = whole.with(changes)
        return AdministeringPeople(
            whole.realm,
            roles: whole.roles.map(\.roleName),
            parts: whole.roleParts,
            groups: whole.groups.sorted { $0.group.id < $1.group.id },
            clients: whole.clients.sorted { $0.clientID < $1.clientID }
        )
    }
}
