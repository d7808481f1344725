/// A group of a realm's people: its members have its roles and those of the groups above it.
package struct Group: Hashable, Sendable {
    /// A UUID.
    package var id: String
    package var realmID: String
    /// `nil` for a group at the top.
    package var parentID: String?
    /// Unique among the groups of one parent. May contain anything, a slash too.
    package var name: String
    package var description: String
    package var attributes: [String: [String]]

    package init(
        id: String,
        realmID: String,
        parentID: String?,
        name: String,
        description: String = "",
        attributes: [String: [String]] = [:]
    ) {
        self.id = id
        self.realmID = realmID
        self.parentID = parentID
        self.name = name
        self.description = description
        self.attributes = attributes
    }
}

/// A group with the roles that it gives its members.
package struct GroupWithRoles: Hashable, Sendable {
    package var group: Group
    package var roles: [RoleName]

    package init(group: Group, roles: [RoleName] = []) {
        self.group = group
        self.roles = roles
    }
}
