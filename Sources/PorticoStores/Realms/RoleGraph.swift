import PorticoBytes

/// The roles of a realm that contain others, and its groups: what a person's roles amount to when a
/// token is made.
package struct RoleGraph: Sendable {
    private let parts: [RoleName: [RoleName]]
    private let groups: [String: GroupWithRoles]
    private let groupIDs: [ExactText: String]
    private let children: [String?: [GroupWithRoles]]

    /// No group is deeper than that.
    package static let deepest = 64

    package init(parts: [RolePart], groups: [GroupWithRoles]) {
        self.parts = Dictionary(grouping: parts, by: \.role).mapValues { $0.map(\.part) }
        let byID = Dictionary(groups.map { ($0.group.id, $0) }) { first, _ in first }
        self.groups = byID
        // A name with a slash may have made two groups of one path: it names neither.
        groupIDs = Dictionary(
            grouping: byID.keys,
            by: { ExactText(Self.path(of: Self.lineage(of: $0, in: byID))) }
        ).compactMapValues { $0.count == 1 ? $0[0] : nil }
        children = Dictionary(grouping: byID.values, by: \.group.parentID).mapValues { groups in
            groups.sorted { ($0.group.name, $0.group.id) < ($1.group.name, $1.group.id) }
        }
    }

    package static let empty = RoleGraph(parts: [], groups: [])

    /// These roles and everything that they contain, each once, also where they contain each other.
    package func expanded(_ roles: some Sequence<RoleName>) -> Set<RoleName> {
        var expanded: Set<RoleName> = []
        var pending = Array(roles)
        while let role = pending.popLast() {
            guard expanded.insert(role).inserted, let more = parts[role] else { continue }
            pending += more
        }
        return expanded
    }

    /// What a role contains itself.
    package func parts(of role: RoleName) -> [RoleName] { parts[role] ?? [] }

    /// The roles of a group and of those above it, with all that they contain.
    package func roles(ofGroup groupID: String) -> Set<RoleName> {
        expanded(lineage(of: groupID).flatMap(\.roles))
    }

    /// The roles of one client that contain others.
    package func containers(ofClient clientID: String) -> [RoleName] {
        parts.keys.filter { $0.clientID.map { sameBytes($0, clientID) } ?? false }
    }

    /// What a person has: their own roles and those of their groups and of the groups above, with
    /// everything that these contain.
    package func roles(of person: PersonWithRoles) -> Set<RoleName> {
        guard !parts.isEmpty || !person.groupIDs.isEmpty else { return Set(person.roles) }
        return expanded(person.roles + person.groupIDs.flatMap(lineage).flatMap(\.roles))
    }

    /// All groups, in no order.
    package var allGroups: [GroupWithRoles] { Array(groups.values) }

    package func group(_ id: String) -> GroupWithRoles? { groups[id] }

    /// The groups right below another one, or at the top, in the order of their names.
    package func groups(in parentID: String?) -> [GroupWithRoles] { children[parentID] ?? [] }

    /// The group of that ``path(of:)``, which may lack its first slash; `nil` also where two have it.
    package func group(atPath path: String) -> Group? {
        let path = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        return groupIDs[ExactText(path)].flatMap { groups[$0]?.group }
    }

    /// A group and those above it, the nearest first. Empty where there is no such group.
    package func lineage(of groupID: String) -> [GroupWithRoles] {
        Self.lineage(of: groupID, in: groups)
    }

    private static func lineage(of groupID: String, in groups: [String: GroupWithRoles])
        -> [GroupWithRoles]
    {
        var lineage: [GroupWithRoles] = []
        var next: String? = groupID
        while let id = next, let group = groups[id], lineage.count < deepest {
            lineage.append(group)
            next = group.group.parentID
        }
        return lineage
    }

    /// The names of a group and of those above it, from the top, each behind a slash.
    package func path(of groupID: String) -> String {
        Self.path(of: lineage(of: groupID))
    }

    private static func path(of lineage: [GroupWithRoles]) -> String {
        lineage.reversed().map { "/" + $0.group.name }.joined()
    }
}

/// One role that another one contains.
package struct RolePart: Hashable, Sendable {
    package var role: RoleName
    package var part: RoleName

    package init(role: RoleName, part: RoleName) {
        self.role = role
        self.part = part
    }
}
